// Unicode's own data about characters, from whatever library the program has for it. Private to this folder.
#pragma once

#include <string>
#include <string_view>

#include "io/tokenizers/unicode.h"

namespace attnscope {

/// The general category in two letters: "Lu" is an uppercase letter, "Cn" what is unassigned, "Cs" half of a pair of UTF-16.
std::string_view general_category(char32_t point);

/// The lower case of a character whose lower case is one character; of others, itself.
char32_t lowercase(char32_t point);

/// A valid UTF-8 text without zero bytes in a normal form; empty where it could not be made.
std::string normalized(std::string_view text, NormalForm form);

}  // namespace attnscope
