// Fonts and colours as a browser's canvas takes them. Private to io/.
#pragma once

#include <string>

#include "figure/model/figure.h"

namespace attnscope {

/// The families that a figure is set in, `size` pixels high.
std::string css_font(double size, FontWeight weight, FigureFont font);
std::string css_color(Rgb color);

}  // namespace attnscope
