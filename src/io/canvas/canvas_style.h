// What canvases agree on, whatever draws the letters and lines.
#pragma once

#include <string>
#include <string_view>

#include "figure/model/figure.h"
#include "figure/style/markup.h"

namespace attnscope {

/// The fonts of figures, the first that has a character.
inline constexpr std::string_view kFontFamilies = "Inter, DejaVu Sans, sans-serif";

/// Dashes, and the gaps between them, in line widths.
inline constexpr double kDashLength = 3;

/// How far below the point that text is placed at its baseline lies, in units of `size`'s. `middle` centres capitals
/// and digits; `top` leaves room for the tallest letters.
double baseline_shift(VerticalAlign align, double size);

/// The type size of a span in text of `size`, and how far its baseline lies below the line's.
double span_size(TextSpan::Level level, double size);
double span_drop(TextSpan::Level level, double size);

/// `text` as valid UTF-8 on one line that every renderer and XML accept: line breaks and tabs become spaces, other
/// control characters and malformed bytes U+FFFD.
std::string clean_text(std::string_view text);

}  // namespace attnscope
