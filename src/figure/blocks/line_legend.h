// The legend below lines between tokens: the weights that opacities stand for, and the hues of the heads.
#pragma once

#include "figure/model/figure.h"
#include "figure/slices/weight_lines.h"

namespace attnscope {

class LineLegend {
 public:
  explicit LineLegend(const WeightLines& shown) : shown_(shown) {}

  /// The smallest width. Heads that do not fit side by side go to further lines.
  [[nodiscard]] double least_width() const;
  [[nodiscard]] double height(double width) const;

  /// Adds the legend with its top left corner at `at`, no wider than `width`. A click on a head shows it alone.
  void add(Figure& figure, Point at, double width) const;

 private:
  [[nodiscard]] double head_width() const;
  [[nodiscard]] Index heads_across(double width) const;
  void add_head(Figure& figure, Index head, Point at) const;

  const WeightLines& shown_;
};

}  // namespace attnscope
