// Where the elements of a rearranged tensor come from.
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

  /// Elements of the result that lie behind each other along its fastest label: `run_length` of them, `run_stride`
  /// apart in the input.
  [[nodiscard]] Index run_length() const { return digits_.empty() ? 1 : digits_.front().size; }
  [[nodiscard]] Index run_stride() const { return digits_.empty() ? 1 : digits_.front().input_stride; }

 private:
  friend class RearrangedRuns;

  struct Digit {
    Index size = 1;
    Index input_stride = 0;
  };
  std::vector<Digit> digits_;  ///< labels of the result, fastest first
  Index start_ = 0;            ///< from the labels that stand still
};

/// Goes through the runs of a result in their order. Short ones take less time to copy than the divisions that tell
/// where one of them comes from.
class RearrangedRuns {
 public:
  /// From that run on. `map` has to outlive this.
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
