// One line of text as an image, in any script: where the window's own rendering of text is not enough.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "figure/model/figure.h"

namespace attnscope {

/// The image of a line, cropped to its letters.
struct TextImage {
  int width = 0;  ///< 0, as the height: there is nothing to see
  int height = 0;
  int left = 0;                    ///< of the image, pixels to the right of where the text begins
  int top = 0;                     ///< of the image, pixels below the baseline; negative: above
  std::vector<std::uint8_t> rgba;  ///< not premultiplied, top row first
};

/// How far `text` moves on, in letters of `size` pixels (em), pixels, rounded up.
int line_advance(std::string_view text, double size, FontWeight weight, FigureFont font = FigureFont::inter);

/// `text` in letters of `size` pixels (em), set as figures are. Emoji have their own colours where a font has them.
TextImage draw_line_of_text(std::string_view text, double size, FontWeight weight, Rgb color,
                            FigureFont font = FigureFont::inter);

}  // namespace attnscope
