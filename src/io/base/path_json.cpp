#include "io/base/path_json.h"

#include <string_view>

#include "core/base/utf8.h"
#include "io/base/printable.h"

namespace attnscope {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

std::string hex_text(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    text += kHexDigits[byte >> 4U];
    text += kHexDigits[byte & 15U];
  }
  return text;
}

std::optional<std::string> bytes_of_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::size_t high = kHexDigits.find(text[i]);
    const std::size_t low = kHexDigits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes += static_cast<char>(high << 4U | low);
  }
  return bytes;
}

}  // namespace

nlohmann::ordered_json path_to_json(const std::string& path) {
  if (is_utf8(path)) return path;
  return {{"bytes", hex_text(path)}};
}

std::optional<std::string> path_from_json(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object() || value.size() != 1) return std::nullopt;
  const auto bytes = value.find("bytes");
  if (bytes == value.end() || !bytes->is_string()) return std::nullopt;
  return bytes_of_hex(bytes->get_ref<const std::string&>());
}

}  // namespace attnscope
