// Numbers and names as text, the same in every locale.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

/// `value` to `digits` significant digits, trailing zeros included so that columns line up: "27.50", "0.1462",
/// "1.200e-07", "0", "NaN", "∞", "−∞".
std::string number_text(double value, int digits = 4);

/// The same without trailing zeros, for the ends of scales: "27.5".
std::string short_text(double value, int digits = 4);

/// `value` with exactly `decimals` digits after the decimal point, for columns: "0.6058", "−1.2500".
std::string fixed_text(double value, int decimals);

/// The shortest text that reads back as the same double (files, messages about what was typed).
std::string exact_text(double value);

/// `count` with thin groups: "4,350".
std::string grouped_text(Index count);

/// "17.4 kB", "2.1 GB": powers of 1000.
std::string bytes_text(double bytes);

/// A size that is too large and its limit: "2.1 GB; allowed: 100 MB", in exact bytes where both would read the same.
/// Both are below 2⁶³.
std::string bytes_against_limit(double bytes, double limit);

/// "4 µs", "2.1 ms", "3.4 s".
std::string duration_text(double seconds);

/// The number that all of `text` spells; nothing if it does not. `inf`, `-inf` and `nan` are numbers here.
std::optional<double> parse_real(std::string_view text);
std::optional<Index> parse_integer(std::string_view text);

/// "[1, 2, 4]"
std::string index_text(std::span<const Index> index);

/// `text` with its first letter, if that is ASCII, in upper case.
std::string capitalized(std::string text);

/// Takes `prefix` off the beginning of `text`, if it is there.
bool take_prefix(std::string_view& text, std::string_view prefix);

std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);

/// "a, b or c": commas, and `last` before the last one.
std::string listed(std::span<const std::string> parts, std::string_view last);

/// The candidates nearest to a mistyped `name`, best first, at most three; none when nothing is near.
std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> candidates);

/// "; did you mean heads or head_dim?", or nothing.
std::string suggestion_text(std::string_view name, std::span<const std::string> candidates);

/// Text from outside for messages: in quotes, control characters escaped, long text cut.
std::string quoted_text(std::string_view text);

}  // namespace attnscope
