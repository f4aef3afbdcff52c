// Pieces of Python source. Text from outside (names, labels, paths) enters a script through `python_text` and
// `python_path` and in no other way: whatever its bytes are, it stays one literal on one line and is never run.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace attnscope {

/// `text`, any bytes, as a string literal of Python. Visible characters stay as they are; quotes, backslashes, control
/// characters, and marks that break a line or change the writing direction are escaped. A byte that is not UTF-8
/// becomes the surrogate that Python's "surrogateescape" gives it: different texts stay different.
std::string python_text(std::string_view text);

/// The path of a file, any bytes, as an expression that opens exactly this file: a string literal, or os.fsdecode of a
/// bytes literal if the path is not UTF-8 (`needs_os`).
std::string python_path(std::string_view path);
/// Whether `python_path` of this path needs the module os.
bool needs_os(std::string_view path);

/// `text` inside a literal, without the quotes; also fit for three double quotes.
std::string python_escaped(std::string_view text);

/// A number as people write it: "-9e15".
std::string python_number(double value);

/// Texts as a list, on lines of less than 100 columns, unless one text takes more.
std::string python_list(std::span<const std::string> texts);

/// `python` without comments and the contents of literals: only names are left.
std::string python_names(std::string_view python);

/// `text` with every line indented by four columns.
std::string indented(std::string_view text);

/// The words of `text` on lines of less than 100 columns, each with `indent` spaces in front.
std::string wrapped(std::string_view text, std::size_t indent = 0);

}  // namespace attnscope
