#include "io/tokenizers/unicode.h"

#include <glib.h>

#include <algorithm>
#include <memory>

#include "core/base/utf8.h"

namespace attnscope {
namespace {

GUnicodeType category(char32_t point) { return g_unichar_type(static_cast<gunichar>(point)); }

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

GNormalizeMode mode_of(NormalForm form) {
  switch (form) {
    case NormalForm::nfc: return G_NORMALIZE_NFC;
    case NormalForm::nfd: return G_NORMALIZE_NFD;
    case NormalForm::nfkc: return G_NORMALIZE_NFKC;
    default: return G_NORMALIZE_NFKD;
  }
}

/// Appends the normal form of a segment.
void append_segment(AlignedText& to, const AlignedText& text, ByteRange segment, GNormalizeMode mode) {
  // GLib stops at a zero byte, which can only be the first.
  if (text.text()[segment.from] == '\0') {
    to.append(text, {segment.from, segment.from + 1});
    ++segment.from;
  }
  const std::string_view before = segment.in(text.text());
  const std::unique_ptr<char, decltype(&g_free)> after(
      g_utf8_normalize(before.data(), static_cast<gssize>(before.size()), mode), &g_free);
  if (after == nullptr || before == after.get()) {
    to.append(text, segment);
  } else {
    to.append(after.get(), text, segment);
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
  return g_unichar_ispunct(static_cast<gunichar>(point)) != 0 && category(point) != G_UNICODE_MATH_SYMBOL &&
         category(point) != G_UNICODE_CURRENCY_SYMBOL && category(point) != G_UNICODE_MODIFIER_SYMBOL &&
         category(point) != G_UNICODE_OTHER_SYMBOL;
}

bool is_control(char32_t point) {
  if (point == '\t' || point == '\n' || point == '\r') return false;
  const GUnicodeType type = category(point);
  return type == G_UNICODE_CONTROL || type == G_UNICODE_FORMAT || type == G_UNICODE_PRIVATE_USE ||
         type == G_UNICODE_UNASSIGNED;
}

bool is_han(char32_t point) {
  return is_between(point, 0x4E00, 0x9FFF) || is_between(point, 0x3400, 0x4DBF) ||
         is_between(point, 0x20000, 0x2A6DF) || is_between(point, 0x2A700, 0x2B73F) ||
         is_between(point, 0x2B740, 0x2B81F) || is_between(point, 0x2B920, 0x2CEAF) ||
         is_between(point, 0xF900, 0xFAFF) || is_between(point, 0x2F800, 0x2FA1F);
}

bool is_numeric(char32_t point) {
  const GUnicodeType type = category(point);
  return type == G_UNICODE_DECIMAL_NUMBER || type == G_UNICODE_LETTER_NUMBER || type == G_UNICODE_OTHER_NUMBER;
}

bool is_mark(char32_t point) { return g_unichar_ismark(static_cast<gunichar>(point)) != 0; }

bool is_nonspacing_mark(char32_t point) { return category(point) == G_UNICODE_NON_SPACING_MARK; }

bool is_word_character(char32_t point) {
  return g_unichar_isalpha(static_cast<gunichar>(point)) != 0 || is_mark(point) ||
         category(point) == G_UNICODE_DECIMAL_NUMBER || category(point) == G_UNICODE_LETTER_NUMBER ||
         category(point) == G_UNICODE_CONNECT_PUNCTUATION;
}

void append_lowercase(std::string& to, char32_t point) {
  constexpr char32_t kDottedI = 0x130;  // the only one with two characters
  constexpr char32_t kDot = 0x307;
  append_utf8(to, point == kDottedI ? U'i' : g_unichar_tolower(static_cast<gunichar>(point)));
  if (point == kDottedI) append_utf8(to, kDot);
}

AlignedText normal_form(const AlignedText& text, NormalForm form) {
  // GLib's sorting of marks takes the square of their number. Unicode's Stream-Safe Text Format allows thirty.
  constexpr std::size_t kMaxSegment = 1000;
  AlignedText result;
  result.reserve(text.size());
  const GNormalizeMode mode = mode_of(form);
  const std::string_view all = text.text();
  ByteRange segment;
  ByteRange plain;  // ASCII in front of the segment, which is normal in every form
  const auto take = [&] {
    if (plain.size() > 0) result.append(text, plain);
    if (segment.size() > 0) append_segment(result, text, segment, mode);
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
