// The place in the input of each element of a rearranged tensor.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/operations/rearrange.h"

namespace attnscope {

class RearrangedIndex {
 public:
  /// `out` are the axes of the result.
  RearrangedIndex(const RearrangeOperation& operation, const Axes& out);

  /// Position in the input's values of the result's element at position `offset`.
  [[nodiscard]] Index source(Index offset) const;

  /// Consecutive elements of the result along its fastest label: `run_length` of them, `run_stride` apart in the input.
  [[nodiscard]] Index run_length() const { return digits_.empty() ? 1 : digits_.front().size; }
  [[nodiscard]] Index run_stride() const { return digits_.empty() ? 1 : digits_.front().input_stride; }

 private:
  friend class RearrangedRuns;

  struct Digit {
    Index size = 1;
    Index input_stride = 0;
  };
  std::vector<Digit> digits_;  ///< labels of the result, fastest first
  Index start_ = 0;            ///< from the labels with a fixed value
};

/// Visits the runs of a result in order. Copying a short run takes less time than the divisions that find its source.
class RearrangedRuns {
 public:
  /// Starts at that run. `map` has to outlive this.
  RearrangedRuns(const RearrangedIndex& map, Index run);

  /// Position in the input's values of the first element of this run.
  [[nodiscard]] Index source() const { return source_; }
  void next();

 private:
  static constexpr std::size_t kMaxDigits = 16;

  std::span<const RearrangedIndex::Digit> slower_;  ///< all digits but the fastest
  std::array<Index, kMaxDigits> at_ = {};
  Index source_ = 0;
};

}  // namespace attnscope
