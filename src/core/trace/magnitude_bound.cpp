#include "core/trace/magnitude_bound.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace attnscope {
namespace {

// Box–Muller: √(−2 ln u) for the smallest u of 53 bits is below 8.6.
constexpr double kMaxNormal = 9;

struct Bound {
  const PlannedStep& step;
  std::span<const double> inputs;

  double operator()(const DrawOperation& draw) const {
    double bound = kMaxNormal;
    if (draw.distribution != DrawOperation::Distribution::normal)
      bound = std::max(std::abs(draw.from), std::abs(draw.to));
    for (const DrawOperation::ByHand& each : draw.by_hand)
      bound = std::max(bound, std::abs(static_cast<double>(each.value)));
    return bound;
  }
  double operator()(const ConstantOperation& constant) const { return std::abs(constant.value); }
  double operator()(const ImportOperation& /*given*/) const { return std::numeric_limits<double>::infinity(); }
  double operator()(const SetOperation& set) const {
    double largest = 0;
    for (const SetPart& part : set.parts) largest = std::max(largest, std::abs(part.value));
    return largest;
  }

  double operator()(const ContractOperation& contract) const {
    double products = 1;
    for (std::size_t i = 0; i < contract.labels.size(); ++i) {
      if (std::find(contract.out.begin(), contract.out.end(), static_cast<int>(i)) == contract.out.end())
        products *= static_cast<double>(contract.sizes[i]);
    }
    // Undivided: the sum must not overflow before it is divided.
    double bound = products * inputs[0] * inputs[1];
    if (inputs.size() > 2) bound += inputs[2];
    return rounded_up(bound, products) / std::min(1.0, contract.divisor);
  }
  double operator()(const AddOperation& add) const { return add.tanh ? saturated() : inputs[0] + inputs[1]; }
  double operator()(const ScaleOperation& scale) const { return inputs[0] / std::min(1.0, scale.divisor); }
  double operator()(const NormalizeOperation& normalize) const { return 2 * inputs[0] / std::sqrt(normalize.epsilon); }
  double operator()(const MeanOperation& /*mean*/) const { return inputs[0]; }
  double operator()(const MaskOperation& /*mask*/) const { return inputs[0]; }
  double operator()(const SoftmaxOperation& /*softmax*/) const { return std::isfinite(inputs[0]) ? 1 : inputs[0]; }
  double operator()(const DropoutOperation& dropout) const { return inputs[0] / (1 - dropout.probability); }
  double operator()(const KeepHeadsOperation& /*keep*/) const { return inputs[0]; }
  double operator()(const RearrangeOperation& /*rearrange*/) const { return inputs[0]; }
  double operator()(const SinusoidOperation& /*sinusoid*/) const { return 1; }
  double operator()(const RotateOperation& /*rotate*/) const { return 2 * inputs[0]; }
  double operator()(const DistanceBiasOperation& /*bias*/) const {
    const Axes& axes = step.axes;
    return inputs[0] + static_cast<double>(std::max(axes[axes.size() - 2].size, axes.back().size));
  }

 private:
  /// tanh of what is finite.
  [[nodiscard]] double saturated() const { return std::isfinite(inputs[0] + inputs[1]) ? 1 : inputs[0] + inputs[1]; }

  /// With what rounding may add to a float32 sum of so many products.
  static double rounded_up(double bound, double products) { return bound * (1 + products * 0x1p-22); }
};

}  // namespace

double magnitude_bound(const PlannedStep& step, std::span<const double> inputs) {
  const double bound = std::visit(Bound{step, inputs}, step.operation);
  // Beyond the largest float anything may have become of it.
  return bound < static_cast<double>(std::numeric_limits<float>::max()) / 2 ? bound
                                                                            : std::numeric_limits<double>::infinity();
}

double magnitude_of(std::span<const float> values) {
  // As whole numbers: without the sign, bits are in the order of the magnitudes, and NaN comes last.
  std::uint32_t largest = 0;
  for (const float value : values) largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & 0x7fffffffU);
  const auto magnitude = std::bit_cast<float>(largest);
  return std::isfinite(magnitude) ? static_cast<double>(magnitude) : std::numeric_limits<double>::infinity();
}

}  // namespace attnscope
