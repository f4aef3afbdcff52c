// What a figure shows besides its matrices, and in which colours: the choices that are left once a view is built.
#pragma once

#include <optional>

#include "figure/model/figure.h"

namespace attnscope {

/// The ends of a colour scale; `low` lies below `high`, both are finite.
struct ColorRange {
  double low = 0;
  double high = 1;

  friend bool operator==(const ColorRange&, const ColorRange&) = default;
};

struct FigureContent {
  bool title = true;                               ///< the headings of the figure; the names of its parts stay
  bool color_bars = true;                          ///< what the colours of the matrices mean
  bool values = true;                              ///< the numbers in cells
  bool labels = true;                              ///< of the matrices' rows and columns
  std::optional<ColorMap> map = std::nullopt;      ///< of the attention weights; without any, of all matrices
  std::optional<ColorRange> range = std::nullopt;  ///< of the same ones

  friend bool operator==(const FigureContent&, const FigureContent&) = default;
};

/// The figure with that content. Where a heading or the colour bars had lines of their own, the rest moves together and
/// the figure becomes lower by that; nothing changes its size.
Figure with_content(Figure figure, const FigureContent& content);

}  // namespace attnscope
