#include "io/figures/png_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "io/base/file.h"
#include "io/base/parse_budget.h"
#include "io/base/paths.h"
#include "io/base/printable.h"
#include "io/canvas/png.h"

namespace attnscope {
namespace {

/// A pixel of red, green, blue and opacity over white. Products are rounded as in cairo.
std::array<std::uint32_t, kColors> over_white(const std::uint8_t* pixel) {
  const std::uint32_t opacity = pixel[3];
  std::array<std::uint32_t, kColors> colors = {};
  for (std::size_t k = 0; k < colors.size(); ++k) {
    const std::uint32_t product = opacity * pixel[k] + 128;
    colors[k] = ((product + (product >> 8U)) >> 8U) + 255 - opacity;
  }
  return colors;
}

/// The length of a side of `from` pixels if the longer side has `longest`.
Index fitted_side(Index from, Index longest) {
  if (longest <= kMaxPictureSide) return from;
  const double side = std::round(static_cast<double>(from * kMaxPictureSide) / static_cast<double>(longest));
  return std::max<Index>(1, static_cast<Index>(side));
}

/// Averages by area to the size of the picture; `pixels` come from png_pixels.
ColorPicture averaged(std::span<const std::uint8_t> pixels, const PngSize& size) {
  const Index width = size.width;
  const Index height = size.height;
  const Index longest = std::max(width, height);
  ColorPicture picture = {fitted_side(height, longest), fitted_side(width, longest), {}};
  for (Index row = 0; row < picture.rows; ++row) {
    const AreaShare down(height, picture.rows, row);
    for (Index column = 0; column < picture.columns; ++column) {
      const AreaShare across(width, picture.columns, column);
      std::array<Index, kColors> sums = {};
      for (Index r = down.first; r <= down.last; ++r) {
        for (Index c = across.first; c <= across.last; ++c) {
          const std::array<std::uint32_t, kColors> colors = over_white(pixels.data() + 4 * (r * width + c));
          const Index parts = down.parts(r) * across.parts(c);
          for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += parts * colors[k];
        }
      }
      const Index all = width * height;
      for (const Index sum : sums) picture.rgb.push_back(static_cast<std::uint8_t>((2 * sum + all) / (2 * all)));
    }
  }
  return picture;
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
    const Result<std::vector<std::uint8_t>> pixels = png_pixels(bytes);
    if (!pixels) return tl::unexpected(pixels.error());
    return averaged(*pixels, *size);
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
