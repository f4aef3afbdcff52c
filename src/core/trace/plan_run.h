// One run of a plan: step by step, or several steps together; results that the last trace has are reused.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/small_tensors.h"
#include "core/compute/compute_attention.h"
#include "core/operations/contract.h"
#include "core/random/generator.h"
#include "core/trace/known_rows.h"
#include "core/trace/run.h"

namespace attnscope {

/// A trace, and what it takes to continue from any step of it.
struct RunResult {
  std::shared_ptr<const Trace> trace;
  std::vector<double> bounds;          ///< per step; see magnitude_bound
  std::vector<Generator> after_draws;  ///< the generator after each draw, in order
};

class PlanRun {
 public:
  /// Steps that are not resident are left out. `held`, `progress` and `substitutions` have to outlive this.
  PlanRun(std::shared_ptr<const Plan> plan, const std::vector<bool>& held, std::uint64_t seed, const Progress& progress,
          const Substitutions& substitutions, std::shared_ptr<MemoryStore> memory);

  /// Computes what `last`, which may be empty, does not have. False if it was stopped before the end, or numbers could
  /// not be read; see `failure`.
  bool run(const RunResult& last);

  /// The complete result, as `experiment`, after `run` has returned true.
  [[nodiscard]] RunResult finish(const Experiment& experiment, double seconds, double memory_budget);
  [[nodiscard]] Index reused() const { return reused_; }
  /// Why imported numbers could not be read, if that happened.
  [[nodiscard]] std::optional<std::string> failure() const { return failure_.message(); }

 private:
  /// Steps that follow each other, and tensors for their results.
  struct FusedSteps {
    int first = 0;
    std::vector<std::shared_ptr<Tensor>> made;

    [[nodiscard]] Tensor* tensor(int step) const { return made[static_cast<std::size_t>(step - first)].get(); }
  };

  /// Which steps that are not resident have to be computed all the same, because a step that is resident reads them.
  void find_passing();
  /// Forgets those whose last reader is step `done`.
  void drop_passed(std::size_t done);
  /// Computes the rows of `step` that the last trace does not have, and copies the others.
  void continue_step(std::size_t step, const RunResult& last);
  /// Leaves the box of `whole` to whoever reads it first: what a mask hides is seldom looked at. False if it cannot.
  bool put_off(std::size_t step, const Region& box, const Tensor& whole) const;
  /// Whether `step` is never in memory as a whole: its readers read the boxes that they need from its file.
  [[nodiscard]] bool is_read_in_boxes(int step) const;
  [[nodiscard]] bool reads_boxes(const PlannedStep& step) const;
  /// See step_box.h.
  void compute_box(const PlannedStep& step, const Region& region, Tensor& whole);
  void reuse(const PlannedStep& step, const RunResult& last, std::size_t from);
  void compute_step(const PlannedStep& step);
  /// If this step and the next ones are worth computing together, and all have to be computed, does so and returns how
  /// many they were; otherwise 0.
  int compute_together(int first);
  int compute_attention(int scores);
  int compute_attention(const AttentionSteps& attention, int last);
  /// A product together with its rearrangements, if there are any.
  int compute_rearranged(const ContractOperation& product, int step);

  [[nodiscard]] const PlannedStep& planned(int step) const { return plan_.steps[static_cast<std::size_t>(step)]; }
  [[nodiscard]] bool is_to_be_computed(int step) const;
  /// Number of consecutive rearrangements after `of` still to compute.
  [[nodiscard]] int rearrangements_behind(int of) const;
  /// Computes the rearrangements of `of` together with it; empty if there are none.
  [[nodiscard]] RowSink copies_of(const FusedSteps& steps, int of) const;

  [[nodiscard]] const Tensor* tensor_of(int step) const {
    return results_[static_cast<std::size_t>(step)].tensor.get();
  }
  /// Valid until the next call.
  std::span<const Tensor* const> inputs_of(const PlannedStep& step);
  void expect_small();
  /// Its content is arbitrary.
  std::shared_ptr<Tensor> make_tensor(const PlannedStep& step);
  FusedSteps make_tensors(int first, int last);

  /// `given`: substituted numbers, which the operation says nothing about.
  double add_bound(const PlannedStep& step, bool given);
  void add_result(const PlannedStep& step, std::shared_ptr<const Tensor> tensor, bool given);
  /// Counts what is not finite in the last result, about which its operation says nothing.
  void search_result(const PlannedStep& step);
  /// Of a tensor with known rows, whose numbers are at most `known_bound`, and boxes that were added to them. The bound
  /// that its inputs give has been added.
  void add_grown(const PlannedStep& step, std::shared_ptr<const Tensor> tensor, double known_bound,
                 std::span<const Region> added);
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
  const Trace* last_ = nullptr;             ///< the trace before; null: there is none
  std::vector<int> same_;                   ///< per step: the step of `last_` with the same numbers, or −1
  std::vector<KnownRows> known_;            ///< per step; empty: nothing
  std::vector<std::size_t> passing_until_;  ///< per step: the last step that reads it while it passes; 0: it does not
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
