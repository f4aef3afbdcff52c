#include "figure/slices/token_picture.h"

#include "figure/model/labels.h"

namespace attnscope {

std::string TokenPicture::token_text(Index token) const {
  if (token < first) return "the class token";
  const Index place = token - first;
  return (of_patches() ? "patch (" : "pixel (") + position_number(place / columns) + ", " +
         position_number(place % columns) + ")";
}

std::optional<TokenPicture> token_picture(const Trace& trace) {
  TokenPicture picture;
  if (trace.experiment().model == nullptr) {
    picture.pixels = trace.find("x");
    if (picture.pixels == nullptr || picture.pixels->axes.size() != 4 || picture.pixels->axes[2].name != "row")
      return std::nullopt;
  } else {
    const Step* const kernel = trace.find("w_patches");
    if (kernel == nullptr) return std::nullopt;
    // Pixels that fill no patch are cut off.
    const Step* const cropped = trace.find("cropped_pixels");
    picture.pixels = cropped != nullptr ? cropped : trace.find("pixels");
    picture.side = kernel->axes.back().size;
    picture.first = 1;
  }
  picture.rows = picture.pixels->axes[picture.pixels->axes.size() - 2].size / picture.side;
  picture.columns = picture.pixels->axes.back().size / picture.side;
  return picture;
}

}  // namespace attnscope
