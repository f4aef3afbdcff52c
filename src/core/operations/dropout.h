// What is set to zero: dropped elements, and heads that are switched off.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// Input / (1 − probability) where kept, otherwise 0. What is kept comes from a random stream of attnscope's own,
/// separate from the experiment's: PyTorch's differs by device and version, so nothing is lost.
struct DropoutOperation {
  double probability = 0;
  int stream = 0;  ///< sets the tensors of an experiment apart

  /// Whether the element at position `offset` is kept with that seed; any element at once, in any order.
  [[nodiscard]] bool keeps(std::uint64_t seed, Index offset) const;

  [[nodiscard]] std::string name() const { return "dropout"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] OperationTraits traits() const { return {.uses_seed = true}; }
  [[nodiscard]] std::vector<std::string> warnings(const std::string& tensor) const;

  friend bool operator==(const DropoutOperation&, const DropoutOperation&) = default;
};

/// Input where its head is on, 0 for the heads that are switched off, whatever they have.
struct KeepHeadsOperation {
  int axis = 0;            ///< of the heads
  std::vector<Index> off;  ///< sorted

  [[nodiscard]] bool keeps(Index head) const { return !std::binary_search(off.begin(), off.end(), head); }

  [[nodiscard]] std::string name() const { return "keep_heads"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] OperationTraits traits() const { return {.switches_heads = true}; }

  friend bool operator==(const KeepHeadsOperation&, const KeepHeadsOperation&) = default;
};

}  // namespace attnscope
