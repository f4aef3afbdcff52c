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

/// Size of sub- and superscripts, and how far they are moved down and up, as shares of the type size.
inline constexpr double kScriptSize = 0.72;
inline constexpr double kSubscriptDrop = 0.20;
inline constexpr double kSuperscriptRise = 0.36;

/// "W_{Q}" is W with a subscript Q; braces are required, so that names_like_this stay as they are. A backslash before
/// '_', '^' or a backslash takes its meaning.
std::vector<TextSpan> parse_markup(std::string_view markup);

/// Markup that shows `text` as it is, whatever it holds: the user's own labels.
std::string literal_markup(std::string_view text);

/// The same without the scripts' places: "WQ".
std::string plain_text(std::string_view markup);

double markup_width(std::string_view markup, double size, FontWeight weight);

}  // namespace attnscope
