#include "io/base/printable.h"

#include "core/base/utf8.h"

namespace attnscope {
namespace {

/// Whether a terminal obeys this character instead of showing it.
bool is_control(char32_t point) {
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

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::string_view bytes = text.substr(0, character.bytes);
    if (!character.valid || is_control(character.point)) {
      append_escaped(out, bytes);
    } else {
      out += bytes;
    }
    text.remove_prefix(character.bytes);
  }
  return out;
}

std::string path_text(const std::filesystem::path& path) {
  const std::string& name = path.native();
  std::string shown = printable(name);
  if (!name.empty() && shown == name && name.find_first_of(" \"'\\") == std::string::npos) return shown;
  return "\"" + shown + "\"";
}

}  // namespace attnscope
