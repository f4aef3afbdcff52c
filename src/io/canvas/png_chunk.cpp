#include "io/canvas/png_chunk.h"

#include <zlib.h>

namespace attnscope {

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

}  // namespace attnscope
