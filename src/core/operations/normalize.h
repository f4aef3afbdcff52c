// Divisions by a constant, norms and means.
#pragma once

#include <string>
#include <vector>

#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// Input / divisor.
struct ScaleOperation {
  double divisor = 1;
  std::string divisor_text;

  [[nodiscard]] std::string name() const { return "scale"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;

  friend bool operator==(const ScaleOperation&, const ScaleOperation&) = default;
};

/// (Input − mean) / √(variance + epsilon), both over the axes marked in `over`; the variance is the biased one.
struct NormalizeOperation {
  std::vector<bool> over;  ///< per axis
  double epsilon = 1e-5;

  [[nodiscard]] std::string name() const { return "normalize"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;

  friend bool operator==(const NormalizeOperation&, const NormalizeOperation&) = default;
};

/// Mean over one axis, which the result lacks.
struct MeanOperation {
  int axis = 0;

  [[nodiscard]] std::string name() const { return "mean"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;

  friend bool operator==(const MeanOperation&, const MeanOperation&) = default;
};

}  // namespace attnscope
