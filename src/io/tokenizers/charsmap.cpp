#include "io/tokenizers/charsmap.h"

#include <optional>
#include <string>
#include <string_view>

#include "core/base/utf8.h"
#include "io/base/byte_source.h"

namespace attnscope {
namespace {

// A unit of the double array (Darts-clone).
bool has_leaf(std::uint32_t unit) { return (unit >> 8U & 1U) != 0; }
std::uint32_t value(std::uint32_t unit) { return unit & 0x7FFFFFFFU; }
std::uint32_t label(std::uint32_t unit) { return unit & 0x800000FFU; }
std::uint32_t offset(std::uint32_t unit) { return unit >> 10U << ((unit & 0x200U) >> 6U); }

// A character with its combining marks, as people see one.
constexpr const char* kGrapheme = "\\X";

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/// The bytes that `text` stands for; nothing if it is not base64, whose length is a multiple of 4 with at most two "="
/// at its end.
std::optional<std::string> base64_bytes(std::string_view text) {
  constexpr std::size_t kGroup = 4;
  if (text.size() % kGroup != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / kGroup * 3);
  if (text.ends_with('=')) text.remove_suffix(text.ends_with("==") ? 2 : 1);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const int digit = base64_digit(c);
    if (digit < 0) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFFU);
  }
  return bytes;
}

}  // namespace

Result<Charsmap> Charsmap::parse(std::string_view bytes) {
  constexpr std::size_t kUnit = sizeof(std::uint32_t);
  Result<RegularExpression> grapheme = RegularExpression::compile(kGrapheme);
  if (!grapheme) return tl::unexpected(grapheme.error());
  if (bytes.empty()) return Charsmap({}, {}, std::move(*grapheme));
  const std::uint64_t trie_bytes = bytes.size() < kUnit ? 0 : little_endian(bytes, 0, kUnit);
  if (trie_bytes == 0 || trie_bytes % kUnit != 0 || trie_bytes > bytes.size() - kUnit)
    return fail("precompiled_charsmap: a trie of " + std::to_string(trie_bytes) + " bytes does not fit in " +
                std::to_string(bytes.size()) + " bytes");
  std::vector<std::uint32_t> units;
  units.reserve(trie_bytes / kUnit);
  for (std::size_t at = kUnit; at < kUnit + trie_bytes; at += kUnit)
    units.push_back(static_cast<std::uint32_t>(little_endian(bytes, at, kUnit)));
  std::string replacements(bytes.substr(kUnit + trie_bytes));
  if (!is_utf8(replacements)) return fail("precompiled_charsmap: a replacement is not UTF-8");
  return Charsmap(std::move(units), std::move(replacements), std::move(*grapheme));
}

Result<Charsmap> Charsmap::parse_base64(std::string_view text) {
  const std::optional<std::string> bytes = base64_bytes(text);
  return bytes ? parse(*bytes) : fail("precompiled_charsmap: is not base64");
}

/// What `text` becomes: the replacement of the shortest sequence that it begins with, as in the Hugging Face library.
std::optional<std::string_view> Charsmap::replacement(std::string_view text) const {
  if (units_.empty()) return std::nullopt;
  std::size_t node = offset(units_[0]);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    node ^= byte;
    if (byte == 0 || node >= units_.size() || label(units_[node]) != byte) return std::nullopt;
    const std::uint32_t unit = units_[node];
    node ^= offset(unit);
    if (!has_leaf(unit)) continue;
    if (node >= units_.size()) return std::nullopt;
    const std::size_t at = value(units_[node]);
    // One that begins inside of a character would not be UTF-8.
    if (at >= replacements_.size() || !begins_character(replacements_[at])) return std::nullopt;
    const std::string_view rest = std::string_view(replacements_).substr(at);
    return rest.substr(0, rest.find('\0'));
  }
  return std::nullopt;
}

bool Charsmap::is_closed() const {
  constexpr std::size_t kByteValues = 256;
  if (units_.empty()) return true;
  if (replacements_.empty() || replacements_.back() != '\0') return false;
  std::vector<bool> seen(units_.size());
  std::vector<std::size_t> open = {0};
  seen[0] = true;
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    const std::size_t children = node ^ offset(units_[node]);
    if ((children | (kByteValues - 1)) >= units_.size()) return false;
    if (has_leaf(units_[node]) && value(units_[children]) >= replacements_.size()) return false;
    for (std::size_t byte = 1; byte < kByteValues; ++byte) {
      const std::size_t child = children ^ byte;
      if (label(units_[child]) != byte || seen[child]) continue;
      seen[child] = true;
      open.push_back(child);
    }
  }
  return true;
}

Result<AlignedText> Charsmap::apply(const AlignedText& text) const {
  constexpr std::size_t kMaxGrapheme = 5;  // bytes of the longest one that is replaced as a whole
  AlignedText result;
  result.reserve(text.size());
  const auto take = [&](ByteRange grapheme) {
    if (result.size() > AlignedText::kMaxBytes) return;
    const std::string_view whole = grapheme.in(text.text());
    if (whole.size() <= kMaxGrapheme) {
      if (const auto replaced = replacement(whole)) {
        result.append(*replaced, text, grapheme);
        return;
      }
    }
    for (std::size_t at = grapheme.from; at < grapheme.to && result.size() <= AlignedText::kMaxBytes;) {
      const std::size_t bytes = first_character(std::string_view(text.text()).substr(at)).bytes;
      const ByteRange character = {at, at + bytes};
      if (const auto replaced = replacement(character.in(text.text()))) {
        result.append(*replaced, text, character);
      } else {
        result.append(text, character);
      }
      at += bytes;
    }
  };
  if (const Result<void> done = grapheme_.each_match(text.text(), take); !done) return tl::unexpected(done.error());
  return within_limit(std::move(result));
}

}  // namespace attnscope
