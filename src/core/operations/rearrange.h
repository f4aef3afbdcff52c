// The same numbers in other places.
#pragma once

#include <string>
#include <vector>

#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// The axes of the input, each perhaps split into several labels, in another order and perhaps merged again. A label
/// that the result lacks is fixed at one value: the result is a slice.
struct RearrangeOperation {
  std::vector<std::string> labels;
  std::vector<Index> sizes;           ///< per label
  std::vector<Index> at;              ///< per label: its value if the result lacks it
  std::vector<std::vector<int>> in;   ///< labels of each axis of the input, slowest first
  std::vector<std::vector<int>> out;  ///< labels of each axis of the result

  [[nodiscard]] std::string name() const { return "rearrange"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& result) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& result) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const;

  [[nodiscard]] bool continues(const RearrangeOperation& last) const {
    return labels == last.labels && at == last.at && in == last.in && out == last.out;
  }

  friend bool operator==(const RearrangeOperation&, const RearrangeOperation&) = default;
};

}  // namespace attnscope
