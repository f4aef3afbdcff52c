#include "io/figures/figure_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <utility>

#include "core/base/utf8.h"
#include "figure/style/font_metrics.h"
#include "io/base/file.h"
#include "io/base/packing.h"
#include "io/canvas/png_chunk.h"

namespace attnscope {
namespace {

// How many places in a file are tried where a text may begin; in our files the first one is right.
constexpr int kMaxPlaces = 8;

/// A zero, which no text of ours has, is no character either.
void append_character(std::string& text, char32_t code) { append_utf8(text, code == 0 ? kReplacementCharacter : code); }

// PNG.

/// The text in the content of an iTXt chunk (PNG specification, 11.3.3.4): keyword, 0, whether it is compressed, how,
/// language, 0, translated keyword, 0, text.
std::optional<std::string> international_text(std::string_view content, ParseBudget& budget) {
  const std::string_view mark("attnscope\0", 10);
  if (!content.starts_with(mark) || content.size() < mark.size() + 2) return std::nullopt;
  const bool is_packed = content[mark.size()] == 1;
  content.remove_prefix(mark.size() + 2);
  for (int i = 0; i < 2; ++i) {
    const std::size_t end = content.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    content.remove_prefix(end + 1);
  }
  if (is_packed) return unpacked(content, budget);
  return budget.charge(content.size()) ? std::optional(std::string(content)) : std::nullopt;
}

// SVG.

/// The character of an entity without its '&' and ';'.
std::optional<std::uint32_t> entity(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, char>, 5> names = {
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
  for (const auto& [known, c] : names) {
    if (name == known) return static_cast<std::uint32_t>(c);
  }
  if (!name.starts_with('#')) return std::nullopt;
  const bool hexadecimal = name.starts_with("#x");
  name.remove_prefix(hexadecimal ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, hexadecimal ? 16 : 10);
  if (name.empty() || error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return code;
}

std::string without_entities(std::string_view xml) {
  constexpr std::size_t longest = 12;
  std::string text;
  text.reserve(xml.size());
  while (!xml.empty()) {
    const std::size_t end = xml.front() == '&' ? xml.substr(0, longest).find(';') : std::string_view::npos;
    const auto code = end == std::string_view::npos ? std::nullopt : entity(xml.substr(1, end - 1));
    if (code) {
      append_character(text, *code);
      xml.remove_prefix(end + 1);
    } else {
      text += xml.front();
      xml.remove_prefix(1);
    }
  }
  return text;
}

// PDF (ISO 32000-1, 7.3.4).

/// The end of the string in brackets whose opening bracket precedes `pdf`; npos if it has none.
std::size_t literal_end(std::string_view pdf) {
  int depth = 1;
  for (std::size_t i = 0; i < pdf.size(); ++i) {
    if (pdf[i] == ')' && --depth == 0) return i;
    if (pdf[i] == '(') ++depth;
    if (pdf[i] == '\\') ++i;
  }
  return std::string_view::npos;
}

/// The text between the brackets of a string.
std::string literal_string(std::string_view pdf) {
  std::string text;
  text.reserve(pdf.size());
  for (std::size_t i = 0; i < pdf.size(); ++i) {
    char c = pdf[i];
    if (c == '\\' && ++i < pdf.size()) {
      c = pdf[i];
      constexpr std::string_view letters = "nrtbf";
      constexpr std::string_view meanings = "\n\r\t\b\f";
      if (const std::size_t letter = letters.find(c); letter != std::string_view::npos) c = meanings[letter];
      if (c >= '0' && c <= '7') {
        unsigned code = 0;
        for (int digits = 0; digits < 3 && i < pdf.size() && pdf[i] >= '0' && pdf[i] <= '7'; ++digits, ++i)
          code = code * 8 + static_cast<unsigned>(pdf[i] - '0');
        --i;
        c = static_cast<char>(code);
      }
      if (pdf[i] == '\n') continue;  // a continued line
    }
    text += c;
  }
  return text;
}

/// The bytes of hexadecimal digits; nothing if there is anything but digits and blanks.
std::optional<std::string> hexadecimal_string(std::string_view digits) {
  std::string text;
  text.reserve(digits.size() / 2 + 1);
  int half = -1;
  for (const char c : digits) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0 && c != ' ' && c != '\n' && c != '\r' && c != '\t') return std::nullopt;
    if (digit < 0) continue;
    if (half >= 0) text += static_cast<char>(half << 4 | digit);
    half = half >= 0 ? -1 : digit;
  }
  if (half >= 0) text += static_cast<char>(half << 4);
  return text;
}

/// Text strings are UTF-16 if they begin with its byte-order mark. `bytes` are charged, and so is the result.
std::optional<std::string> from_utf16(std::string bytes, ParseBudget& budget) {
  if (!bytes.starts_with("\xFE\xFF")) return bytes;
  const std::size_t most = bytes.size() / 2 * 3;
  if (!budget.charge(most)) return std::nullopt;
  std::string text;
  text.reserve(most);
  const auto unit = [&](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at])) << 8U |
           static_cast<unsigned char>(bytes[at + 1]);
  };
  for (std::size_t i = 2; i + 1 < bytes.size(); i += 2) {
    std::uint32_t code = unit(i);
    if (code >= 0xD800 && code < 0xDC00 && i + 3 < bytes.size()) {
      code = 0x10000 + ((code - 0xD800) << 10U) + (unit(i + 2) - 0xDC00);
      i += 2;
    }
    append_character(text, code);
  }
  return text;
}

/// The keywords in the document information, if they are JSON. Reads the text once.
std::optional<std::string> keywords(std::string_view pdf, ParseBudget& budget) {
  constexpr std::string_view key = "/Keywords";
  for (int place = 0; place < kMaxPlaces; ++place) {
    const std::size_t at = pdf.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    pdf.remove_prefix(at + key.size());
    pdf.remove_prefix(std::min(pdf.find_first_not_of(" \t\r\n"), pdf.size()));
    if (pdf.empty()) return std::nullopt;
    const char begin = pdf.front();
    if (begin != '(' && begin != '<') continue;
    pdf.remove_prefix(1);
    const std::size_t end = begin == '(' ? literal_end(pdf) : pdf.find('>');
    if (end == std::string_view::npos) return std::nullopt;
    if (!budget.charge(end)) return std::nullopt;
    std::optional<std::string> bytes =
        begin == '(' ? literal_string(pdf.substr(0, end)) : hexadecimal_string(pdf.substr(0, end));
    pdf.remove_prefix(end);
    if (!bytes) continue;
    std::optional<std::string> text = from_utf16(std::move(*bytes), budget);
    if (!text || text->starts_with('{')) return text;
  }
  return std::nullopt;
}

/// `bytes` after the end of a line that begins a stream (ISO 32000, 7.3.8.1).
std::string_view behind_line_end(std::string_view bytes) {
  if (bytes.starts_with("\r\n")) return bytes.substr(2);
  return bytes.starts_with('\n') || bytes.starts_with('\r') ? bytes.substr(1) : bytes;
}

/// `bytes` after blanks and a byte-order mark.
std::string_view without_blanks(std::string_view bytes) {
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return begin == std::string_view::npos ? std::string_view() : bytes.substr(begin);
}

}  // namespace

bool is_png(std::string_view bytes) { return bytes.starts_with(kPngSignature); }

bool is_svg(std::string_view bytes) {
  constexpr std::size_t beginning = 4096;
  const std::string_view start = without_blanks(bytes.substr(0, beginning));
  return start.starts_with('<') && start.find("<svg") != std::string_view::npos && stand_in(bytes).empty();
}

bool is_pdf(std::string_view bytes) { return bytes.starts_with("%PDF-"); }

std::optional<std::string> png_figure_text(std::string_view bytes, ParseBudget& budget) {
  bytes.remove_prefix(std::min(bytes.size(), kPngSignature.size()));
  while (const std::optional<PngChunk> chunk = take_png_chunk(bytes)) {
    const std::size_t checked = chunk->whole.size() - 8;  // everything except length and checksum
    if (chunk->name != "iTXt") continue;
    if (chunk_checksum(chunk->whole.substr(4, checked)) != big_endian(chunk->whole.substr(4 + checked))) continue;
    if (auto text = international_text(chunk->content, budget)) return text;
    if (budget.exceeded()) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string> svg_figure_text(std::string_view bytes, ParseBudget& budget) {
  constexpr std::string_view begin = "<metadata";
  for (int place = 0; place < kMaxPlaces; ++place) {
    const std::size_t at = bytes.find(begin);
    if (at == std::string_view::npos) return std::nullopt;
    bytes.remove_prefix(at + begin.size());
    const std::size_t tag_end = bytes.find('>');
    if (tag_end == std::string_view::npos) return std::nullopt;
    const std::string_view attributes = bytes.substr(0, tag_end);
    bytes.remove_prefix(tag_end + 1);
    if (attributes.find("\"attnscope\"") == std::string_view::npos) continue;
    const std::size_t end = bytes.find("</metadata>");
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view content = bytes.substr(0, end);
    if (!budget.charge(content.size())) return std::nullopt;
    constexpr std::string_view plain = "<![CDATA[";
    const std::size_t plain_at = content.find(plain);
    if (plain_at == std::string_view::npos) return without_entities(content);
    const std::string_view inside = content.substr(plain_at + plain.size());
    return std::string(inside.substr(0, inside.find("]]>")));
  }
  return std::nullopt;
}

std::optional<std::string> pdf_figure_text(std::string_view bytes, ParseBudget& budget) {
  if (auto text = keywords(bytes, budget); text || budget.exceeded()) return text;
  // Newer writers compress the document information together with other objects.
  constexpr std::string_view mark = "/ObjStm";
  constexpr std::string_view begin = "stream";
  constexpr std::size_t longest_dictionary = 1024;
  constexpr std::uint64_t each_attempt = 16384;  // what zlib needs to start
  std::size_t stream = 0;
  for (std::size_t at = bytes.find(mark); at != std::string_view::npos; at = bytes.find(mark, at)) {
    at += mark.size();
    if (stream < at) stream = bytes.find(begin, at);
    if (stream == std::string_view::npos) return std::nullopt;
    if (stream - at > longest_dictionary) continue;
    at = stream + begin.size();
    if (!budget.charge(each_attempt)) return std::nullopt;
    std::size_t used = 0;
    const auto objects = unpacked(behind_line_end(bytes.substr(at)), budget, &used);
    if (budget.exceeded()) return std::nullopt;
    if (!objects) continue;
    at += used;
    if (auto text = keywords(*objects, budget); text || budget.exceeded()) return text;
  }
  return std::nullopt;
}

}  // namespace attnscope
