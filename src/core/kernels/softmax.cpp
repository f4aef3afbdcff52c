#include "core/kernels/softmax.h"

#include <Eigen/Core>
#include <limits>

namespace attnscope {

void softmax_row(std::span<const float> row, float temperature, std::span<float> out) {
  using Array = Eigen::Array<float, Eigen::Dynamic, 1>;
  const Eigen::Map<const Array> in(row.data(), static_cast<Eigen::Index>(row.size()));
  Eigen::Map<Array> result(out.data(), static_cast<Eigen::Index>(out.size()));
  if (row.empty()) return;
  const float largest = in.maxCoeff();
  if (largest == -std::numeric_limits<float>::infinity()) {
    result.setZero();
    return;
  }
  result = (in / temperature - largest / temperature).exp();
  result /= result.sum();
}

}  // namespace attnscope
