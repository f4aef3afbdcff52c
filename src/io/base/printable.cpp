#include "io/base/printable.h"

#include <algorithm>
#include <cstdint>

namespace attnscope {
namespace {

constexpr std::uint32_t kNoCharacter = 0xffffffffU;

/// The code point of the `length` bytes that `text` begins with; kNoCharacter where they are malformed.
std::uint32_t decode(std::string_view text, std::size_t length) {
  constexpr std::uint32_t lead_bits[] = {0x7f, 0x1f, 0x0f, 0x07};
  constexpr std::uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
  if (length == 0 || length > text.size()) return kNoCharacter;
  std::uint32_t point = static_cast<unsigned char>(text[0]) & lead_bits[length - 1];
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0U) != 0x80U) return kNoCharacter;
    point = (point << 6U) | (byte & 0x3fU);
  }
  const bool valid = point >= smallest[length - 1] && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  return valid ? point : kNoCharacter;
}

std::size_t announced_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if ((lead & 0xe0U) == 0xc0U) return 2;
  if ((lead & 0xf0U) == 0xe0U) return 3;
  return (lead & 0xf8U) == 0xf0U ? 4 : 0;
}

/// Whether a terminal would do something else with this character than show it.
bool is_control(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || (point >= 0x200e && point <= 0x200f) ||
         (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

void append_escaped(std::string& out, std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += {'\\', 'x', digits[byte >> 4U], digits[byte & 0xfU]};
  }
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const std::size_t length = announced_length(static_cast<unsigned char>(text[0]));
  return decode(text, length) == kNoCharacter ? 0 : length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || is_control(decode(text, length))) {
      append_escaped(out, character);
    } else {
      out += character;
    }
    text.remove_prefix(character.size());
  }
  return out;
}

std::string path_text(const std::filesystem::path& path) {
  const std::string& name = path.native();
  std::string shown = printable(name);
  if (!name.empty() && shown == name && name.find_first_of(" \"'\\") == std::string::npos) return shown;
  return "\"" + shown + "\"";
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

}  // namespace attnscope
