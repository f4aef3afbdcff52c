// A rearrangement that is computed together with its input.
#pragma once

#include <optional>
#include <vector>

#include "core/operations/rearrange.h"
#include "core/plan/operation.h"

namespace attnscope {

/// Copies parts of the input to their places in the result, in any order, from any number of threads: right after a
/// part is computed, while it is still in a cache.
class RearrangedCopy {
 public:
  /// Whether runs of neighbours in the input stay neighbours in the result, long enough to be worth it.
  static bool keeps_runs(const RearrangeOperation& operation);

  /// `operation` keeps runs; `result` has room for the whole result.
  RearrangedCopy(const RearrangeOperation& operation, float* result);

  /// Copies `count` rows of `length` contiguous numbers, `apart` elements from one row to the next; the first number,
  /// at `from`, has that position in the input. Numbers that the result lacks are skipped.
  void copy(Index position, const float* from, Index length, Index count, Index apart) const;

 private:
  /// Labels of the input that stay neighbours in the result.
  struct Digit {
    Index size = 1;
    Index input_stride = 1;
    Index result_stride = 0;
    Index stands_at = -1;  ///< if the result lacks the label
  };
  /// Fastest first, none of size 1.
  static std::vector<Digit> digits_of(const RearrangeOperation& operation);

  /// Position in the result; nothing if the result lacks it.
  [[nodiscard]] std::optional<Index> place_of(Index position) const;
  /// For rows that lie within runs.
  void copy_runs(Index position, const float* from, Index length, Index count, Index apart) const;

  float* result_;
  std::vector<Digit> digits_;
};

}  // namespace attnscope
