// Bytes as text that may stand in an address: base64url of RFC 4648, without padding. Private to io/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

/// The digit's value, 0 to 63; -1 for other characters.
int base64url_digit(char c);

std::string to_base64url(std::string_view bytes);

/// The bytes that `text` stands for; nothing if a character is no digit, the length cannot be, or the last digit has bits
/// that stand for nothing: every text of bytes has exactly one form.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace attnscope
