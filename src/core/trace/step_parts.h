// The cells of a step, in parts: somebody waits between two of them.
#pragma once

#include <vector>

#include "core/plan/region.h"

namespace attnscope {

/// How much work one part should be, in operations: some milliseconds where there is only a browser's arithmetic.
inline constexpr double kWorkOfPart = 1e7;

/// Hands out boxes of cells until all are done.
class StepParts {
 public:
  /// `boxes` of a result, done in that order; `work` for all of them, in operations. A part is work for `work_of_part`,
  /// infinite: each box is one part. Only the first `axes` are divided.
  StepParts(std::vector<Region> boxes, double work, double work_of_part, std::size_t axes);

  [[nodiscard]] bool empty() const { return left_.empty(); }
  /// The next part. Not to be called when it is empty.
  Region next();
  /// The share of the cells that is handed out, from 0 to 1.
  [[nodiscard]] double share() const;

 private:
  [[nodiscard]] bool is_large(const Region& box) const;

  std::vector<Region> left_;  ///< the next one last
  double work_of_cell_ = 0;
  double work_of_part_ = 0;
  std::size_t axes_ = 0;
  double cells_ = 0;
  double handed_out_ = 0;
};

}  // namespace attnscope
