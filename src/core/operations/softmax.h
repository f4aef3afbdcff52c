// Softmax of rows.
#pragma once

#include <string>
#include <vector>

#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// Softmax over the last axis of input / temperature. A row of nothing but −∞ becomes zeros.
struct SoftmaxOperation {
  double temperature = 1;

  [[nodiscard]] std::string name() const { return "softmax"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const;

  friend bool operator==(const SoftmaxOperation&, const SoftmaxOperation&) = default;
};

}  // namespace attnscope
