// One run of a plan: step by step, or several at a time; what a trace has already is taken from there.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/small_tensors.h"
#include "core/compute/compute_attention.h"
#include "core/operations/contract.h"
#include "core/random/generator.h"
#include "core/trace/run.h"

namespace attnscope {

/// A trace and what it takes to continue from the middle of it.
struct RunResult {
  std::shared_ptr<const Trace> trace;
  std::vector<double> bounds;          ///< per step; see magnitude_bound
  std::vector<Generator> after_draws;  ///< the generator behind each draw, in their order
};

class PlanRun {
 public:
  /// Steps that are not held are left out. `held`, `progress` and `substitutions` have to outlive this.
  PlanRun(std::shared_ptr<const Plan> plan, const std::vector<bool>& held, std::uint64_t seed, const Progress& progress,
          const Substitutions& substitutions, std::shared_ptr<MemoryStore> memory);

  /// Computes what `last`, which may have nothing, does not have. False if it was stopped before the end, or numbers
  /// could not be read; see `failure`.
  bool run(const RunResult& last);

  /// The whole of it, as `experiment`, once `run` came to the end.
  [[nodiscard]] RunResult finish(const Experiment& experiment, double seconds, double memory_budget);
  [[nodiscard]] Index reused() const { return reused_; }
  /// Why given numbers could not be read, if they could not.
  [[nodiscard]] std::optional<std::string> failure() const { return failure_.message(); }

 private:
  /// Steps that follow each other, and tensors for their results.
  struct FusedSteps {
    int first = 0;
    std::vector<std::shared_ptr<Tensor>> made;

    [[nodiscard]] Tensor* tensor(int step) const { return made[static_cast<std::size_t>(step - first)].get(); }
  };

  void reuse(const PlannedStep& step, const RunResult& last, std::size_t from);
  void compute_step(const PlannedStep& step);
  /// If steps that are worth computing together begin with this one, and all have to be computed, does that and returns
  /// how many they were.
  int compute_together(int first);
  int compute_attention(int scores);
  int compute_attention(const AttentionSteps& attention, int last);
  /// A product together with the rearrangements of it, if there are any.
  int compute_rearranged(const ContractOperation& product, int step);

  [[nodiscard]] const PlannedStep& planned(int step) const { return plan_.steps[static_cast<std::size_t>(step)]; }
  [[nodiscard]] bool is_to_be_computed(int step) const;
  /// How many steps right behind that one only put its numbers in other places, and are to be computed.
  [[nodiscard]] int rearrangements_behind(int of) const;
  /// What makes the steps behind step `of` along with it; nothing where there are none.
  [[nodiscard]] RowSink copies_of(const FusedSteps& steps, int of) const;

  [[nodiscard]] const Tensor* tensor_of(int step) const {
    return results_[static_cast<std::size_t>(step)].tensor.get();
  }
  /// Until the next call.
  std::span<const Tensor* const> inputs_of(const PlannedStep& step);
  void expect_small();
  /// With any content.
  std::shared_ptr<Tensor> make_tensor(const PlannedStep& step);
  FusedSteps make_tensors(int first, int last);

  /// `given`: the numbers are not what the operation makes.
  double add_bound(const PlannedStep& step, bool given);
  void add_result(const PlannedStep& step, std::shared_ptr<const Tensor> tensor, bool given);
  int add_results(FusedSteps steps);
  void tell_progress() const;

  std::shared_ptr<const Plan> shared_plan_;
  const Plan& plan_;
  const std::vector<bool>& resident_;
  const Progress& progress_;
  const Substitutions& substitutions_;
  std::shared_ptr<MemoryStore> memory_;
  ReadFailure failure_;
  StepContext context_;
  std::vector<int> same_;
  std::vector<StepResult> results_;
  std::vector<double> bounds_;
  std::vector<Generator> after_draws_;
  SmallTensors small_;
  std::vector<const Tensor*> inputs_;  ///< of the step under way
  std::vector<double> input_bounds_;
  double done_flops_ = 0;
  Index reused_ = 0;
};

}  // namespace attnscope
