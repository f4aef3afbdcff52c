#include "core/kernels/softmax.h"

#include <Eigen/Core>
#include <cmath>
#include <limits>

namespace attnscope {

void softmax_row(std::span<const float> row, float temperature, std::span<float> out) {
  using Array = Eigen::Array<float, Eigen::Dynamic, 1>;
  const Eigen::Map<const Array> in(row.data(), static_cast<Eigen::Index>(row.size()));
  Eigen::Map<Array> result(out.data(), static_cast<Eigen::Index>(out.size()));
  if (row.empty()) return;
  const float largest = in.maxCoeff();
  // The maximum leaves NaN out.
  if (largest == -std::numeric_limits<float>::infinity() && !in.isNaN().any()) {
    result.setZero();
    return;
  }
  if (std::isfinite(largest) && !std::isfinite(largest / temperature)) {
    result = ((in - largest) / temperature).exp();
  } else {
    result = (in / temperature - largest / temperature).exp();
  }
  // Eigen's exponential ends at 3e-39: what is masked would keep a trace of weight.
  for (float& weight : out) weight = weight < std::numeric_limits<float>::min() ? 0.0F : weight;
  result /= result.sum();
}

}  // namespace attnscope
