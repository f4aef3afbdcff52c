// Positions: added to the tokens, as rotations of queries and keys, or as biases of the scores.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// Input with each pair of numbers (2i, 2i+1) along the last axis rotated by an angle that grows with the position; the
/// last number of an odd row has no partner and stays. Source: Su et al., "RoFormer", 2021.
struct RotateOperation {
  /// position · 10000^(−2i/dim), i the pair that `dim_index` is in.
  static double angle(Index position, Index dim_index, Index dim);

  [[nodiscard]] std::string name() const { return "rotate"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;

  friend bool operator==(const RotateOperation&, const RotateOperation&) = default;
};

/// Input − slope · |query − key|, where the slope of head h of H, counted from 1, is 2^(−8h/H); axes […, query, key].
/// Source: Press et al., "Train short, test long" (ALiBi), 2022, here to both sides.
struct DistanceBiasOperation {
  int head_axis = -1;  ///< −1: one head
  Index heads = 1;

  [[nodiscard]] double slope(Index head) const;
  [[nodiscard]] double slope_at(std::span<const Index> index) const {
    return slope(head_axis < 0 ? 0 : index[static_cast<std::size_t>(head_axis)]);
  }

  [[nodiscard]] std::string name() const { return "distance_bias"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;

  friend bool operator==(const DistanceBiasOperation&, const DistanceBiasOperation&) = default;
};

}  // namespace attnscope
