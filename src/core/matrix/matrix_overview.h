// The overview of a lazy matrix, as far as it is known. Private to LazyTensors and LazyMatrix.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/matrix/matrix_source.h"

namespace attnscope {

/// The texels of a matrix at its overview level, row-major. At first all are estimates; exact texels replace them from
/// the top.
struct MatrixOverview {
  std::mutex computing;  ///< held while computing; others wait for the result

  std::mutex mutex;  ///< guards the members below
  std::vector<float> texels;
  Index exact_rows = 0;

  std::atomic<std::uint64_t> revision = 0;

  std::mutex sampling;  ///< guards the members below
  bool sampled = false;
  float left_out = 0;
  std::vector<MatrixSource::RowRange> rows;  ///< see MatrixSource::some_rows
};

}  // namespace attnscope
