#include "io/figures/png_picture.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "io/base/file.h"
#include "io/base/parse_budget.h"
#include "io/base/paths.h"
#include "io/base/printable.h"
#include "io/canvas/png.h"

namespace attnscope {
namespace {

/// A colour over white. The product is rounded as in cairo.
std::uint8_t over_white(std::uint32_t color, std::uint32_t opacity) {
  const std::uint32_t product = opacity * color + 128;
  return static_cast<std::uint8_t>(((product + (product >> 8U)) >> 8U) + 255 - opacity);
}

/// The colours of pixels of red, green, blue and opacity, in their place: a picture takes no more memory than that.
void lay_over_white(std::vector<std::uint8_t>& pixels) {
  std::size_t to = 0;
  for (std::size_t from = 0; from < pixels.size(); from += 4) {
    for (std::size_t k = 0; k < 3; ++k) pixels[to++] = over_white(pixels[from + k], pixels[from + 3]);
  }
  pixels.resize(to);
}

}  // namespace

Result<ColorPicture> png_picture(std::string_view bytes) {
  if (const std::string what = stand_in(bytes); !what.empty()) return fail("this is " + what);
  const Result<PngSize> size = png_size(bytes);
  if (!size) return tl::unexpected(size.error());
  const std::string shown = std::to_string(size->width) + " × " + std::to_string(size->height) + " pixels";
  const std::uint64_t count = std::uint64_t{size->width} * size->height;
  if (count == 0 || std::max(size->width, size->height) > kMaxPngSide || count > kMaxPngPixels) {
    return fail("the picture has " + shown + "; allowed: 1 to " + std::to_string(kMaxPngSide) +
                " along a side, at most " + grouped_text(static_cast<Index>(kMaxPngPixels)) + " in all");
  }
  if (ParseBudget budget(bytes.size()); !budget.charge(4 * count)) return fail(budget.refusal("a picture of " + shown));
  try {
    Result<std::vector<std::uint8_t>> pixels = png_pixels(bytes);
    if (!pixels) return tl::unexpected(pixels.error());
    lay_over_white(*pixels);
    return ColorPicture{size->height, size->width, std::move(*pixels)};
  } catch (const std::bad_alloc&) {
    return fail("not enough memory for the picture");
  }
}

Result<ColorPicture> read_png_picture(const std::filesystem::path& path) {
  const Result<std::string> bytes = read_file(path, kMaxPngBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  Result<ColorPicture> picture = png_picture(*bytes);
  if (!picture) return fail(path_text(path) + ": " + picture.error().message);
  return picture;
}

bool is_png_name(const std::filesystem::path& path) { return lower_extension(path) == ".png"; }

}  // namespace attnscope
