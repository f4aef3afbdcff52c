// The pieces of a text in lines, like words on a page.
#pragma once

#include <vector>

#include "figure/slices/running_text.h"
#include "figure/style/geometry.h"

namespace attnscope {

/// Where a piece is: relative to the top left corner of the text, logical pixels. Boxes are on whole pixels and leave a
/// hairline between pieces.
struct PlacedPiece {
  Rect box;
  double indent = 0;  ///< from the left of the box to the letters
  double size = 0;    ///< of the type
  std::string text;   ///< shortened where it is wider than a line
};

struct WrappedWords {
  std::vector<PlacedPiece> pieces;
  double width = 0;  ///< of the longest line
  double height = 0;
};

/// Breaks the text between words, and after line breaks, into lines no wider than `width` in type of `size`. A word that is
/// longer than a line is broken between its pieces. Special tokens are smaller and stand apart.
WrappedWords wrapped_words(const std::vector<TextPiece>& pieces, double width, double size);

}  // namespace attnscope
