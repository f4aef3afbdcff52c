#include "io/png.h"

#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <new>

namespace attnscope {
namespace {

// Eight bytes of signature, then IHDR: length, name, 13 bytes, checksum. Everything else comes after those.
constexpr std::size_t kEndOfHeader = 8 + 4 + 4 + 13 + 4;
constexpr double kMetresPerInch = 0.0254;

void append_big_endian(std::string& bytes, std::uint32_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(number >> shift);
}

/// The chunk that says how many pixels a metre has, in both directions (PNG specification, 11.3.4.3).
std::string pixel_size_chunk(int dpi) {
  const auto per_metre = static_cast<std::uint32_t>(std::lround(dpi / kMetresPerInch));
  std::string content = "pHYs";
  append_big_endian(content, per_metre);
  append_big_endian(content, per_metre);
  content += '\1';  // the unit is the metre
  std::string chunk;
  append_big_endian(chunk, static_cast<std::uint32_t>(content.size() - 4));
  chunk += content;
  const auto checksum = crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
  append_big_endian(chunk, static_cast<std::uint32_t>(checksum));
  return chunk;
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

Result<std::string> png_bytes(cairo_surface_t* image, int dpi) {
  std::string bytes;
  const cairo_status_t status = cairo_surface_write_to_png_stream(image, append_bytes, &bytes);
  if (status != CAIRO_STATUS_SUCCESS) return fail(cairo_status_to_string(status));
  if (dpi > 0) bytes.insert(kEndOfHeader, pixel_size_chunk(dpi));
  return bytes;
}

}  // namespace attnscope
