// Numbers along a side of a matrix, one for each row or column, drawn as bars that point away from it.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "figure/model/figure.h"

namespace attnscope {

/// Maps numbers to lengths. Numbers that are not finite have length 0; those outside the range, the nearest end's.
struct MarginScale {
  double from = 0;    ///< where 0 is
  double length = 0;  ///< of `most`
  double most = 1;

  [[nodiscard]] double at(double value) const {
    return from + (std::isfinite(value) && most > 0 ? std::clamp(value / most, 0.0, 1.0) * length : 0);
  }
};

/// The side of a matrix with `count` rows or columns on `extent` pixels. Many or thin ones are grouped and drawn as a
/// curve instead of bars.
class Margin {
 public:
  enum class Side { right, below };

  Margin(Side side, double from, double extent, Index count);

  [[nodiscard]] bool is_curve() const { return curve_; }
  /// Rows or columns in each group.
  [[nodiscard]] Index each() const { return each_; }
  [[nodiscard]] Index parts() const { return (count_ + each_ - 1) / each_; }

  /// The position of a group along the side.
  struct Place {
    double at = 0;
    double size = 0;
    [[nodiscard]] double center() const { return at + size / 2; }
  };
  [[nodiscard]] Place place(Index part) const;

  /// The smallest and the largest number of a group.
  struct Range {
    double low = 0;
    double high = 0;
  };
  [[nodiscard]] Range range(std::span<const double> values, Index part) const;

  /// "0.1234", "0.1 to 0.2".
  static std::string range_text(const Range& range);

  /// Draws the numbers as bars no thicker than `thickest`, with the ids `id`.0, `id`.1, …; or as a curve `id` through
  /// the smallest and the largest number of every group.
  void draw(Figure& figure, const std::string& id, std::span<const double> values, const MarginScale& scale,
            double thickest, Ink ink) const;

 private:
  Side side_;
  double from_;
  double cell_;
  Index count_;
  bool curve_;
  Index each_ = 1;
};

}  // namespace attnscope
