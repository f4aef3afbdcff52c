// Tensors with chosen numbers, for tests of computations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/base/tensor.h"
#include "core/operations/ops.h"
#include "core/trace/run.h"

namespace attnscope::test {

/// A stop function that never stops.
inline bool never_stopped() { return false; }

/// `count` random numbers between `low` and `high`, by default −1 and 1.
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

/// Records steps, and computes them when a test asks for numbers.
class ComputingRecorder : public PlanBuilder {
 public:
  explicit ComputingRecorder(std::uint64_t seed = 1) { experiment_.seed = seed; }

  /// A tensor with given numbers.
  Value give(std::string name, Axes axes, const std::vector<float>& numbers) {
    // Steps with the same name would get the same numbers.
    while (given_.contains(name)) name += "'";
    given_[name] = std::make_shared<const Tensor>(made_tensor(axes, numbers));
    return constant(*this, name, std::move(axes), 0);
  }

  [[nodiscard]] std::shared_ptr<const Trace> trace() const {
    return *Executor().run(experiment_, std::make_shared<const Plan>(plan()), {}, given_);
  }

 private:
  Experiment experiment_ = *default_experiment("worked-example");
  Substitutions given_;
};

inline Value given(ComputingRecorder& recorder, std::string name, Axes axes, const std::vector<float>& numbers) {
  return recorder.give(std::move(name), std::move(axes), numbers);
}

inline std::vector<float> numbers_of(const ComputingRecorder& recorder, Value value) {
  const auto trace = recorder.trace();
  const auto values = trace->steps()[static_cast<std::size_t>(value.step)].tensor->values();
  return {values.begin(), values.end()};
}

inline std::vector<std::string> warnings_of(const ComputingRecorder& recorder) {
  const auto trace = recorder.trace();
  return {trace->warnings().begin(), trace->warnings().end()};
}

inline std::string formula_of(const PlanBuilder& recorder, Value value) {
  return formula(recorder.plan().steps, value.step);
}

}  // namespace attnscope::test
