// Where the letters of a figure are.
#pragma once

#include <span>
#include <vector>

#include "support/blank_canvas.h"
#include "support/text_box.h"

namespace attnscope::test {

/// Keeps the places of letters of what is painted on it, with all that hangs below their line.
class LetterBoxes final : public BlankCanvas {
 public:
  void text(const PlacedText& text) override { boxes.push_back(text_box(text).grown(text.size / 4)); }

  std::vector<Rect> boxes;
};

/// In the figure's own units.
inline std::vector<Rect> letter_boxes(const Figure& figure) {
  LetterBoxes canvas;
  paint(figure, palette(Theme::paper), {}, {0, 0, figure.width, figure.height}, canvas);
  return canvas.boxes;
}

}  // namespace attnscope::test
