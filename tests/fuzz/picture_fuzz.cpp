// PNG files as pictures.
#include "io/figures/png_picture.h"
#include "png_checksums.h"
#include "read_everything.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using attnscope::fuzz::require;
  const std::string bytes = attnscope::fuzz::with_right_checksums({reinterpret_cast<const char*>(data), size});
  const auto picture = attnscope::png_picture(bytes);
  if (!picture) {
    require(!picture.error().message.empty() && picture.error().message.find('\n') == std::string::npos);
    return 0;
  }
  require(picture->rows >= 1 && picture->columns >= 1);
  require(static_cast<std::uint64_t>(picture->rows * picture->columns) <= attnscope::kMaxPngPixels);
  require(picture->rgb.size() == static_cast<std::size_t>(picture->rows * picture->columns * attnscope::kColors));
  return 0;
}
