#include "io/figures/png_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "io/base/file.h"
#include "io/base/inflating.h"
#include "io/base/parse_budget.h"
#include "io/base/printable.h"
#include "io/canvas/cairo_handle.h"
#include "io/canvas/png.h"

namespace attnscope {
namespace {

/// What the beginning of a PNG file says (PNG specification, 11.2.2).
struct PngHeader {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  unsigned depth = 0;  ///< bits of a number
  unsigned color_type = 0;
  bool interlaced = false;
};

/// Signature, then IHDR: length, name, width, height, depth, kind of colour, compression, filter, interlace.
Result<PngHeader> read_header(std::string_view bytes) {
  if (const std::string what = stand_in(bytes); !what.empty()) return fail("this is " + what);
  if (!bytes.starts_with(kPngSignature)) return fail("is no PNG file");
  constexpr std::size_t kName = 12;
  constexpr std::size_t kWidth = 16;
  constexpr std::size_t kHeight = 20;
  constexpr std::size_t kDepth = 24;
  constexpr std::size_t kColor = 25;
  constexpr std::size_t kInterlace = 28;
  if (bytes.size() <= kInterlace || bytes.substr(kName, 4) != "IHDR")
    return fail("the PNG file ends before it says how large it is");
  const PngHeader header = {big_endian(bytes.substr(kWidth)), big_endian(bytes.substr(kHeight)),
                            static_cast<unsigned char>(bytes[kDepth]), static_cast<unsigned char>(bytes[kColor]),
                            bytes[kInterlace] != 0};
  if (header.width >= 1 && header.height >= 1 && header.width <= kMaxPngSide && header.height <= kMaxPngSide &&
      header.width * header.height <= kMaxPngPixels)
    return header;
  return fail("the picture has " + std::to_string(header.width) + " × " + std::to_string(header.height) +
              " pixels; allowed: 1 to " + std::to_string(kMaxPngSide) + " along a side, at most " +
              grouped_text(static_cast<Index>(kMaxPngPixels)) + " in all");
}

/// Bytes that its pixels take in memory while it is read.
std::uint64_t decoded_bytes(const PngHeader& header) {
  constexpr unsigned with_floats = 11702;  // from this version on cairo keeps 16 bits, as four floats; then 8 are made
  const bool as_floats = header.depth > 8 && static_cast<unsigned>(cairo_version()) >= with_floats;
  return header.width * header.height * (as_floats ? 20 : 4);
}

/// Bytes that the pixels of a part of the picture have when they are unpacked: a byte before each row says how it is
/// filtered.
std::uint64_t raw_bytes(const PngHeader& header, std::uint64_t width, std::uint64_t height) {
  constexpr std::array<unsigned, 7> numbers = {1, 1, 3, 1, 2, 1, 4};  // of a pixel of each kind of colour
  const unsigned bits = numbers.at(std::min(header.color_type, 6U)) * std::min(header.depth, 16U);
  return width == 0 ? 0 : height * (1 + (width * bits + 7) / 8);
}

/// Of the whole picture; interlaced ones come in seven passes (PNG specification, 8.2).
std::uint64_t raw_bytes(const PngHeader& header) {
  if (!header.interlaced) return raw_bytes(header, header.width, header.height);
  struct Pass {
    std::uint64_t left, top, across, down;
  };
  constexpr std::array<Pass, 7> passes = {
      {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}};
  const auto count = [](std::uint64_t size, std::uint64_t first, std::uint64_t step) {
    return size <= first ? 0 : (size - first + step - 1) / step;
  };
  std::uint64_t sum = 0;
  for (const Pass& pass : passes) {
    sum += raw_bytes(header, count(header.width, pass.left, pass.across), count(header.height, pass.top, pass.down));
  }
  return sum;
}

/// Whether the packed pixels have no more in them than there are: libpng would unpack, and throw away, without end.
bool unpacks_to_its_pixels(std::string_view bytes, const PngHeader& header) {
  const std::uint64_t most = raw_bytes(header);
  std::uint64_t unpacked = 0;
  std::array<char, 65536> piece;
  Inflating inflating;
  bytes.remove_prefix(kPngSignature.size());
  while (const std::optional<PngChunk> chunk = take_png_chunk(bytes)) {
    if (chunk->name != "IDAT" || chunk->content.empty()) continue;
    if (!inflating.wants_more()) break;
    inflating.give(chunk->content);
    for (std::size_t got = piece.size(); got == piece.size() && unpacked <= most;) {
      got = inflating.next(piece);
      unpacked += got;
    }
    if (unpacked > most) return false;
  }
  return true;
}

/// What is handed to libpng of a file: what the pixels need. Anything else may be packed as well, and is unpacked
/// before anybody asks for it.
class PixelChunks {
 public:
  explicit PixelChunks(std::string_view bytes)
      : part_(bytes.substr(0, kPngSignature.size())), rest_(bytes.substr(kPngSignature.size())) {}

  /// For cairo's stream function: takes bytes from the front of what `self` still has.
  static cairo_status_t take(void* self, unsigned char* to, unsigned int count) {
    auto& chunks = *static_cast<PixelChunks*>(self);
    while (count > 0) {
      if (chunks.part_.empty() && !chunks.next()) return CAIRO_STATUS_READ_ERROR;
      const std::size_t piece = std::min<std::size_t>(count, chunks.part_.size());
      std::memcpy(to, chunks.part_.data(), piece);
      chunks.part_.remove_prefix(piece);
      to += piece;
      count -= static_cast<unsigned int>(piece);
    }
    return CAIRO_STATUS_SUCCESS;
  }

 private:
  bool next() {
    while (const std::optional<PngChunk> chunk = take_png_chunk(rest_)) {
      const bool critical = chunk->name.front() >= 'A' && chunk->name.front() <= 'Z';
      const bool transparency = chunk->name == "tRNS" && !has_transparency_;
      has_transparency_ = has_transparency_ || transparency;
      if (!transparency && (!critical || (chunk->name == "IDAT" && chunk->content.empty()))) continue;
      part_ = chunk->whole;
      return true;
    }
    return false;
  }

  std::string_view part_;
  std::string_view rest_;
  bool has_transparency_ = false;
};

/// A pixel of cairo's images, over white: 8 bits each of opacity, red, green and blue, the colours times the opacity.
std::array<std::uint32_t, kColors> over_white(std::uint32_t pixel, bool has_opacity) {
  const std::uint32_t white = has_opacity ? 255U - (pixel >> 24U) : 0U;
  return {((pixel >> 16U) & 255U) + white, ((pixel >> 8U) & 255U) + white, (pixel & 255U) + white};
}

/// A side of `from` pixels when the longest one has `longest`.
Index fitted_side(Index from, Index longest) {
  if (longest <= kMaxPictureSide) return from;
  const double side = std::round(static_cast<double>(from * kMaxPictureSide) / static_cast<double>(longest));
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
  const Result<PngHeader> header = read_header(bytes);
  if (!header) return tl::unexpected(header.error());
  if (ParseBudget budget(bytes.size()); !budget.charge(decoded_bytes(*header))) {
    return fail(budget.refusal("a picture of " + std::to_string(header->width) + " × " +
                               std::to_string(header->height) + " pixels"));
  }
  if (!unpacks_to_its_pixels(bytes, *header))
    return fail("the PNG file is damaged: more is packed in it than the pixels it has");
  PixelChunks chunks(bytes);
  const CairoSurface image(cairo_image_surface_create_from_png_stream(PixelChunks::take, &chunks));
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
