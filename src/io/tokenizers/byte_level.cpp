#include "io/tokenizers/byte_level.h"

#include "core/base/utf8.h"

namespace attnscope {
namespace {

constexpr std::size_t kBytes = 256;
constexpr char32_t kFirstOther = 0x100;  // for bytes that are not printable themselves

bool stands_for_itself(std::size_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

std::array<char32_t, kBytes> byte_points() {
  std::array<char32_t, kBytes> points{};
  char32_t other = kFirstOther;
  for (std::size_t byte = 0; byte < kBytes; ++byte)
    points[byte] = stands_for_itself(byte) ? static_cast<char32_t>(byte) : other++;
  return points;
}

/// The byte of a character below U+0144; -1 if it has none.
std::array<int, kFirstOther + kBytes> bytes_of_points() {
  std::array<int, kFirstOther + kBytes> bytes{};
  bytes.fill(-1);
  const auto points = byte_points();
  for (std::size_t byte = 0; byte < kBytes; ++byte) bytes[points[byte]] = static_cast<int>(byte);
  return bytes;
}

constexpr std::string_view kDigits = "0123456789ABCDEF";

}  // namespace

const std::array<std::string, kBytes>& byte_level_characters() {
  static const auto characters = [] {
    std::array<std::string, kBytes> all;
    const auto points = byte_points();
    for (std::size_t byte = 0; byte < kBytes; ++byte) append_utf8(all[byte], points[byte]);
    return all;
  }();
  return characters;
}

std::string bytes_of_byte_level(std::string_view piece) {
  static const auto bytes = bytes_of_points();
  std::string result;
  while (!piece.empty()) {
    const Utf8Character character = first_character(piece);
    if (character.point < bytes.size() && bytes[character.point] >= 0) {
      result += static_cast<char>(bytes[character.point]);
    } else {
      result += piece.substr(0, character.bytes);
    }
    piece.remove_prefix(character.bytes);
  }
  return result;
}

std::optional<char> byte_of_fallback_piece(std::string_view piece) {
  constexpr std::size_t kLength = 6;
  if (piece.size() != kLength || !piece.starts_with("<0x") || piece.back() != '>') return std::nullopt;
  const std::size_t high = kDigits.find(piece[3]);
  const std::size_t low = kDigits.find(piece[4]);
  if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
  return static_cast<char>(high << 4U | low);
}

std::string fallback_piece(char byte) {
  const auto number = static_cast<unsigned char>(byte);
  return std::string("<0x") + kDigits[number >> 4U] + kDigits[number & 0xFU] + ">";
}

}  // namespace attnscope
