// Tensors with chosen numbers, for tests of what is computed from them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/ops.h"
#include "core/tensor.h"

namespace attnscope::test {

/// `count` numbers between −1 and 1, or between `low` and `high`.
inline std::vector<float> random_numbers(std::mt19937& random, Index count, float low = -1, float high = 1) {
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) number = distribution(random);
  return numbers;
}

inline Index random_index(std::mt19937& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

inline Tensor made_tensor(Axes axes, const std::vector<float>& numbers) {
  Tensor tensor(std::move(axes));
  std::copy(numbers.begin(), numbers.end(), tensor.values().begin());
  return tensor;
}

/// A step whose numbers are given and not computed.
inline Value given(Recorder& recorder, std::string name, Axes axes, const std::vector<float>& numbers) {
  return recorder.record({std::move(name), DrawOperation{}, {}, "", std::move(axes), nullptr}, 0,
                         [&](Tensor& out) { std::copy(numbers.begin(), numbers.end(), out.values().begin()); });
}

inline std::vector<float> numbers_of(const Recorder& recorder, Value value) {
  const auto values = recorder.tensor(value).values();
  return {values.begin(), values.end()};
}

}  // namespace attnscope::test
