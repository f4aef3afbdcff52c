#include "core/base/text.h"

// NOLINTBEGIN(modernize-deprecated-headers): strtod_l and newlocale are POSIX, not C++
#include <locale.h>
#include <stdlib.h>
// NOLINTEND(modernize-deprecated-headers)
#if __has_include(<xlocale.h>)
#include <xlocale.h>  // macOS and BSD have strtod_l there
#endif

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "core/base/utf8.h"

namespace attnscope {
namespace {

/// Typography: a hyphen is no minus sign.
std::string with_minus_sign(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

std::string to_text(double value, std::chars_format format, int precision) {
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision).ptr;
  return {buffer.data(), end};
}

std::string non_finite_text(double value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "∞" : "−∞";
}

/// The number of letters to change, add, remove or swap with their neighbour that leads from one to the other (optimal
/// string alignment: no letter is edited twice).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Distances from the first i letters of `a` to the first j of `b`: rows i, i − 1 and i − 2.
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> above = row;
  std::vector<std::size_t> two_above = row;
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_above.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row.back();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether `text` is `word`, which is in lower case, in letters of either case.
bool is_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, {}, [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
}

/// Removes the digits at the front of `text` and returns how many there were.
std::size_t skip_digits(std::string_view& text) {
  const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
  text.remove_prefix(digits);
  return digits;
}

/// Whether all of `text` is a number without a sign: "12", "1.", ".5", "1e-3".
bool is_decimal(std::string_view text) {
  std::size_t digits = skip_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += skip_digits(text);
  }
  if (digits == 0) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (skip_digits(text) == 0) return false;
  }
  return text.empty();
}

/// Whether a decimal number is another one than 0.
bool has_nonzero_digit(std::string_view decimal) {
  return decimal.substr(0, decimal.find_first_of("eE")).find_first_of("123456789") != std::string_view::npos;
}

}  // namespace

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return non_finite_text(value);
  if (value == 0) return "0";
  // Rounding may carry into the next power of ten: 9.9996 is 10.00, not 10.000.
  const std::string rounded = to_text(value, std::chars_format::scientific, digits - 1);
  const int power = std::stoi(rounded.substr(rounded.find('e') + 1));
  if (power < -4 || power > 6) return with_minus_sign(rounded);
  return with_minus_sign(to_text(value, std::chars_format::fixed, std::max(0, digits - 1 - power)));
}

std::string short_text(double value, int digits) {
  if (!std::isfinite(value)) return non_finite_text(value);
  if (value == 0) return "0";
  return with_minus_sign(to_text(value, std::chars_format::general, digits));
}

std::string fixed_text(double value, int decimals) {
  if (!std::isfinite(value)) return non_finite_text(value);
  std::string text = to_text(value, std::chars_format::fixed, decimals);
  // "-0.0000" says no more than "0.0000".
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return with_minus_sign(std::move(text));
}

std::string exact_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string grouped_text(Index count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3 + (count < 0 ? 1U : 0U);) text.insert(at -= 3, ",");
  return text;
}

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  // A value that rounds to 1000 of a unit is 1.0 of the next.
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return to_text(bytes, std::chars_format::fixed, unit == 0 || bytes >= 99.95 ? 0 : 1) + " " + kUnits[unit];
}

std::string bytes_against_limit(double bytes, double limit) {
  const std::string shown = bytes_text(bytes);
  const std::string most = bytes_text(limit);
  if (shown != most) return shown + "; allowed: " + most;
  return grouped_text(static_cast<Index>(bytes)) + " bytes; allowed: " + grouped_text(static_cast<Index>(limit));
}

std::string duration_text(double seconds) {
  if (seconds * 1e6 < 999.5) return to_text(seconds * 1e6, std::chars_format::fixed, 0) + " µs";
  if (seconds * 1e3 < 999.95) return to_text(seconds * 1e3, std::chars_format::fixed, 1) + " ms";
  return to_text(seconds, std::chars_format::fixed, 1) + " s";
}

// std::from_chars for double is missing in libc++ up to 19, and strtod alone follows the user's locale.
std::optional<double> parse_real(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  const std::string_view magnitude = text.substr(negative ? 1 : 0);
  const double sign = negative ? -1 : 1;
  if (is_word(magnitude, "inf") || is_word(magnitude, "infinity"))
    return std::copysign(std::numeric_limits<double>::infinity(), sign);
  if (is_word(magnitude, "nan")) return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (!is_decimal(magnitude)) return std::nullopt;
  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  const double value = strtod_l(std::string(text).c_str(), nullptr, c_locale);
  // Beyond the range of double: too large, or too small to be anything but 0.
  if (std::isinf(value) || (value == 0 && has_nonzero_digit(magnitude))) return std::nullopt;
  return value;
}

std::optional<Index> parse_integer(std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string capitalized(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

std::string index_text(std::span<const Index> index) {
  std::string text = "[";
  for (std::size_t i = 0; i < index.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(index[i]);
  return text + "]";
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != parts.data()) text += separator;
    text += part;
  }
  return text;
}

std::string listed(std::span<const std::string> parts, std::string_view last) {
  if (parts.size() < 2) return join(parts, "");
  return join(parts.first(parts.size() - 1), ", ") + std::string(last) + parts.back();
}

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> candidates) {
  std::vector<std::pair<std::size_t, std::string>> near;
  if (name.empty()) return {};
  for (const std::string& candidate : candidates) {
    const bool contained = name.size() >= 3 && candidate.find(name) != std::string::npos;
    const std::size_t longer = std::max(name.size(), candidate.size());
    const std::size_t most = std::max<std::size_t>(1, longer / 3);
    // The distance is at least the difference in length: much longer names, perhaps megabytes, need no comparison.
    if (!contained && longer - std::min(name.size(), candidate.size()) > most) continue;
    std::size_t distance = edit_distance(name, candidate);
    if (contained) distance = std::min<std::size_t>(distance, 1);
    if (distance <= most) near.emplace_back(distance, candidate);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, near.size()); ++i) names.push_back(near[i].second);
  return names;
}

std::string suggestion_text(std::string_view name, std::span<const std::string> candidates) {
  const std::vector<std::string> near = nearest_names(name, candidates);
  return near.empty() ? "" : "; did you mean " + join(near, " or ") + "?";
}

std::string quoted_text(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string shown = "\"";
  for (const char c : utf8_prefix(text, kLongest)) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned char>(c));
      shown += escape.data();
    } else {
      shown += c;
    }
  }
  return shown + (text.size() > kLongest ? "…\"" : "\"");
}

}  // namespace attnscope
