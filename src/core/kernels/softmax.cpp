#include "core/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels/instruction_set.h"

namespace attnscope {

void softmax_row(std::span<const float> row, float temperature, std::span<float> out) {
  if (row.empty()) return;
  const Kernels& loops = kernels();
  const auto count = static_cast<Index>(row.size());
  const float largest = loops.largest(row.data(), count);
  // The maximum leaves NaN out.
  const bool nothing = largest == -std::numeric_limits<float>::infinity();
  if (nothing && std::none_of(row.begin(), row.end(), [](float value) { return std::isnan(value); })) {
    std::fill(out.begin(), out.end(), 0.0F);
    return;
  }
  float sum = 0;
  if (std::isfinite(largest) && !std::isfinite(largest / temperature)) {
    std::transform(row.begin(), row.end(), out.begin(), [&](float value) { return value - largest; });
    sum = loops.exponentials(out.data(), temperature, 0, out.data(), count);
  } else {
    sum = loops.exponentials(row.data(), temperature, largest / temperature, out.data(), count);
  }
  loops.divide(out.data(), sum, count);
}

}  // namespace attnscope
