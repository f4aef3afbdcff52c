// Paints the labels of a matrix.
#pragma once

#include "figure/model/canvas.h"

namespace attnscope {

// How far text may extend from its position.
inline constexpr double kFarthestText = 400;

// Distance of neighbouring labels, relative to the font size.
inline constexpr double kLabelPitch = 1.1;
// Labels shrink to this size, in logical pixels, before some are left out.
inline constexpr double kMinLabel = 9;
// The smallest cells beside which all labels are shown.
inline constexpr double kLeastLabelled = kMinLabel * kLabelPitch;

/// Every how many of the labels, `cell` apart, one is shown that needs `needed`. Labels that count from 1 show every 1st,
/// 2nd, 5th, 10th, …
Index labels_step(const Labels& labels, double needed, double cell);

/// The labels of the rows at the left of the matrix and of the columns above it. Where the window has zoomed into the
/// matrix so far that those places are outside of `visible`, they stay at its edge, over the cells.
class LabelPainter {
 public:
  /// All of it has to outlive the painter.
  LabelPainter(const HeatmapMark& mark, const Palette& palette, const FigureTransform& transform, const Rect& visible,
               Canvas& canvas);

  /// Whether some labels lie over cells.
  [[nodiscard]] bool are_on_cells() const { return rows_.at_edge || columns_.at_edge; }
  void paint() const;

 private:
  /// Where labels begin or end: x of those of rows, y of those of columns.
  struct Place {
    double at = 0;
    double room = 0;  ///< for a label at the edge
    bool at_edge = false;
  };

  [[nodiscard]] double type(double size) const { return size * transform_.type_scale; }
  /// The font size of labels that are `cell` apart.
  [[nodiscard]] double label_size(double cell) const;
  [[nodiscard]] double row_height() const { return box_.height / static_cast<double>(mark_.row_labels.size()); }
  [[nodiscard]] double column_width() const { return box_.width / static_cast<double>(mark_.column_labels.size()); }
  /// Whether numbers stand beside the cells: instead of words that have no room for all of them, too, since some of the
  /// words would read like another text.
  [[nodiscard]] bool are_numbers(const Labels& labels, double cell) const;
  [[nodiscard]] bool rows_are_numbers() const { return are_numbers(mark_.row_labels, row_height()); }
  [[nodiscard]] bool columns_are_numbers() const {
    return !fit_across() && are_numbers(mark_.column_labels, column_width());
  }
  /// Whether all words of the columns fit side by side.
  [[nodiscard]] bool fit_across() const;
  /// Whether the labels of the columns are written across, not upwards.
  [[nodiscard]] bool are_across() const { return columns_are_numbers() || fit_across(); }
  /// The width of the widest of the labels, or of the numbers in their place.
  [[nodiscard]] static double widest(const Labels& labels, bool numbers, double size);
  [[nodiscard]] Place row_place() const;
  [[nodiscard]] Place column_place() const;
  void rows() const;
  void columns() const;
  void label(const std::string& text, double size, Point at, HorizontalAlign horizontal, VerticalAlign vertical,
             double angle) const;

  const HeatmapMark& mark_;
  const Palette& palette_;
  const FigureTransform& transform_;
  const Rect& visible_;
  Canvas& canvas_;
  Rect box_;     ///< the cells, in output units
  Rect nearby_;  ///< text positioned outside this is not visible
  Place rows_;
  Place columns_;
};

}  // namespace attnscope
