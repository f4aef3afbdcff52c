// Sums of two tensors.
#pragma once

#include <string>
#include <vector>

#include "core/operations/einsum.h"

namespace attnscope {

/// out[…] = a[…] + b[…], or the hyperbolic tangent of that; operands are repeated along labels that they lack.
struct AddOperation : EinsumOperation {
  bool tanh = false;

  [[nodiscard]] std::string name() const { return "add"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& result) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& result) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const;

  [[nodiscard]] bool continues(const AddOperation& last) const { return same_labels(*this, last) && tanh == last.tanh; }

  friend bool operator==(const AddOperation&, const AddOperation&) = default;
};

}  // namespace attnscope
