// Text from outside, made fit for one line of a terminal.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace attnscope {

/// Bytes of the UTF-8 character that `text` begins with, 1 to 4; 0 where it begins with something else. Overlong forms,
/// surrogates and numbers beyond U+10FFFF are something else.
std::size_t utf8_length(std::string_view text);

/// Whether all of `text` is UTF-8.
bool is_utf8(std::string_view text);

/// `text` on one line, safe to print: control characters, line separators, marks that change the writing direction and
/// bytes that are no UTF-8 stand as \xNN, everything else as it is.
std::string printable(std::string_view text);

/// The name of a file in messages: as it is where that is plain, otherwise `printable` and in quotes.
std::string path_text(const std::filesystem::path& path);

/// Columns that UTF-8 `text` takes in a terminal, one for each character.
std::size_t columns(std::string_view text);

}  // namespace attnscope
