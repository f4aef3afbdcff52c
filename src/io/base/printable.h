// Text from outside, made fit for one line of a terminal.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace attnscope {

/// `text` on one line, safe to print: control characters, line separators, marks that change the writing direction and
/// bytes that are no UTF-8 stand as \xNN, everything else as it is.
std::string printable(std::string_view text);

/// The name of a file in messages: as it is where that is plain, otherwise `printable` and in quotes.
std::string path_text(const std::filesystem::path& path);

}  // namespace attnscope
