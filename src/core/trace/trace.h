// A finished computation: every tensor, with the operation that made it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/trace/lazy_tensors.h"

namespace attnscope {

/// The result of a step.
struct StepResult {
  std::shared_ptr<const Tensor> tensor;  ///< null: too large to be resident
  Index not_finite = 0;  ///< how many of its numbers are NaN or ±∞, not counting what a mask filled in
};

/// One tensor of a trace and how it came about; everything but the numbers belongs to the trace's plan.
struct Step {
  Step(const PlannedStep& planned, StepResult result)
      : name(planned.name),
        operation(planned.operation),
        inputs(planned.inputs),
        axes(planned.axes),
        tensor(std::move(result.tensor)),
        not_finite(result.not_finite) {}

  const std::string& name;
  const Operation& operation;
  const std::vector<int>& inputs;  ///< positions of earlier steps
  const Axes& axes;
  std::shared_ptr<const Tensor> tensor;  ///< null: computed on demand; see Trace::numbers
  Index not_finite;
};

/// Whether its numbers are attention weights: made by a softmax, or imported as weights.
bool is_attention(const Step& step);

/// The steps of one experiment with their numbers, immutable.
class Trace {
 public:
  /// `results`: one for each step of the plan.
  Trace(Experiment experiment, std::shared_ptr<const Plan> plan, std::vector<StepResult> results,
        double compute_seconds, double memory_budget = kDefaultMemoryBudget);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  [[nodiscard]] const Experiment& experiment() const { return experiment_; }
  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const { return plan_; }
  [[nodiscard]] std::span<const Step> steps() const { return steps_; }
  [[nodiscard]] const Step& step(int position) const { return steps_[static_cast<std::size_t>(position)]; }
  /// The step that made the tensor of that name, or nothing.
  [[nodiscard]] const Step* find(std::string_view name) const;
  /// The same, for a tensor that the system always makes and that is resident.
  [[nodiscard]] const Tensor& tensor(std::string_view name) const;
  /// The numbers of a box; computed now if the tensor is not resident. Any thread may ask. NaN everywhere if imported
  /// numbers cannot be read; see `failure`.
  [[nodiscard]] std::shared_ptr<const Tensor> numbers(const Region& region, const StepContext& context = {}) const;
  /// One number; NaN if it cannot be read.
  [[nodiscard]] float value(int step, std::span<const Index> index) const;
  /// Computes the tensors that are not resident; null if all are.
  [[nodiscard]] const std::shared_ptr<const LazyTensors>& lazy() const { return lazy_; }
  /// Why numbers could not be read, in one line; nothing if all could. Whoever shows or writes numbers of this trace
  /// checks this afterwards: after a failure they are not valid.
  [[nodiscard]] std::optional<std::string> failure() const;
  /// How often that happened.
  [[nodiscard]] std::uint64_t failures() const;
  /// What the user should know about the numbers: rows without a key, dropout, values that are not finite.
  [[nodiscard]] std::span<const std::string> warnings() const { return warnings_; }
  [[nodiscard]] double compute_seconds() const { return compute_seconds_; }
  /// What all its steps cost together.
  [[nodiscard]] const Cost& cost() const { return plan_->cost; }
  /// Memory of its tensors.
  [[nodiscard]] double resident_bytes() const;
  /// What it leaves of the memory budget.
  [[nodiscard]] double bytes_left() const;

  /// The same numbers for an experiment that computes the same; see `same_computation`. None is looked at again.
  [[nodiscard]] std::shared_ptr<const Trace> for_experiment(Experiment experiment) const;

 private:
  Trace(Experiment experiment, const Trace& numbers);
  /// Prepares what computes the steps that are not resident, and looks at some of their numbers.
  void look_at_lazy();
  /// Adds what the system says about the experiment, labels included.
  void warn_of_experiment();

  Experiment experiment_;
  std::shared_ptr<const Plan> plan_;
  std::vector<Step> steps_;
  std::unordered_map<std::string_view, std::size_t> places_;  ///< of the steps, by name
  std::vector<std::string> warnings_;
  std::size_t about_numbers_ = 0;  ///< how many of the warnings; the others are about the experiment
  std::shared_ptr<const LazyTensors> lazy_;
  double compute_seconds_ = 0;
  double memory_budget_ = kDefaultMemoryBudget;
};

}  // namespace attnscope
