// What all canvases agree on, whatever draws the letters and lines.
#pragma once

#include <string>
#include <string_view>

#include "figure/model/figure.h"
#include "figure/style/markup.h"

namespace attnscope {

/// The families that a figure is set in, in order of preference for each character, as fontconfig takes them.
const char* font_families(FigureFont font);

/// The same as CSS and SVG take them, with names in single quotes: without, "LM Roman 10" would be no name.
std::string css_font_families(FigureFont font);

/// The length of dashes and of the gaps between them, in line widths.
inline constexpr double kDashLength = 3;

/// How far the baseline lies below the point where text is placed, in the unit of `size`. `middle` centres capitals and
/// digits; `top` leaves room for the tallest letters.
double baseline_shift(VerticalAlign align, double size, FigureFont font = FigureFont::inter);

/// The type size of a span in text of `size`, and how far its baseline lies below that of the line.
double span_size(TextSpan::Level level, double size);
double span_drop(TextSpan::Level level, double size);

/// `text` as valid UTF-8 on one line that every renderer and XML accept: line breaks and tabs become spaces, other
/// control characters and malformed bytes U+FFFD.
std::string clean_text(std::string_view text);

/// `clean_text` as text of XML and HTML, also between double quotes.
std::string xml_escaped(std::string_view text);

}  // namespace attnscope
