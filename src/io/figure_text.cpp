#include "io/figure_text.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "figure/font_metrics.h"
#include "io/png.h"

namespace attnscope {
namespace {

// So many places of a file are tried where a text may begin: of ours the first one is right.
constexpr int kMostPlaces = 8;

void append_utf8(std::string& text, std::uint32_t code) {
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  if (code < 0x80) {
    text += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::array<std::uint32_t, 4> starts = {0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(starts[static_cast<std::size_t>(more)] | code >> 6U * static_cast<unsigned>(more));
  for (int i = more - 1; i >= 0; --i)
    text += static_cast<char>(0x80U | (code >> 6U * static_cast<unsigned>(i) & 0x3FU));
}

// PNG.

/// The text of an iTXt chunk's content (PNG specification, 11.3.3.4): keyword, 0, whether it is packed, how, language,
/// 0, translated keyword, 0, text.
std::optional<std::string> international_text(std::string_view content) {
  const std::string_view mark("attnscope\0", 10);
  if (!content.starts_with(mark) || content.size() < mark.size() + 2) return std::nullopt;
  const bool is_packed = content[mark.size()] == 1;
  content.remove_prefix(mark.size() + 2);
  for (int i = 0; i < 2; ++i) {
    const std::size_t end = content.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    content.remove_prefix(end + 1);
  }
  return is_packed ? unpacked(content, kMostFigureText) : std::optional(std::string(content));
}

// SVG.

/// The character that an entity without its '&' and ';' stands for.
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
  while (!xml.empty()) {
    const std::size_t end = xml.front() == '&' ? xml.substr(0, longest).find(';') : std::string_view::npos;
    const auto code = end == std::string_view::npos ? std::nullopt : entity(xml.substr(1, end - 1));
    if (code) {
      append_utf8(text, *code);
      xml.remove_prefix(end + 1);
    } else {
      text += xml.front();
      xml.remove_prefix(1);
    }
  }
  return text;
}

// PDF (ISO 32000-1, 7.3.4).

/// A string in brackets, from behind the first one on.
std::optional<std::string> literal_string(std::string_view pdf) {
  std::string text;
  int depth = 1;
  for (std::size_t i = 0; i < pdf.size(); ++i) {
    char c = pdf[i];
    if (c == ')' && --depth == 0) return text;
    if (c == '(') ++depth;
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
      if (pdf[i] == '\n') continue;  // a line that goes on
    }
    text += c;
  }
  return std::nullopt;
}

/// A string of hexadecimal digits, from behind the '<' on.
std::optional<std::string> hexadecimal_string(std::string_view pdf) {
  std::string text;
  int half = -1;
  for (const char c : pdf) {
    if (c == '>') {
      if (half >= 0) text += static_cast<char>(half << 4);
      return text;
    }
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0 && c != ' ' && c != '\n' && c != '\r' && c != '\t') return std::nullopt;
    if (digit < 0) continue;
    if (half >= 0) text += static_cast<char>(half << 4 | digit);
    half = half >= 0 ? -1 : digit;
  }
  return std::nullopt;
}

/// Text strings are UTF-16 where they begin with its byte-order mark.
std::string from_utf16(std::string_view bytes) {
  if (!bytes.starts_with("\xFE\xFF")) return std::string(bytes);
  std::string text;
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
    append_utf8(text, code);
  }
  return text;
}

/// The keywords of the document information, if they are JSON.
std::optional<std::string> keywords(std::string_view pdf) {
  constexpr std::string_view key = "/Keywords";
  for (int place = 0; place < kMostPlaces; ++place) {
    const std::size_t at = pdf.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    pdf.remove_prefix(at + key.size());
    const std::size_t begin = pdf.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return std::nullopt;
    const std::string_view value = pdf.substr(begin + 1);
    const std::optional<std::string> bytes = pdf[begin] == '('   ? literal_string(value)
                                             : pdf[begin] == '<' ? hexadecimal_string(value)
                                                                 : std::nullopt;
    if (!bytes) continue;
    if (std::string text = from_utf16(*bytes); text.starts_with('{')) return text;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> unpacked(std::string_view bytes, std::size_t most, std::size_t* used) {
  z_stream stream = {};
  if (inflateInit(&stream) != Z_OK) return std::nullopt;
  std::string text;
  std::array<char, 16384> piece = {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(bytes.size(), UINT32_MAX));
  int state = Z_OK;
  while (state == Z_OK && text.size() <= most) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - stream.avail_out);
  }
  if (used != nullptr) *used = stream.total_in;
  inflateEnd(&stream);
  if (state != Z_STREAM_END || text.size() > most) return std::nullopt;
  return text;
}

std::string packed(std::string_view text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string bytes(size, '\0');
  compress2(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
            static_cast<uLong>(text.size()), Z_BEST_COMPRESSION);
  bytes.resize(size);
  return bytes;
}

std::optional<std::string> png_figure_text(std::string_view bytes) {
  constexpr std::size_t around = 12;  // length, name, checksum
  bytes.remove_prefix(std::min(bytes.size(), kPngSignature.size()));
  while (bytes.size() >= around) {
    const std::size_t length = big_endian(bytes);
    if (length > bytes.size() - around) return std::nullopt;
    const std::string_view checked = bytes.substr(4, 4 + length);
    if (checked.starts_with("iTXt") && chunk_checksum(checked) == big_endian(bytes.substr(8 + length))) {
      if (auto text = international_text(checked.substr(4))) return text;
    }
    bytes.remove_prefix(length + around);
  }
  return std::nullopt;
}

std::optional<std::string> svg_figure_text(std::string_view bytes) {
  constexpr std::string_view begin = "<metadata";
  for (int place = 0; place < kMostPlaces; ++place) {
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
    constexpr std::string_view plain = "<![CDATA[";
    const std::size_t plain_at = content.find(plain);
    if (plain_at == std::string_view::npos) return without_entities(content);
    const std::string_view inside = content.substr(plain_at + plain.size());
    return std::string(inside.substr(0, inside.find("]]>")));
  }
  return std::nullopt;
}

std::optional<std::string> pdf_figure_text(std::string_view bytes) {
  if (auto text = keywords(bytes)) return text;
  // Newer writers pack the document information together with other objects.
  std::size_t budget = 2 * kMostFigureText;
  constexpr std::string_view mark = "/ObjStm";
  constexpr std::size_t longest_dictionary = 1024;
  while (budget > 0) {
    const std::size_t at = bytes.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    bytes.remove_prefix(at + mark.size());
    constexpr std::string_view begin = "stream";
    const std::size_t stream = bytes.substr(0, longest_dictionary).find(begin);
    if (stream == std::string_view::npos) continue;
    std::string_view content = bytes.substr(stream + begin.size());
    content.remove_prefix(std::min(content.find_first_not_of("\r\n"), content.size()));
    std::size_t used = 0;
    const auto objects = unpacked(content, std::min(budget, kMostFigureText), &used);
    // What is damaged counts as if all of it had been unpacked.
    const std::size_t work = used + (objects ? objects->size() : kMostFigureText / 16) + 1;
    budget -= std::min(budget, work);
    if (!objects) continue;
    if (auto text = keywords(*objects)) return text;
  }
  return std::nullopt;
}

}  // namespace attnscope
