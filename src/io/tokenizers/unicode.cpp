#include "io/tokenizers/unicode.h"

#include <array>
#include <string>

#include "core/base/utf8.h"
#include "io/tokenizers/unicode_data.h"

namespace attnscope {
namespace {

bool is_between(char32_t point, char32_t first, char32_t last) { return first <= point && point <= last; }

/// Whether a text can be normalized in two parts that meet in front of `point`: it is no mark, and no letter that
/// joins the one before it.
bool begins_segment(char32_t point) {
  if (point < 0x300) return true;
  constexpr std::array<std::array<char32_t, 2>, 6> joining = {{
      {0x1100, 0x11FF},    // Hangul Jamo
      {0x3131, 0x318E},    // Hangul Compatibility Jamo
      {0xA960, 0xA97F},    // Hangul Jamo Extended-A
      {0xD7B0, 0xD7FF},    // Hangul Jamo Extended-B
      {0xFF9E, 0xFFDC},    // halfwidth voiced marks, halfwidth Jamo
      {0x16D63, 0x16D6A},  // Kirat Rai vowels
  }};
  for (const auto& [first, last] : joining) {
    if (is_between(point, first, last)) return false;
  }
  return !is_mark(point);
}

/// Appends the normal form of a segment.
void append_segment(AlignedText& to, const AlignedText& text, ByteRange segment, NormalForm form) {
  // What normalizes may stop at a zero byte, which can only be the first.
  if (text.text()[segment.from] == '\0') {
    to.append(text, {segment.from, segment.from + 1});
    ++segment.from;
  }
  const std::string_view before = segment.in(text.text());
  const std::string after = normalized(before, form);
  if (after.empty() || before == after) {
    to.append(text, segment);
  } else {
    to.append(after, text, segment);
  }
}

}  // namespace

bool is_whitespace(char32_t point) {
  return is_between(point, 0x9, 0xD) || point == 0x20 || point == 0x85 || point == 0xA0 || point == 0x1680 ||
         is_between(point, 0x2000, 0x200A) || point == 0x2028 || point == 0x2029 || point == 0x202F ||
         point == 0x205F || point == 0x3000;
}

bool is_punctuation(char32_t point) {
  if (point < 0x80) {
    return is_between(point, '!', '/') || is_between(point, ':', '@') || is_between(point, '[', '`') ||
           is_between(point, '{', '~');
  }
  return general_category(point).starts_with('P');
}

bool is_control(char32_t point) {
  if (point == '\t' || point == '\n' || point == '\r') return false;
  const std::string_view category = general_category(point);
  return category.starts_with('C') && category != "Cs";
}

bool is_han(char32_t point) {
  return is_between(point, 0x4E00, 0x9FFF) || is_between(point, 0x3400, 0x4DBF) ||
         is_between(point, 0x20000, 0x2A6DF) || is_between(point, 0x2A700, 0x2B73F) ||
         is_between(point, 0x2B740, 0x2B81F) || is_between(point, 0x2B920, 0x2CEAF) ||
         is_between(point, 0xF900, 0xFAFF) || is_between(point, 0x2F800, 0x2FA1F);
}

bool is_numeric(char32_t point) { return general_category(point).starts_with('N'); }

bool is_mark(char32_t point) { return general_category(point).starts_with('M'); }

bool is_nonspacing_mark(char32_t point) { return general_category(point) == "Mn"; }

bool is_word_character(char32_t point) {
  const std::string_view category = general_category(point);
  return category.starts_with('L') || category.starts_with('M') || category == "Nd" || category == "Nl" ||
         category == "Pc";
}

void append_lowercase(std::string& to, char32_t point) {
  constexpr char32_t kDottedI = 0x130;  // the only one with two characters
  constexpr char32_t kDot = 0x307;
  append_utf8(to, point == kDottedI ? U'i' : lowercase(point));
  if (point == kDottedI) append_utf8(to, kDot);
}

std::string lowercase_text(std::string_view text) {
  std::string lower;
  while (!text.empty()) append_lowercase(lower, take_code_point(text));
  return lower;
}

AlignedText normal_form(const AlignedText& text, NormalForm form) {
  // GLib's sorting of marks takes the square of their number. Unicode's Stream-Safe Text Format allows thirty.
  constexpr std::size_t kMaxSegment = 1000;
  AlignedText result;
  result.reserve(text.size());
  const std::string_view all = text.text();
  ByteRange segment;
  ByteRange plain;  // ASCII in front of the segment, which is normal in every form
  const auto take = [&] {
    if (plain.size() > 0) result.append(text, plain);
    if (segment.size() > 0) append_segment(result, text, segment, form);
    plain = segment = {segment.to, segment.to};
  };
  for (std::size_t at = 0; at < all.size();) {
    const Utf8Character character = first_character(all.substr(at));
    if (begins_segment(character.point) || segment.size() > kMaxSegment) {
      // An ASCII character in the segment was not followed by a mark.
      if (segment.size() == 1 || segment.size() == 0) {
        plain.to = segment.from = segment.to;
      } else {
        take();
      }
    }
    at += character.bytes;
    segment.to = at;
  }
  if (segment.size() == 1) {
    plain.to = segment.from = segment.to;
  }
  take();
  return result;
}

}  // namespace attnscope
