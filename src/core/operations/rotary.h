// Rotary positions of trained models.
#pragma once

#include <string>
#include <vector>

#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// Input [head, position, dim] with the pairs (i, i + n) of each row rotated by position · frequencies[i], n being the
/// number of frequencies; what lies behind the pairs stays. Source: Su et al. 2021, RoFormer, in the order of
/// GPT-NeoX.
struct RotaryOperation {
  std::vector<double> frequencies;  ///< radians per position

  [[nodiscard]] std::string name() const { return "rotary"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const;

  friend bool operator==(const RotaryOperation&, const RotaryOperation&) = default;

 private:
  /// Of a pair at a position.
  struct Turn {
    double cos = 1;
    double sin = 0;
  };

  [[nodiscard]] Index pairs() const { return static_cast<Index>(frequencies.size()); }
  /// [position, pair], from position `first` on.
  [[nodiscard]] std::vector<Turn> turns(Index first, Index positions, const StepContext& context) const;
  void rotate(const Region& region, const StepContext& context, const Tensor& in, Tensor& out) const;
};

}  // namespace attnscope
