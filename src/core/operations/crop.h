// The beginning of a tensor.
#pragma once

#include <string>
#include <vector>

#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// The cells with the smallest indices: as many along each axis as the result has.
struct CropOperation {
  [[nodiscard]] std::string name() const { return "crop"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const;

  friend bool operator==(const CropOperation&, const CropOperation&) = default;
};

}  // namespace attnscope
