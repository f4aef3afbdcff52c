// PNG files whose checksums are right: a changed byte would end the reading at once otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/canvas/png_chunk.h"

namespace attnscope::fuzz {

/// The file with the right checksum behind each chunk, up to where it is cut off; other files as they are.
inline std::string with_right_checksums(std::string bytes) {
  constexpr std::size_t signature = 8;
  if (!std::string_view(bytes).starts_with(kPngSignature)) return bytes;
  std::string_view rest = std::string_view(bytes).substr(signature);
  while (const std::optional<PngChunk> chunk = take_png_chunk(rest)) {
    const std::size_t checked = chunk->whole.size() - 8;
    const auto at = static_cast<std::size_t>(chunk->whole.data() - bytes.data());
    const std::uint32_t sum = chunk_checksum(chunk->whole.substr(4, checked));
    for (unsigned i = 0; i < 4; ++i) bytes[at + 4 + checked + i] = static_cast<char>(sum >> (24U - 8U * i));
  }
  return bytes;
}

}  // namespace attnscope::fuzz
