#include "core/trace/magnitude_bound.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace attnscope {
double magnitude_bound(const PlannedStep& step, std::span<const double> inputs) {
  const double bound = step.operation->magnitude_bound(step.axes, inputs);
  // Beyond the largest float, a number may have become anything.
  return bound < static_cast<double>(std::numeric_limits<float>::max()) / 2 ? bound
                                                                            : std::numeric_limits<double>::infinity();
}

double magnitude_of(std::span<const float> values) {
  // As integers: without the sign, bits sort by magnitude, and NaN comes last.
  std::uint32_t largest = 0;
  for (const float value : values) largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & 0x7fffffffU);
  const auto magnitude = std::bit_cast<float>(largest);
  return std::isfinite(magnitude) ? static_cast<double>(magnitude) : std::numeric_limits<double>::infinity();
}

double magnitude_of(const Tensor& tensor, const Region& box) {
  double magnitude = 0;
  for_each_run(box, [&](Index /*at*/, const std::vector<Index>& index) {
    const float* const run = tensor.first() + tensor.place(index);
    const auto length = static_cast<std::size_t>(index.empty() ? 1 : box.size(index.size() - 1));
    magnitude = std::max(magnitude, magnitude_of({run, length}));
  });
  return magnitude;
}

}  // namespace attnscope
