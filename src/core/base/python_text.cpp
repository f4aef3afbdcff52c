#include "core/base/python_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/text.h"
#include "core/base/utf8.h"

namespace attnscope {
namespace {

constexpr std::size_t kColumns = 99;
/// The longest list that stays on one line with its name.
constexpr std::size_t kShortList = 80;

struct Range {
  std::uint32_t first, last;
};

/// Characters that are invisible or make an editor show something else than Python reads: control characters, marks of
/// width zero, line separators, marks of the writing direction, tags, code points that are no characters.
constexpr std::array<Range, 12> kUnseen = {{{0, 0x1f},
                                            {0x7f, 0x9f},
                                            {0xad, 0xad},
                                            {0x61c, 0x61c},
                                            {0x180e, 0x180e},
                                            {0x200b, 0x200f},
                                            {0x2028, 0x202e},
                                            {0x2060, 0x206f},
                                            {0xfdd0, 0xfdef},
                                            {0xfeff, 0xfeff},
                                            {0xfff0, 0xfffb},
                                            {0xe0000, 0xe0fff}}};

bool is_seen(std::uint32_t point) {
  if ((point & 0xfffeU) == 0xfffeU) return false;
  return std::none_of(kUnseen.begin(), kUnseen.end(),
                      [point](const Range& range) { return range.first <= point && point <= range.last; });
}

/// "\x0a", "\u2028", "\U000e0001"
std::string escape_text(std::uint32_t point) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::size_t digits = point <= 0xff ? 2 : point <= 0xffff ? 4 : 8;
  std::string text = digits == 2 ? "\\x" : digits == 4 ? "\\u" : "\\U";
  for (std::size_t i = digits; i-- > 0;) text += kDigits[(point >> (4 * i)) & 0xfU];
  return text;
}

/// A byte that is not UTF-8: U+DC00 plus the byte.
std::string escape_byte(std::uint32_t byte) { return escape_text(0xdc00U + byte); }

/// The position after the literal that begins with the quotes at `at`.
std::size_t literal_end(std::string_view python, std::size_t at) {
  const std::string_view three = python.substr(at, 3);
  const bool is_long = three == R"(""")" || three == "'''";
  const std::string_view quotes = python.substr(at, is_long ? 3 : 1);
  for (at += quotes.size(); at < python.size(); ++at) {
    if (python[at] == '\\') {
      ++at;
    } else if (python.substr(at).starts_with(quotes)) {
      return at + quotes.size();
    }
  }
  return python.size();
}

}  // namespace

std::string python_escaped(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::string_view bytes = text.substr(0, character.bytes);
    if (!character.valid) {
      for (const char byte : bytes) escaped += escape_byte(static_cast<unsigned char>(byte));
    } else if (!is_seen(character.point)) {
      escaped += escape_text(character.point);
    } else {
      if (character.point == '"' || character.point == '\\') escaped += '\\';
      escaped += bytes;
    }
    text.remove_prefix(character.bytes);
  }
  return escaped;
}

std::string python_text(std::string_view text) { return '"' + python_escaped(text) + '"'; }

bool needs_os(std::string_view path) { return !is_utf8(path); }

std::string python_path(std::string_view path) {
  if (!needs_os(path)) return python_text(path);
  std::string bytes = "os.fsdecode(b\"";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      bytes += escape_text(byte);
    } else {
      if (c == '"' || c == '\\') bytes += '\\';
      bytes += c;
    }
  }
  return bytes + "\")";
}

std::string python_number(double value) {
  if (std::isinf(value)) return value < 0 ? "float(\"-inf\")" : "float(\"inf\")";
  if (std::isnan(value)) return "float(\"nan\")";
  std::string text = exact_text(value);
  if (const std::size_t plus = text.find("e+"); plus != std::string::npos) {
    const std::size_t digit = text.find_first_not_of('0', plus + 2);
    text.erase(plus + 1, digit - plus - 1);
  }
  return text;
}

std::string python_list(std::span<const std::string> texts) {
  std::vector<std::string> lines = {"   "};
  std::size_t columns = lines.back().size();
  for (const std::string& text : texts) {
    const std::string item = " " + python_text(text) + ",";
    const std::size_t width = character_count(item);
    if (lines.back().size() > 3 && columns + width > kColumns) {
      lines.emplace_back("   ");
      columns = lines.back().size();
    }
    lines.back() += item;
    columns += width;
  }
  if (texts.empty()) return "[]\n";
  if (lines.size() > 1 || columns > kShortList) return "[\n" + join(lines, "\n") + "\n]\n";
  return "[" + lines.front().substr(4, lines.front().size() - 5) + "]\n";
}

std::string python_names(std::string_view python) {
  std::string names;
  for (std::size_t at = 0; at < python.size();) {
    if (python[at] == '#') {
      at = std::min(python.find('\n', at), python.size());
    } else if (python[at] == '"' || python[at] == '\'') {
      at = literal_end(python, at);
      names += "\"\"";
    } else {
      names += python[at++];
    }
  }
  return names;
}

std::string indented(std::string_view text) {
  std::string result;
  for (const std::string& line : split(text, '\n')) result += line.empty() ? "\n" : "    " + line + "\n";
  // `split` returns an empty line after the last newline.
  result.pop_back();
  return result;
}

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  std::string line;
  for (const std::string& word : split(text, ' ')) {
    if (!line.empty() && indent + character_count(line) + 1 + character_count(word) > kColumns) {
      result += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return result + std::string(indent, ' ') + line + "\n";
}

}  // namespace attnscope
