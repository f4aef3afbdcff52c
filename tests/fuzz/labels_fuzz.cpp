// Labels, in files that are called JSON and in others.
#include "io/experiments/experiment_file.h"
#include "io/experiments/labels_file.h"
#include "read_everything.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using attnscope::fuzz::require;
  for (const char* name : {"fuzz.json", "fuzz.txt"}) {
    const auto labels = attnscope::parse_labels({reinterpret_cast<const char*>(data), size}, name);
    if (!labels) {
      require(labels.error().message.starts_with(std::string(name) + ": "));
      require(labels.error().message.find('\n') == std::string::npos);
      continue;
    }
    require(!labels->empty() && labels->size() <= attnscope::kMaxLabels);
    for (const std::string& label : *labels) require(label.size() <= attnscope::kMaxLabelBytes);
  }
  return 0;
}
