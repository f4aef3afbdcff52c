// The pixels of a picture, as a model of pictures gets them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/experiment/picture.h"
#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// Colours from 0 to 255 times `factor`, less the mean of the channel, divided by its deviation; axes [channel, row,
/// column]. One channel is the mean of the three colours.
struct PixelsOperation {
  PlacedPicture picture;  ///< of that size
  double factor = 1.0 / 255;
  std::vector<double> means;       ///< per channel; empty: not normalized
  std::vector<double> deviations;  ///< as many

  [[nodiscard]] double value(Index channel, Index row, Index column, Index channels) const;

  [[nodiscard]] std::string name() const { return "pixels"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const;

  friend bool operator==(const PixelsOperation& a, const PixelsOperation& b) {
    return a.picture == b.picture && a.factor == b.factor && a.means == b.means && a.deviations == b.deviations;
  }

 private:
  /// Of the channel, from 0 to 255.
  [[nodiscard]] double color(Index channel, Index row, Index column, Index channels) const;
};

}  // namespace attnscope
