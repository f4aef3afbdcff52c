#include "core/base/utf8.h"

#include <algorithm>
#include <cassert>

namespace attnscope {
namespace {

/// What the first byte of a sequence promises. The bounds of the second byte rule out overlong forms, surrogates and
/// code points beyond U+10FFFF (Unicode, table 3-7).
struct Lead {
  std::size_t length;  ///< 0: no character of several bytes begins with it
  unsigned char second_low;
  unsigned char second_high;
  char32_t bits;
};

Lead read_lead(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF, byte & 0x1FU};
  if (byte == 0xE0) return {3, 0xA0, 0xBF, 0};
  if (byte == 0xED) return {3, 0x80, 0x9F, 0xD};
  if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF, byte & 0x0FU};
  if (byte == 0xF0) return {4, 0x90, 0xBF, 0};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF, byte & 0x07U};
  if (byte == 0xF4) return {4, 0x80, 0x8F, 4};
  return {0, 0, 0, 0};
}

}  // namespace

Utf8Character first_character(std::string_view text) {
  assert(!text.empty());
  const auto byte_at = [&text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte_at(0);
  if (first < 0x80) return {first, 1, true};
  const Lead lead = read_lead(first);
  if (lead.length == 0) return {};
  char32_t point = lead.bits;
  for (std::size_t at = 1; at < lead.length; ++at) {
    const unsigned char low = at == 1 ? lead.second_low : 0x80;
    const unsigned char high = at == 1 ? lead.second_high : 0xBF;
    if (at >= text.size() || byte_at(at) < low || byte_at(at) > high) return {kReplacementCharacter, at, false};
    point = (point << 6U) | (byte_at(at) & 0x3FU);
  }
  return {point, lead.length, true};
}

char32_t take_code_point(std::string_view& text) {
  const Utf8Character character = first_character(text);
  text.remove_prefix(character.bytes);
  return character.point;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    if (!character.valid) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  // A character has at most three bytes after its first.
  constexpr std::size_t kMaxContinuing = 3;
  for (std::size_t back = 0; back <= std::min(kMaxContinuing, max_bytes); ++back) {
    if (begins_character(text[max_bytes - back])) return text.substr(0, max_bytes - back);
  }
  return text.substr(0, max_bytes);
}

void append_utf8(std::string& text, char32_t point) {
  if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) point = kReplacementCharacter;
  if (point < 0x80) {
    text += static_cast<char>(point);
    return;
  }
  const unsigned more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  const char32_t start = 0xF00U >> (more + 1) & 0xF0U;  // as many ones as there are bytes
  text += static_cast<char>(start | point >> 6U * more);
  for (unsigned left = more; left-- > 0;) text += static_cast<char>(0x80U | (point >> 6U * left & 0x3FU));
}

}  // namespace attnscope
