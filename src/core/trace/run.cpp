#include "core/trace/run.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/plan/resident_steps.h"
#include "core/trace/plan_run.h"

namespace attnscope {

namespace {

// A slider that goes back and forth meets the same shapes again, and to plan one takes as long as to compute it.
constexpr std::size_t kPlansKept = 16;

/// Whether it has a model, tensors or a picture, which may be large.
bool holds_data(const Experiment& experiment) {
  return experiment.model != nullptr || experiment.tensors != nullptr || !experiment.picture.empty();
}

struct Planned {
  Experiment experiment;
  std::shared_ptr<const Plan> plan;
};

}  // namespace

struct Executor::State {
  /// What was begun and has not ended.
  struct Begun {
    Experiment experiment;
    std::shared_ptr<const Plan> plan;
    Progress progress;
    Substitutions substitutions;
    std::vector<bool> held;
    double bytes = 0;
    std::chrono::duration<double> taken{0};
    std::optional<PlanRun> computation;  ///< refers to what stands above
  };

  double memory_budget = kDefaultMemoryBudget;
  std::shared_ptr<MemoryStore> memory = std::make_shared<MemoryStore>();
  RunResult last;
  Index reused = 0;
  std::vector<Planned> plans;  ///< the last one wanted is the last
  std::unique_ptr<Begun> begun;

  const std::shared_ptr<const Plan>& plan_of(const Experiment& experiment) {
    const auto is_same = [&](const Planned& each) { return same_plan(each.experiment, experiment); };
    const auto found = std::ranges::find_if(plans, is_same);
    if (found != plans.end()) {
      std::rotate(found, found + 1, plans.end());
      return plans.back().plan;
    }
    // What others hold alone must not stay in memory for a plan.
    if (!plans.empty() && holds_data(plans.back().experiment)) plans.clear();
    if (plans.size() == kPlansKept) plans.erase(plans.begin());
    plans.push_back({experiment, std::make_shared<const Plan>(plan(experiment))});
    return plans.back().plan;
  }

  void begin_computation() {
    static const RunResult kNothing;
    Begun& run = *begun;
    run.held = resident_steps(*run.plan, memory_budget);
    run.bytes = resident_cost(*run.plan, run.held).bytes + passing_bytes(*run.plan, run.held);
    // Enough for a trace: one is shown while the next is computed. But no more than the budget leaves.
    const double room = std::max(0.0, memory_budget - run.bytes);
    memory->keep_at_most(static_cast<std::size_t>(std::min({run.bytes * 1.25, room, 1e18})));
    run.computation.emplace(run.plan, run.held, run.experiment.seed, run.progress, run.substitutions, memory);
    run.computation->begin(run.substitutions.empty() ? last : kNothing);
  }

  Result<std::shared_ptr<const Trace>> finish() {
    PlanRun& computation = *begun->computation;
    reused = computation.reused();
    RunResult finished = computation.finish(std::move(begun->experiment), begun->taken.count(), memory_budget);
    std::shared_ptr<const Trace> trace = finished.trace;
    // The trace has looked at some numbers that are not resident.
    if (const std::optional<std::string> failure = trace->failure()) return fail(*failure);
    last = begun->substitutions.empty() ? std::move(finished) : RunResult{};
    return trace;
  }
};

Executor::Executor(double memory_budget) : state_(std::make_unique<State>()) { state_->memory_budget = memory_budget; }
Executor::~Executor() = default;

Cost Executor::prepare(const Experiment& experiment) {
  const Plan& plan = *state_->plan_of(experiment);
  return resident_cost(plan, resident_steps(plan, state_->memory_budget));
}

Result<std::shared_ptr<const Trace>> Executor::run(const Experiment& experiment, const Progress& progress,
                                                   const Substitutions& substitutions) {
  return run(experiment, state_->plan_of(experiment), progress, substitutions);
}

Result<std::shared_ptr<const Trace>> Executor::run(const Experiment& experiment,
                                                   const std::shared_ptr<const Plan>& plan, const Progress& progress,
                                                   const Substitutions& substitutions) {
  begin(experiment, plan, progress, substitutions);
  return *go_on();
}

void Executor::begin(Experiment experiment, const Progress& progress, Substitutions substitutions) {
  const std::shared_ptr<const Plan> plan = state_->plan_of(experiment);
  begin(std::move(experiment), plan, progress, std::move(substitutions));
}

void Executor::begin(Experiment experiment, std::shared_ptr<const Plan> plan, const Progress& progress,
                     Substitutions substitutions) {
  state_->begun = std::make_unique<State::Begun>();
  State::Begun& begun = *state_->begun;
  begun.experiment = std::move(experiment);
  begun.plan = std::move(plan);
  begun.progress = progress;
  begun.substitutions = std::move(substitutions);
}

std::optional<Result<std::shared_ptr<const Trace>>> Executor::go_on(std::optional<StopClock::time_point> until) {
  State::Begun& begun = *state_->begun;
  const auto start = StopClock::now();
  std::optional<Result<std::shared_ptr<const Trace>>> result;
  try {
    if (!begun.computation) state_->begin_computation();
    const PlanRun::State at = begun.computation->go_on(until);
    begun.taken += StopClock::now() - start;
    if (at == PlanRun::State::under_way) return result;
    if (at == PlanRun::State::done) {
      result = state_->finish();
    } else {
      result = fail(begun.computation->failure().value_or("stopped before it was done"));
    }
  } catch (const std::bad_alloc&) {
    result = fail("not enough memory for the " + bytes_text(begun.bytes) + " that the experiment needs");
  }
  state_->begun.reset();
  return result;
}

void Executor::continue_from(std::shared_ptr<const Trace> trace) {
  state_->begun.reset();
  const std::vector<PlannedStep>& steps = trace->plan()->steps;
  const auto draws = [](const PlannedStep& step) { return step.operation->traits().draws; };
  if (std::any_of(steps.begin(), steps.end(), draws)) return;
  // A trace does not keep its bounds; with none, results are searched for numbers that are not finite.
  std::vector<double> bounds(steps.size(), std::numeric_limits<double>::infinity());
  state_->last = {std::move(trace), std::move(bounds), {}};
}

void Executor::forget_results() {
  state_->begun.reset();
  if (state_->last.trace == nullptr) return;
  const Trace& last = *state_->last.trace;
  std::vector<StepResult> given;
  given.reserve(last.steps().size());
  for (const Step& step : last.steps())
    given.push_back(step.inputs.empty() ? StepResult{step.tensor, step.not_finite} : StepResult{});
  state_->last.trace = std::make_shared<const Trace>(last.experiment(), last.plan(), std::move(given), 0);
}

Index Executor::steps_reused() const { return state_->reused; }

std::shared_ptr<const Trace> run_beside(const Trace& trace, const Experiment& experiment, const StopToken& stop) {
  ThreadPool pool;
  Progress progress;
  progress.stop = stop;
  progress.pool = &pool;
  Executor executor(trace.resident_bytes() + trace.bytes_left());
  executor.continue_from(trace.for_experiment(trace.experiment()));
  Result<std::shared_ptr<const Trace>> computed = executor.run(experiment, progress);
  return computed ? *computed : nullptr;
}

Result<std::shared_ptr<const Trace>> run(const Experiment& experiment, const Progress& progress,
                                         const Substitutions& substitutions) {
  return Executor().run(experiment, progress, substitutions);
}

}  // namespace attnscope
