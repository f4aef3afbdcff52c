// Averages of the measures of heads, over texts or over the items of a batch.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "core/base/tensor.h"
#include "core/heads/metrics.h"

namespace attnscope {

/// A measure over several texts or batch items, each of which counts the same.
struct MeasureAverage {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  Index count = 0;        ///< for how many the measure has a number; the others do not count
  double mean = kNone;    ///< NaN if none counts
  double spread = kNone;  ///< standard deviation (n − 1 in the denominator); NaN if fewer than two count
  double smallest = kNone;
  double largest = kNone;
};

/// In the order of `measures()`.
using MeasureAverages = std::vector<MeasureAverage>;

/// Collects the measures of one head; keeps none of them.
class AverageSum {
 public:
  void add(const MeasureRow& row);
  [[nodiscard]] MeasureAverages averages() const;

 private:
  struct Sum {
    MeasureAverage average;
    double squares = 0;  ///< Σ (value − mean)²
  };
  std::vector<Sum> sums_;
};

/// One number of each average as if it were measured; nothing where it is NaN.
MeasureRow row_of(const MeasureAverages& averages, double MeasureAverage::*number);

}  // namespace attnscope
