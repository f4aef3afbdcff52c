#include "io/canvas/png.h"

#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <new>

#include "io/base/packing.h"

namespace attnscope {
namespace {

// Eight bytes of signature, then IHDR: length, name, 13 bytes, checksum. Everything else comes after those.
constexpr std::size_t kEndOfHeader = 8 + 4 + 4 + 13 + 4;
constexpr double kMetresPerInch = 0.0254;

void append_big_endian(std::string& bytes, std::uint32_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(number >> shift);
}

/// `content` begins with the chunk's name.
std::string chunk_of(const std::string& content) {
  std::string chunk;
  append_big_endian(chunk, static_cast<std::uint32_t>(content.size() - 4));
  chunk += content;
  append_big_endian(chunk, chunk_checksum(content));
  return chunk;
}

/// The chunk that says how many pixels a metre has, in both directions (PNG specification, 11.3.4.3).
std::string pixel_size_chunk(int dpi) {
  const auto per_metre = static_cast<std::uint32_t>(std::lround(dpi / kMetresPerInch));
  std::string content = "pHYs";
  append_big_endian(content, per_metre);
  append_big_endian(content, per_metre);
  content += '\1';  // the unit is the metre
  return chunk_of(content);
}

/// PNG specification, 11.3.3.4; in no language.
std::string text_chunk(const PngText& text) {
  constexpr std::size_t longest_plain = 4096;
  const bool is_packed = text.text.size() > longest_plain;
  std::string content = "iTXt" + text.keyword + '\0' + (is_packed ? '\1' : '\0');
  content.append(3, '\0');  // packed by zlib; no language, no translated keyword
  content += is_packed ? packed(text.text) : text.text;
  return chunk_of(content);
}

}  // namespace

cairo_status_t append_bytes(void* text, const unsigned char* bytes, unsigned int count) {
  // Called from C, which no exception may pass.
  try {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
  } catch (const std::exception&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

std::optional<PngChunk> take_png_chunk(std::string_view& bytes) {
  constexpr std::size_t around = 12;  // length, name, checksum
  if (bytes.size() < around) return std::nullopt;
  const std::size_t length = big_endian(bytes);
  if (length > bytes.size() - around) return std::nullopt;
  const PngChunk chunk = {bytes.substr(4, 4), bytes.substr(8, length), bytes.substr(0, length + around)};
  bytes.remove_prefix(chunk.whole.size());
  return chunk;
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8U | static_cast<std::uint8_t>(bytes[i]);
  return number;
}

std::uint32_t chunk_checksum(std::string_view bytes) {
  const auto* const data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(crc32_z(0, data, bytes.size()));
}

Result<std::string> png_bytes(cairo_surface_t* image, int dpi, std::span<const PngText> texts) {
  std::string bytes;
  const cairo_status_t status = cairo_surface_write_to_png_stream(image, append_bytes, &bytes);
  if (status != CAIRO_STATUS_SUCCESS) return fail(cairo_status_to_string(status));
  std::string more = dpi > 0 ? pixel_size_chunk(dpi) : std::string();
  for (const PngText& text : texts) more += text_chunk(text);
  bytes.insert(kEndOfHeader, more);
  return bytes;
}

}  // namespace attnscope
