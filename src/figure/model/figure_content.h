// What a figure shows besides its matrices, and in which colours: choices made after a view is built.
#pragma once

#include <optional>
#include <string>

#include "figure/model/figure.h"

namespace attnscope {

/// The ends of a colour scale: finite, `low` < `high`.
struct ColorRange {
  double low = 0;
  double high = 1;

  friend bool operator==(const ColorRange&, const ColorRange&) = default;
};

struct FigureContent {
  bool title = true;       ///< of the figure; its parts keep their names
  bool color_bars = true;  ///< the legend of the colours
  bool values = true;      ///< the numbers in cells
  bool labels = true;      ///< of the matrices' rows and columns
  std::optional<ColorMap> map =
      std::nullopt;  ///< for the attention weights; in a figure without weights, for all matrices
  std::optional<ColorRange> range = std::nullopt;  ///< for the same matrices

  friend bool operator==(const FigureContent&, const FigureContent&) = default;
};

/// "Colours: attention weight from violet (0) to yellow (1)." for the colour bars of a figure; empty without any.
std::string colors_sentence(const Figure& figure);

/// The figure with that content, and with the meaning of its colours at the end of its sentence. Where a heading or the colour bars leave empty lines, the rest moves up and the figure
/// becomes lower; nothing else changes its size.
Figure with_content(Figure figure, const FigureContent& content);

}  // namespace attnscope
