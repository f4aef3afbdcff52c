#include "io/png_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "core/text.h"
#include "io/cairo_handle.h"
#include "io/file.h"
#include "io/png.h"
#include "io/printable.h"

namespace attnscope {
namespace {

/// Signature, then IHDR: length, name, width, height (PNG specification, 5.2 and 11.2.2).
Result<void> check_size(std::string_view bytes) {
  if (const std::string what = stand_in(bytes); !what.empty()) return fail("this is " + what);
  if (!bytes.starts_with(kPngSignature)) return fail("is no PNG file");
  constexpr std::size_t kName = 12;
  constexpr std::size_t kWidth = 16;
  constexpr std::size_t kHeight = 20;
  if (bytes.size() < kHeight + 4 || bytes.substr(kName, 4) != "IHDR")
    return fail("the PNG file ends before it says how large it is");
  const std::uint32_t width = big_endian(bytes.substr(kWidth));
  const std::uint32_t height = big_endian(bytes.substr(kHeight));
  const std::uint64_t pixels = std::uint64_t{width} * height;
  if (width >= 1 && height >= 1 && width <= kLongestPngSide && height <= kLongestPngSide && pixels <= kMostPngPixels)
    return {};
  return fail("the picture has " + std::to_string(width) + " × " + std::to_string(height) + " pixels; allowed: 1 to " +
              std::to_string(kLongestPngSide) + " along a side, at most " +
              grouped_text(static_cast<Index>(kMostPngPixels)) + " in all");
}

/// For cairo's stream function: takes bytes from the front of the std::string_view that `text` is.
cairo_status_t take_bytes(void* text, unsigned char* to, unsigned int count) {
  auto& left = *static_cast<std::string_view*>(text);
  if (left.size() < count) return CAIRO_STATUS_READ_ERROR;
  std::memcpy(to, left.data(), count);
  left.remove_prefix(count);
  return CAIRO_STATUS_SUCCESS;
}

/// A pixel of cairo's images, over white: 8 bits each of opacity, red, green and blue, the colours times the opacity.
std::array<std::uint32_t, kColors> over_white(std::uint32_t pixel, bool has_opacity) {
  const std::uint32_t white = has_opacity ? 255U - (pixel >> 24U) : 0U;
  return {((pixel >> 16U) & 255U) + white, ((pixel >> 8U) & 255U) + white, (pixel & 255U) + white};
}

/// A side of `from` pixels when the longest one has `longest`.
Index fitted_side(Index from, Index longest) {
  if (longest <= kLongestPictureSide) return from;
  const double side = std::round(static_cast<double>(from * kLongestPictureSide) / static_cast<double>(longest));
  return std::max<Index>(1, static_cast<Index>(side));
}

/// Averaged by area to the rows and columns of the picture; `image` has 32 bits for each pixel.
ColorPicture averaged(cairo_surface_t* image, bool has_opacity) {
  const Index width = cairo_image_surface_get_width(image);
  const Index height = cairo_image_surface_get_height(image);
  const Index longest = std::max(width, height);
  ColorPicture picture = {fitted_side(height, longest), fitted_side(width, longest), {}};
  const unsigned char* const data = cairo_image_surface_get_data(image);
  const Index stride = cairo_image_surface_get_stride(image);
  for (Index row = 0; row < picture.rows; ++row) {
    const AreaShare down(height, picture.rows, row);
    for (Index column = 0; column < picture.columns; ++column) {
      const AreaShare across(width, picture.columns, column);
      std::array<Index, kColors> sums = {};
      for (Index r = down.first; r <= down.last; ++r) {
        for (Index c = across.first; c <= across.last; ++c) {
          std::uint32_t pixel = 0;
          std::memcpy(&pixel, data + r * stride + c * 4, sizeof(pixel));
          const std::array<std::uint32_t, kColors> colors = over_white(pixel, has_opacity);
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
  if (const Result<void> size = check_size(bytes); !size) return tl::unexpected(size.error());
  const CairoSurface image(cairo_image_surface_create_from_png_stream(take_bytes, &bytes));
  const cairo_status_t status = cairo_surface_status(image.get());
  if (status == CAIRO_STATUS_NO_MEMORY) return fail("no memory is left for the picture, or the PNG file is damaged");
  if (status != CAIRO_STATUS_SUCCESS) return fail("the PNG file is damaged or ends too early");
  const cairo_format_t format = cairo_image_surface_get_format(image.get());
  if (format == CAIRO_FORMAT_ARGB32 || format == CAIRO_FORMAT_RGB24)
    return averaged(image.get(), format == CAIRO_FORMAT_ARGB32);
  // Newer versions of cairo keep the 16 bits that some files have.
  const CairoSurface eight_bits(cairo_image_surface_create(
      CAIRO_FORMAT_ARGB32, cairo_image_surface_get_width(image.get()), cairo_image_surface_get_height(image.get())));
  const CairoContext context(cairo_create(eight_bits.get()));
  cairo_set_source_surface(context.get(), image.get(), 0, 0);
  cairo_paint(context.get());
  if (cairo_status(context.get()) != CAIRO_STATUS_SUCCESS) return fail("no memory is left for the picture");
  cairo_surface_flush(eight_bits.get());
  return averaged(eight_bits.get(), true);
}

Result<ColorPicture> read_png_picture(const std::filesystem::path& path) {
  const Result<std::string> bytes = read_file(path, kMaxPngBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  Result<ColorPicture> picture = png_picture(*bytes);
  if (!picture) return fail(path_text(path) + ": " + picture.error().message);
  return picture;
}

bool is_png_name(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return extension == ".png";
}

}  // namespace attnscope
