// Softmax of rows.
#pragma once

#include <span>

#include "core/tensor.h"

namespace attnscope {

/// Writes softmax(row / temperature) to `out`, the maximum subtracted first so that any finite logits are safe. A row
/// of nothing but −∞ becomes zeros; NaN and +∞ give NaN, as in PyTorch. Both spans have the same length.
void softmax_row(std::span<const float> row, float temperature, std::span<float> out);

}  // namespace attnscope
