// GPT-2's alphabet: a printable character for each of the 256 bytes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

/// The character of each byte, in UTF-8: "Ġ" for a space.
const std::array<std::string, 256>& byte_level_characters();

/// The bytes that a piece of these characters stands for. Other characters stand for themselves.
std::string bytes_of_byte_level(std::string_view piece);

/// The byte of a piece like "<0xE2>", which stands for a byte in vocabularies with byte fallback.
std::optional<char> byte_of_fallback_piece(std::string_view piece);
/// "<0xE2>"
std::string fallback_piece(char byte);

}  // namespace attnscope
