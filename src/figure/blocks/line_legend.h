// The legend below lines between tokens: what the opacity of a line means, and whose hue is whose.
#pragma once

#include "figure/model/figure.h"
#include "figure/slices/weight_lines.h"

namespace attnscope {

class LineLegend {
 public:
  explicit LineLegend(const WeightLines& shown) : shown_(shown) {}

  /// What it takes up at least. Heads that have no room beside each other go to further lines.
  [[nodiscard]] double least_width() const;
  [[nodiscard]] double height(double width) const;

  /// At `at`, its top left corner, no wider than `width`. A click on a head shows it alone.
  void add(Figure& figure, Point at, double width) const;

 private:
  [[nodiscard]] double head_width() const;
  [[nodiscard]] Index heads_across(double width) const;
  void add_head(Figure& figure, Index head, Point at) const;

  const WeightLines& shown_;
};

}  // namespace attnscope
