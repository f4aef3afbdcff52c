// Links to experiments: what is accepted reads back the same. The input is the link; one without "#x=" stands for the
// experiment in a link, which no mutation would otherwise get at through zlib and base64.
#include <zlib.h>

#include <string>

#include "io/base/base64url.h"
#include "io/experiments/experiment_link.h"
#include "read_everything.h"

namespace {

std::string link_to(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::string bytes(size, '\0');
  compress2(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(text.data()), text.size(), 1);
  return "#x=1." + attnscope::to_base64url({bytes.data(), size});
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using attnscope::fuzz::require;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string link = attnscope::is_experiment_link(input) ? std::string(input) : link_to(input);
  const auto read = attnscope::read_experiment_link(link);
  if (!read) {
    require(read.error().message.starts_with("the link: ") && read.error().message.find('\n') == std::string::npos);
    return 0;
  }
  require(read->tensors == nullptr);
  const auto written = attnscope::write_experiment_link(*read, "");
  if (!written) return 0;  // a longer one than it was
  const auto again = attnscope::read_experiment_link(*written);
  // A model that is opened again is another one.
  require(again.has_value() && (read->model != nullptr || *again == *read));
  return 0;
}
