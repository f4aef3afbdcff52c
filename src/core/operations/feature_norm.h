// Normalization of each token's features with a learned scale: layer norm and RMS norm.
#pragma once

#include <string>
#include <vector>

#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// Over the last axis. Layer norm: (x − mean) / √(variance + ε) · scale + bias; RMS norm: x / √(mean of x² + ε) · scale.
/// Inputs: x, scale and perhaps bias, the last two over the last axis of x. Sources: Ba et al. 2016, Layer
/// Normalization; Zhang & Sennrich 2019, Root Mean Square Layer Normalization.
struct FeatureNormOperation {
  bool centered = true;  ///< layer norm
  double epsilon = 1e-5;

  [[nodiscard]] std::string name() const { return centered ? "layer_norm" : "rms_norm"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const;

  friend bool operator==(const FeatureNormOperation&, const FeatureNormOperation&) = default;

 private:
  /// `first`: where the last axis of `out` begins within that of the input.
  void normalize(Inputs inputs, const StepContext& context, Index first, Tensor& out) const;
};

}  // namespace attnscope
