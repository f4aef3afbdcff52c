// The SHA-256 of bytes (FIPS 180-4).
#pragma once

#include <string>
#include <string_view>

namespace attnscope {

/// The SHA-256 of `bytes`, as 64 hexadecimal digits in lower case.
std::string sha256_text(std::string_view bytes);

}  // namespace attnscope
