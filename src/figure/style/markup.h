// Subscripts and superscripts in one line of text, written as in TeX.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "figure/style/font_metrics.h"

namespace attnscope {

/// A piece of text on the line, below it or above it.
struct TextSpan {
  enum class Level { base, subscript, superscript };

  std::string text;
  Level level = Level::base;

  friend bool operator==(const TextSpan&, const TextSpan&) = default;
};

/// Size of sub- and superscripts and their shift down and up, as shares of the font size.
inline constexpr double kScriptSize = 0.72;
inline constexpr double kSubscriptDrop = 0.20;
inline constexpr double kSuperscriptRise = 0.36;

/// "W_{Q}" is W with a subscript Q; braces are required: names_like_this stay as they are. A backslash escapes '_',
/// '^' and a backslash.
std::vector<TextSpan> parse_markup(std::string_view markup);

/// Markup that shows `text` literally: for labels that users type.
std::string literal_markup(std::string_view text);

/// The text without markup: "WQ".
std::string plain_text(std::string_view markup);

double markup_width(std::string_view markup, double size, FontWeight weight);

}  // namespace attnscope
