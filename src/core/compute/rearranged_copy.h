// A rearrangement that is made along with its input.
#pragma once

#include <optional>
#include <vector>

#include "core/operations/rearrange.h"
#include "core/plan/operation.h"

namespace attnscope {

/// Copies parts of the input to where they belong in the result, in any order, from any number of threads. What has
/// just been made is in a cache then, which all of it will not be later.
class RearrangedCopy {
 public:
  /// Whether numbers that lie side by side in the input do so in the result, enough of them to be worth it.
  static bool keeps_runs(const RearrangeOperation& operation);

  /// Of an operation that keeps runs; `result` has room for all of its result.
  RearrangedCopy(const RearrangeOperation& operation, float* result);

  /// `count` rows of `length` numbers side by side, `apart` from one row to the next; the first of them, at `from`, has
  /// that position in the input's values. What the result lacks is left out.
  void copy(Index position, const float* from, Index length, Index count, Index apart) const;

 private:
  /// Labels of the input that stay neighbours in the result.
  struct Digit {
    Index size = 1;
    Index input_stride = 1;
    Index result_stride = 0;
    Index stands_at = -1;  ///< of a label that the result lacks
  };
  /// Fastest first, none of size 1.
  static std::vector<Digit> digits_of(const RearrangeOperation& operation);

  /// Position in the result; none where the result lacks it.
  [[nodiscard]] std::optional<Index> place_of(Index position) const;
  /// Rows that no run ends in.
  void copy_runs(Index position, const float* from, Index length, Index count, Index apart) const;

  float* result_;
  std::vector<Digit> digits_;
};

}  // namespace attnscope
