// One run of a plan: step by step, several steps together, or a step in parts; results that the last trace has are
// reused.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/small_tensors.h"
#include "core/base/stop.h"
#include "core/compute/compute_attention.h"
#include "core/operations/contract.h"
#include "core/random/generator.h"
#include "core/trace/known_rows.h"
#include "core/trace/run.h"
#include "core/trace/step_parts.h"

namespace attnscope {

/// A trace, and what it takes to continue from any step of it.
struct RunResult {
  std::shared_ptr<const Trace> trace;
  std::vector<double> bounds;          ///< per step; see magnitude_bound
  std::vector<Generator> after_draws;  ///< the generator after each draw, in order
};

class PlanRun {
 public:
  /// Failed: it was stopped, or numbers could not be read; see `failure`.
  enum class State { under_way, done, failed };

  /// Steps that are not resident are left out. `held`, `progress` and `substitutions` have to outlive this.
  PlanRun(std::shared_ptr<const Plan> plan, const std::vector<bool>& held, std::uint64_t seed, const Progress& progress,
          const Substitutions& substitutions, std::shared_ptr<MemoryStore> memory);

  /// What `last`, which may be empty and has to outlive this, has is not computed again. Once, before `go_on`.
  void begin(const RunResult& last);
  /// Computes until `until` has passed, or to the end. With a time, long steps are computed in parts, and it ends after
  /// one that is under way at that time.
  State go_on(std::optional<StopClock::time_point> until);

  /// The complete result, as `experiment`, once `go_on` is done.
  [[nodiscard]] RunResult finish(Experiment experiment, double seconds, double memory_budget);
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

  /// A step of which some parts are left, or an attention.
  struct StepUnderWay {
    FusedSteps steps;
    StepParts parts;
    std::optional<AttentionSteps> attention;
    RowSink made;                            ///< see `copies_of`
    std::optional<double> known_bound = {};  ///< of the rows that are known, if some are
    std::vector<Region> added = {};          ///< the other cells then
  };

  /// Computes the next step or several together, and returns how many; or begins one that takes longer, and returns 0.
  int compute_next(std::optional<StopClock::time_point> until);
  /// Computes parts of the step under way, until it is done or `until` has passed. Returns how many steps are done.
  int compute_parts(std::optional<StopClock::time_point> until);
  void compute_part(const StepUnderWay& step, const Region& part);
  /// Adds the results of the step under way, and returns how many they are.
  int finish_parts();
  /// Whether the next step is worth dividing, and can be divided; it is then under way.
  bool begin_parts();
  /// The same for the attention that begins there.
  bool begin_attention_parts();
  /// Operations of that many steps, at least one for each number.
  [[nodiscard]] double work_of(int first, std::ptrdiff_t count) const;
  /// How many numbers both halves of a step are computed from.
  [[nodiscard]] double read_by_each_half(int step) const;

  /// Which steps that are not resident have to be computed all the same, because a step that is resident reads them.
  void find_passing();
  /// Forgets those whose last reader is step `done`.
  void drop_passed(std::size_t done);
  /// Begins to compute the rows of `step` that the last trace does not have; the others are copied.
  void continue_step(std::size_t step, bool in_parts);
  /// Whether the scores that its mask hides are computed only when something reads them: they take long to compute, and
  /// none needs a search for numbers that are not finite.
  [[nodiscard]] bool leaves_hidden(const AttentionSteps& attention);
  /// The first reader of `scores` computes them.
  void put_off_hidden(const AttentionSteps& attention, const Tensor& scores) const;
  /// Leaves the box of `whole` to whoever reads it first: what a mask hides is seldom looked at. False if it cannot.
  bool put_off(std::size_t step, const Region& box, const Tensor& whole) const;
  /// Whether `step` is never in memory as a whole: its readers read the boxes that they need from its file.
  [[nodiscard]] bool is_read_in_boxes(int step) const;
  [[nodiscard]] bool reads_boxes(const PlannedStep& step) const;
  /// See step_box.h.
  void compute_box(const PlannedStep& step, const Region& region, Tensor& whole);
  void reuse(const PlannedStep& step, std::size_t from);
  /// Returns whether it is done: a draw from late in the sequence has to get there first.
  bool compute_step(const PlannedStep& step, std::optional<StopClock::time_point> until);
  /// Brings the generator to where the draw begins, or as near as it gets until then; whether it is there.
  bool find_draw(const PlannedStep& step, std::optional<StopClock::time_point> until);
  /// If this step and the next ones are worth computing together, and all have to be computed, does so and returns how
  /// many they were; otherwise 0.
  int compute_together(int first);
  int compute_attention(int scores);
  /// The attention that begins there and has to be computed as a whole.
  [[nodiscard]] std::optional<AttentionSteps> attention_at(int scores) const;
  /// Its results and the copies of the last one.
  FusedSteps make_tensors(const AttentionSteps& attention, bool hidden_later = false);
  [[nodiscard]] AttentionTensors tensors_of(const AttentionSteps& attention, const FusedSteps& steps) const;
  /// A product together with its rearrangements, if there are any.
  int compute_rearranged(const ContractOperation& product, int step);

  [[nodiscard]] const PlannedStep& planned(int step) const { return plan_.steps[static_cast<std::size_t>(step)]; }
  [[nodiscard]] bool is_to_be_computed(int step) const;
  /// Whether the last trace has rows of it.
  [[nodiscard]] bool has_known_rows(int step) const;
  /// Whether to look for steps that can be computed together with it.
  [[nodiscard]] bool is_worth_more(int first) const;
  /// The numbers that replace it; null: none do.
  [[nodiscard]] std::shared_ptr<const Tensor> given_for(const PlannedStep& step) const;
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
  [[nodiscard]] double bound_of(const PlannedStep& step);
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
  const RunResult* before_ = nullptr;        ///< the run before
  const Trace* last_ = nullptr;              ///< its trace; null: there is none
  std::size_t next_ = 0;                     ///< the first step that is not done
  std::optional<StepUnderWay> under_way_;    ///< step `next_`, if parts of it are left
  std::optional<std::uint64_t> to_discard_;  ///< before step `next_` draws, if it has begun to
  std::vector<int> same_;                    ///< per step: the step of `last_` with the same numbers, or −1
  std::vector<KnownRows> known_;             ///< per step; empty: nothing
  std::vector<std::size_t> passing_until_;   ///< per step: the last step that reads it while it passes; 0: it does not
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
