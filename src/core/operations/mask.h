// Masked scores.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/experiment/mask.h"
#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// Scores with the masked ones replaced by `fill`; axes […, query, key].
struct MaskOperation {
  std::shared_ptr<const MaskField> field;
  double fill = 0;

  /// Of the score at `index`, in scores with these axes: whether it is kept, and what decides on it; see `MaskField`.
  [[nodiscard]] bool keeps(const Axes& axes, std::span<const Index> index) const;
  [[nodiscard]] std::string reason(const Axes& axes, std::span<const Index> index) const;

  [[nodiscard]] std::string name() const { return "mask"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const;
  [[nodiscard]] OperationTraits traits() const { return {.fills_infinities = true}; }
  [[nodiscard]] std::vector<std::string> warnings(const std::string& name) const;

  /// Only a causal mask keeps what it kept when tokens follow.
  [[nodiscard]] bool continues(const MaskOperation& last) const {
    return fill == last.fill && field->mask() == last.field->mask() && field->mask().kind == Mask::Kind::causal;
  }

  friend bool operator==(const MaskOperation& a, const MaskOperation& b) {
    return a.fill == b.fill && (a.field == b.field || *a.field == *b.field);
  }
};

}  // namespace attnscope
