// UTF-8: reading it character by character, checking, counting, cutting and writing it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attnscope {

/// Stands for bytes that are not UTF-8.
inline constexpr char32_t kReplacementCharacter = 0xFFFD;

/// The beginning of a text.
struct Utf8Character {
  char32_t point = kReplacementCharacter;
  std::size_t bytes = 1;  ///< where it is not UTF-8, those that belong together: the maximal subpart (Unicode 3.9)
  bool valid = false;
};

/// The character at the beginning of `text`, which must not be empty. Overlong forms, surrogates and numbers beyond
/// U+10FFFF are not UTF-8.
Utf8Character first_character(std::string_view text);

/// Removes the first character from `text`, which must not be empty, and returns its code point.
char32_t take_code_point(std::string_view& text);

bool is_utf8(std::string_view text);

/// Whether a character may begin with this byte. In UTF-8 all other bytes continue one.
inline bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

/// The number of characters in UTF-8 text.
std::size_t character_count(std::string_view text);

/// The whole characters among the first `max_bytes` of `text`; exactly so many bytes where the text is not UTF-8 there.
std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes);

/// Appends a character; U+FFFD for a number that is not one.
void append_utf8(std::string& text, char32_t point);

}  // namespace attnscope
