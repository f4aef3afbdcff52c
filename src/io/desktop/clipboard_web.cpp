#include "io/desktop/clipboard.h"
#include "io/desktop/page_web.h"

namespace attnscope {

Result<bool> copy_png_to_clipboard(const std::filesystem::path& png, const StopToken& /*stop*/) {
  return page::copy_picture(png);
}

}  // namespace attnscope
