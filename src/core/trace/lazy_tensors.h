// Tensors that are too large for memory, computed a box at a time when they are shown.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/kernels/softmax.h"
#include "core/operations/softmax.h"
#include "core/plan/region.h"
#include "core/plan/resident_steps.h"

namespace attnscope {

/// A matrix of a step: its columns run over the last `column_axes` axes (0, 1 or 2; 0 gives one column), its rows over
/// the axis before those; the axes before that are fixed at `leading`.
struct MatrixPlace {
  int step = 0;
  std::vector<Index> leading;
  int column_axes = 1;

  friend bool operator<(const MatrixPlace& a, const MatrixPlace& b) {
    return std::tie(a.step, a.leading, a.column_axes) < std::tie(b.step, b.leading, b.column_axes);
  }
};

class ResidentAttention;
struct MatrixOverview;

/// The numbers of any box of any step of a plan, from the resident tensors: bit for bit what they would be if all were
/// resident. Any thread may ask, several at once.
class LazyTensors {
 public:
  /// `held` has a tensor for every resident step and null for the others.
  LazyTensors(std::shared_ptr<const Plan> plan, std::vector<std::shared_ptr<const Tensor>> held, std::uint64_t seed);
  ~LazyTensors();
  LazyTensors(const LazyTensors&) = delete;
  LazyTensors& operator=(const LazyTensors&) = delete;

  /// The numbers of `region`, which lies within its tensor; the result has the region's axes. Unfinished once
  /// `context.stop` was requested. If imported numbers cannot be read, `context.failure` and `failure` say so, and the
  /// result is NaN everywhere. The seed is this computation's, whatever `context` says.
  [[nodiscard]] std::shared_ptr<const Tensor> numbers(const Region& region, const StepContext& context) const;

  /// Why numbers could not be read, if that happened.
  [[nodiscard]] std::optional<std::string> failure() const { return failure_.message(); }
  /// How often that happened.
  [[nodiscard]] std::uint64_t failures() const { return failure_.count(); }

  /// Remembers the statistics of rows of the softmax `step`: boxes of a known row are then computed without the rest of
  /// the row. Rows are counted over all axes but the last.
  void remember(int step, Index first_row, std::span<const SoftmaxStatistics> rows) const;
  /// Nothing unless all of those rows are known.
  [[nodiscard]] std::vector<SoftmaxStatistics> remembered(int step, Index first_row, Index rows) const;

  /// The attention whose weights the softmax `step` makes at those leading axes, if the kernels can compute it without
  /// storing anything. The last one is kept, because its keys are packed.
  [[nodiscard]] std::shared_ptr<const ResidentAttention> attention(int step, std::span<const Index> leading) const;

  /// The overview of a matrix, as far as it is known; shared by all who ask for it.
  [[nodiscard]] std::shared_ptr<MatrixOverview> overview(const MatrixPlace& place) const;

  /// Threads for long computations; see ThreadPool::run about several callers at once.
  [[nodiscard]] ThreadPool& pool() const { return pool_; }

  [[nodiscard]] const Plan& plan() const { return *plan_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] const std::shared_ptr<const Tensor>& held(int step) const {
    return resident_[static_cast<std::size_t>(step)];
  }

 private:
  struct RowMemory;

  /// The same as `numbers`, but with arbitrary content if numbers could not be read.
  [[nodiscard]] std::shared_ptr<const Tensor> numbers_of(const Region& region, const StepContext& context) const;
  [[nodiscard]] std::shared_ptr<const Tensor> in_parts(const Region& region, const StepContext& context) const;
  [[nodiscard]] std::shared_ptr<const Tensor> computed(const Region& region, const StepContext& context) const;
  [[nodiscard]] std::shared_ptr<const Tensor> softmax(const SoftmaxOperation& operation, const Region& region,
                                                      const StepContext& context) const;
  /// `logits` are those of the region's whole rows, or null.
  [[nodiscard]] std::vector<SoftmaxStatistics> softmax_statistics_of(const SoftmaxOperation& operation,
                                                                     const Region& region,
                                                                     std::shared_ptr<const Tensor> logits,
                                                                     const StepContext& context) const;

  std::shared_ptr<const Plan> plan_;
  std::vector<std::shared_ptr<const Tensor>> resident_;
  std::uint64_t seed_ = 0;
  std::vector<std::unique_ptr<RowMemory>> rows_;  ///< per step; null unless it is a softmax that is not resident
  mutable std::mutex mutex_;                      ///< of what follows
  mutable std::shared_ptr<const ResidentAttention> attention_;
  mutable std::map<MatrixPlace, std::shared_ptr<MatrixOverview>> overviews_;
  mutable ReadFailure failure_;
  mutable ThreadPool pool_;
};

}  // namespace attnscope
