// What is known of the picture of a matrix that is not held. Private to LazyTensors and LazyMatrix.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/matrix/matrix_source.h"

namespace attnscope {

/// Texels of a matrix at its overview's level, row-major. First all of them are a guess; the exact ones take their
/// place from the top.
struct MatrixOverview {
  std::mutex computing;  ///< held by whoever computes: others wait for what comes of it

  std::mutex mutex;  ///< of what follows
  std::vector<float> texels;
  Index exact_rows = 0;

  std::atomic<std::uint64_t> revision = 0;

  std::mutex sampling;  ///< of what follows
  bool sampled = false;
  float left_out = 0;
  std::vector<MatrixSource::RowRange> rows;  ///< see MatrixSource::some_rows
};

}  // namespace attnscope
