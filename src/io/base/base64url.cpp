#include "io/base/base64url.h"

#include <cstdint>

namespace attnscope {
namespace {

constexpr std::string_view kUrlDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

int base64url_digit(char c) {
  const std::size_t at = kUrlDigits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

std::string to_base64url(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char byte : bytes) {
    bits = bits << 8U | static_cast<unsigned char>(byte);
    for (count += 8; count >= 6; count -= 6) text += kUrlDigits[bits >> (count - 6U) & 63U];
  }
  if (count > 0) text += kUrlDigits[bits << (6U - count) & 63U];
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const int digit = base64url_digit(c);
    if (digit < 0) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255U);
  }
  const bool has_spare_bits = (bits & ((1U << count) - 1U)) != 0;
  return has_spare_bits ? std::nullopt : std::optional(std::move(bytes));
}

}  // namespace attnscope
