#include "io/canvas/canvas_style.h"
#include "io/canvas/css_style.h"

namespace attnscope {

std::string css_font(double size, FontWeight weight, FigureFont font) {
  return std::string(weight == FontWeight::semibold ? "600 " : "") + std::to_string(size) + "px " +
         css_font_families(font);
}

std::string css_color(Rgb color) {
  return "rgb(" + std::to_string(color.red) + " " + std::to_string(color.green) + " " + std::to_string(color.blue) +
         ")";
}

}  // namespace attnscope
