#include <vector>

#include "core/base/text.h"
#include "io/canvas/canvas_style.h"
#include "io/canvas/css_style.h"

namespace attnscope {

std::string css_font(double size, FontWeight weight, FigureFont font) {
  std::vector<std::string> families;
  for (std::string family : split(font_families(font), ',')) {
    family.erase(0, family.find_first_not_of(' '));
    const bool generic = family == "serif" || family == "sans-serif";
    families.push_back(generic ? family : "\"" + family + "\"");
  }
  return std::string(weight == FontWeight::semibold ? "600 " : "") + std::to_string(size) + "px " +
         join(families, ", ");
}

std::string css_color(Rgb color) {
  return "rgb(" + std::to_string(color.red) + " " + std::to_string(color.green) + " " + std::to_string(color.blue) +
         ")";
}

}  // namespace attnscope
