// Text from outside, made fit for one line of a terminal.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace attnscope {

/// `text` on one line, safe to print: control characters, line separators, marks that change the writing direction, and
/// bytes that are not UTF-8 become \xNN; the rest is unchanged.
std::string printable(std::string_view text);

/// A file's name for messages: unchanged if it is plain, otherwise `printable` and in quotes.
std::string path_text(const std::filesystem::path& path);

}  // namespace attnscope
