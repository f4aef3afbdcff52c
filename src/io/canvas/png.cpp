#include "io/canvas/png.h"

#include <png.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <exception>

#include "io/canvas/png_chunk.h"

// libpng reports an error by a longjmp to the innermost `succeeds`. Between that and libpng there are only variables
// without destructors, and no exception passes through libpng's own frames.

namespace attnscope {
namespace {

constexpr double kMetresPerInch = 0.0254;
constexpr std::size_t kChannels = 4;  // that are read

/// Whether libpng got through `call` without an error.
template <typename Call>
bool succeeds(png_structp png, const Call& call) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT(modernize-avoid-setjmp-longjmp): libpng knows no other way
  call();
  return true;
}

[[noreturn]] void leave(png_structp png, png_const_charp /*message*/) { png_longjmp(png, 1); }

void ignore_warning(png_structp /*png*/, png_const_charp /*message*/) {}

struct PngWriter {
  std::string bytes;
  bool out_of_memory = false;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, leave, ignore_warning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);

  PngWriter() = default;
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;
  ~PngWriter() { png_destroy_write_struct(&png, &info); }
};

void take_bytes(png_structp png, png_bytep data, std::size_t count) {
  auto& writer = *static_cast<PngWriter*>(png_get_io_ptr(png));
  try {
    writer.bytes.append(reinterpret_cast<const char*>(data), count);
  } catch (const std::exception&) {
    writer.out_of_memory = true;
  }
  if (writer.out_of_memory) png_error(png, "out of memory");
}

void flush_nothing(png_structp /*png*/) {}

/// Everything before the pixels.
void write_header(PngWriter& writer, png_uint_32 width, png_uint_32 height, int dpi, std::span<png_text> texts) {
  png_structp png = writer.png;
  png_set_write_fn(png, &writer, take_bytes, flush_nothing);
  png_set_IHDR(png, writer.info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (dpi > 0) {
    const auto per_metre = static_cast<png_uint_32>(std::lround(dpi / kMetresPerInch));
    png_set_pHYs(png, writer.info, per_metre, per_metre, PNG_RESOLUTION_METER);
  }
  png_set_text_compression_level(png, 9);
  png_set_text(png, writer.info, texts.data(), static_cast<int>(texts.size()));
  png_write_info(png, writer.info);
  // The background that cairo gives its files, at the place where figures have always had it: after the texts.
  constexpr std::array<png_byte, 4> name = {'b', 'K', 'G', 'D'};
  constexpr std::array<png_byte, 6> white = {0, 255, 0, 255, 0, 255};
  png_write_chunk(png, name.data(), white.data(), white.size());
}

/// `row` has room for the bytes of one.
void write_rows(png_structp png, const PixelView& image, std::span<png_byte> row, const StopToken& stop) {
  constexpr std::size_t kBetweenChecks = 16;
  for (std::size_t y = 0; y < image.height; ++y) {
    if (y % kBetweenChecks == 0 && stop.stop_requested()) png_error(png, "stopped");
    for (std::size_t x = 0; x < image.width; ++x) {
      const std::uint32_t pixel = image.pixels[y * image.stride + x];
      row[3 * x] = static_cast<png_byte>(pixel >> 16U);
      row[3 * x + 1] = static_cast<png_byte>(pixel >> 8U);
      row[3 * x + 2] = static_cast<png_byte>(pixel);
    }
    png_write_row(png, row.data());
  }
}

struct PngReader {
  std::vector<std::uint8_t> pixels;
  PngSize size;
  bool complete = false;       ///< all pixels were there, and the end of the file
  bool has_more_data = false;  ///< than its pixels
  png_structp png = nullptr;
  png_infop info = nullptr;

  PngReader() = default;
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
};

PngReader& reader_of(png_structp png) { return *static_cast<PngReader*>(png_get_error_ptr(png)); }

/// The one warning that makes a file a damaged one: libpng would leave the rest of the data packed.
void note_warning(png_structp png, png_const_charp message) {
  if (std::string_view(message).starts_with("Extra compressed data")) reader_of(png).has_more_data = true;
}

/// Called after the header and the palette: asks for four channels of 8 bits.
void take_header(png_structp png, png_infop info) {
  const PngReader& reader = reader_of(png);
  png_set_expand(png);  // palettes, fewer than 8 bits, transparent colours
  png_set_strip_16(png);
  png_set_gray_to_rgb(png);
  png_set_filler(png, 0xff, PNG_FILLER_AFTER);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  const bool as_expected = png_get_image_width(png, info) == reader.size.width &&
                           png_get_image_height(png, info) == reader.size.height &&
                           png_get_rowbytes(png, info) == kChannels * reader.size.width;
  if (!as_expected) png_error(png, "not the size in the header");
}

void take_row(png_structp png, png_bytep row, png_uint_32 number, int /*pass*/) {
  PngReader& reader = reader_of(png);
  // Interlaced files leave out the rows that a pass does not change.
  if (row == nullptr || number >= reader.size.height) return;
  png_progressive_combine_row(png, reader.pixels.data() + kChannels * reader.size.width * number, row);
}

void take_end(png_structp png, png_infop info) {
  constexpr int kPasses = 7;
  PngReader& reader = reader_of(png);
  const bool interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
  reader.complete =
      interlaced ? png_get_current_pass_number(png) >= kPasses : png_get_current_row_number(png) >= reader.size.height;
}

}  // namespace

Result<std::string> png_bytes(const PixelView& image, int dpi, std::span<const PngText> texts, const StopToken& stop) {
  PngWriter writer;
  if (writer.info == nullptr) return fail("out of memory");
  std::vector<png_text> entries;
  for (const PngText& text : texts) {
    constexpr std::size_t kMaxPlain = 4096;
    // A reader takes memory as a small file may: what is packed must not be much more than that.
    constexpr std::size_t kMaxPacked = std::size_t{4} << 20U;
    png_text entry = {};
    const bool packed = text.text.size() > kMaxPlain && text.text.size() <= kMaxPacked;
    entry.compression = packed ? PNG_ITXT_COMPRESSION_zTXt : PNG_ITXT_COMPRESSION_NONE;
    entry.key = const_cast<char*>(text.keyword.c_str());  // libpng copies both
    entry.text = const_cast<char*>(text.text.c_str());
    entry.itxt_length = text.text.size();
    entries.push_back(entry);
  }
  std::vector<png_byte> row(3 * image.width);
  const bool written = succeeds(writer.png, [&] {
    write_header(writer, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), dpi, entries);
    write_rows(writer.png, image, row, stop);
    png_write_end(writer.png, nullptr);
  });
  if (!written && stop.stop_requested()) return fail("stopped before it was done");
  if (!written) return fail(writer.out_of_memory ? "out of memory" : "libpng could not write the picture");
  return std::move(writer.bytes);
}

Result<PngSize> png_size(std::string_view bytes) {
  if (!bytes.starts_with(kPngSignature)) return fail("is not a PNG file");
  bytes.remove_prefix(kPngSignature.size());
  constexpr std::size_t kName = 4;
  constexpr std::size_t kWidth = 8;
  constexpr std::size_t kHeight = 12;
  if (bytes.size() < kHeight + 4 || bytes.substr(kName, 4) != "IHDR") return fail("the PNG file ends before its size");
  return PngSize{big_endian(bytes.substr(kWidth)), big_endian(bytes.substr(kHeight))};
}

Result<std::vector<std::uint8_t>> png_pixels(std::string_view bytes) {
  const Result<PngSize> size = png_size(bytes);
  if (!size) return tl::unexpected(size.error());
  PngReader reader;
  reader.size = *size;
  reader.pixels.resize(kChannels * std::size_t{size->width} * size->height);
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, leave, note_warning);
  if (reader.png != nullptr) reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr) return fail("not enough memory for the picture");
  // It reads these bytes and changes nothing in them.
  auto* const data = reinterpret_cast<png_bytep>(const_cast<char*>(bytes.data()));
  const bool read = succeeds(reader.png, [&] {
    png_set_user_limits(reader.png, kMaxPngSide, kMaxPngSide);
    // All chunks but those that the pixels need: libpng would unpack every text.
    png_set_keep_unknown_chunks(reader.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_set_progressive_read_fn(reader.png, nullptr, take_header, take_row, take_end);
    png_process_data(reader.png, reader.info, data, bytes.size());
  });
  if (reader.has_more_data) return fail("the PNG file is damaged: it holds more data than its pixels");
  if (!read || !reader.complete) return fail("the PNG file is damaged or ends too early");
  return std::move(reader.pixels);
}

}  // namespace attnscope
