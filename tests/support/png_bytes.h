// PNG files made without the library that reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attnscope::test {

inline void append_number(std::string& bytes, std::uint32_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(number >> shift);
}

/// PNG specification, annex D.
inline std::uint32_t png_checksum(std::string_view bytes) {
  std::uint32_t sum = 0xffffffffU;
  for (const char byte : bytes) {
    sum ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 1U) != 0 ? 0xedb88320U ^ (sum >> 1U) : sum >> 1U;
  }
  return ~sum;
}

inline std::string png_chunk(std::string_view name, std::string_view content) {
  std::string chunk;
  append_number(chunk, static_cast<std::uint32_t>(content.size()));
  const std::string checked = std::string(name) + std::string(content);
  chunk += checked;
  append_number(chunk, png_checksum(checked));
  return chunk;
}

/// Signature and header of a PNG file. Kinds: 0 grey, 2 RGB, 3 palette, 4 grey and opacity, 6 RGB and opacity.
inline std::string png_header(std::uint32_t width, std::uint32_t height, int bits, int kind) {
  std::string header;
  append_number(header, width);
  append_number(header, height);
  for (const int byte : {bits, kind, 0, 0, 0}) header += static_cast<char>(byte);
  return "\x89PNG\r\n\x1A\n" + png_chunk("IHDR", header);
}

/// The pixels, uncompressed; at most 65,535 bytes with one more for each row.
inline std::string png_data(std::string_view pixels, std::uint32_t height) {
  const std::size_t row = pixels.size() / height;
  std::string raw;
  for (std::size_t at = 0; at < pixels.size(); at += row)
    raw += std::string(1, '\0') + std::string(pixels.substr(at, row));
  const auto size = static_cast<std::uint16_t>(raw.size());
  const auto rest = static_cast<std::uint16_t>(~size);
  std::string stream = "\x78\x01\x01";
  for (const std::uint16_t number : {size, rest}) {
    stream += static_cast<char>(number & 255U);
    stream += static_cast<char>(number >> 8U);
  }
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char byte : raw) {
    a = (a + static_cast<std::uint8_t>(byte)) % 65521U;
    b = (b + a) % 65521U;
  }
  stream += raw;
  append_number(stream, b << 16U | a);
  return png_chunk("IDAT", stream);
}

/// A whole file.
inline std::string png_bytes_of(std::uint32_t width, std::uint32_t height, std::string_view pixels, int bits = 8,
                                int kind = 2) {
  return png_header(width, height, bits, kind) + png_data(pixels, height) + png_chunk("IEND", "");
}

}  // namespace attnscope::test
