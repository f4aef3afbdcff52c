// The chunks of PNG files, for finding a text without decoding the pixels. Private to io/, and to what tests it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace attnscope {

inline constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1A\n";

/// A chunk of a PNG file: its name, its content, and all of it from its length to its checksum.
struct PngChunk {
  std::string_view name;
  std::string_view content;
  std::string_view whole;
};

/// Takes the chunk at the beginning of `bytes`, which follow the signature or another chunk; nothing where they end
/// before it does.
std::optional<PngChunk> take_png_chunk(std::string_view& bytes);

/// The first four bytes as a number, the most significant first.
std::uint32_t big_endian(std::string_view bytes);

/// The checksum of a chunk's name and content.
std::uint32_t chunk_checksum(std::string_view bytes);

}  // namespace attnscope
