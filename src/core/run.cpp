#include "core/run.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>

#include "core/attention_steps.h"
#include "core/compute.h"
#include "core/magnitude_bound.h"
#include "core/small_tensors.h"
#include "core/text.h"

namespace attnscope {
namespace {

/// By their bits, in 32-bit steps: the compiler makes vectors of it.
Index not_finite_count(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7f800000;
  constexpr std::size_t kChunk = 1U << 20U;
  Index count = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += kChunk) {
    std::uint32_t in_chunk = 0;
    for (const float value : values.subspan(begin, std::min(kChunk, values.size() - begin)))
      in_chunk += (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent ? 1U : 0U;
    count += in_chunk;
  }
  return count;
}

bool is_draw(const PlannedStep& step) { return std::holds_alternative<DrawOperation>(step.operation); }

/// A trace and what it takes to continue from the middle of it.
struct Finished {
  std::shared_ptr<const Trace> trace;
  std::vector<double> bounds;          ///< per step; see magnitude_bound
  std::vector<Generator> after_draws;  ///< the generator behind each draw, in their order
};

/// For every step of `plan` the position in `last` where the same numbers are, or −1.
std::vector<int> same_steps(const Plan& plan, const Trace& last, bool same_seed) {
  std::vector<int> same(plan.steps.size(), -1);
  const std::span<const PlannedStep> known = last.plan()->steps;
  bool same_draws = same_seed;
  std::size_t next = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PlannedStep& step = plan.steps[i];
    // Most plans have the same steps in the same order, or a few more or less.
    if (next >= known.size() || known[next].name != step.name) {
      const Step* found = last.find(step.name);
      next = found == nullptr ? known.size() : static_cast<std::size_t>(found - last.steps().data());
    }
    bool equal = next < known.size();
    if (equal) {
      const PlannedStep& other = known[next];
      const bool dropped = std::holds_alternative<DropoutOperation>(step.operation);
      equal = (is_draw(step) ? same_draws : same_seed || !dropped) &&
              (&step == &other || (step.axes == other.axes && step.inputs.size() == other.inputs.size() &&
                                   step.operation == other.operation));
      for (std::size_t k = 0; k < step.inputs.size() && equal; ++k)
        equal = same[static_cast<std::size_t>(step.inputs[k])] == other.inputs[k];
      // What was not held then may have room now.
      equal = equal && last.steps()[next].tensor != nullptr;
      if (equal) same[i] = static_cast<int>(next);
      ++next;
    }
    if (is_draw(step)) same_draws = equal;
  }
  return same;
}

/// One run of a plan.
class Computation {
 public:
  /// Steps that are not held are left out.
  Computation(std::shared_ptr<const Plan> plan, const std::vector<bool>& held, std::uint64_t seed,
              const Progress& progress, const Substitutions& substitutions, std::shared_ptr<MemoryStore> memory)
      : shared_plan_(std::move(plan)),
        plan_(*shared_plan_),
        held_(held),
        progress_(progress),
        substitutions_(substitutions),
        memory_(std::move(memory)),
        context_{seed, progress.pool, progress.stop} {
    results_.reserve(plan_.steps.size());
    bounds_.reserve(plan_.steps.size());
  }

  /// Computes what `last`, which may have nothing, does not have. False if it was stopped before the end.
  bool run(const Finished& last) {
    if (last.trace) same_ = same_steps(plan_, *last.trace, last.trace->experiment().seed == context_.seed);
    if (progress_.stop.stop_requested()) return false;
    expect_small();
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const PlannedStep& step = plan_.steps[i];
      if (!held_[i]) {
        add_bound(step, false);
        results_.emplace_back();
        continue;
      }
      if (const int steps = compute_attention(i); steps > 0) {
        i += static_cast<std::size_t>(steps) - 1;
      } else if (!same_.empty() && same_[i] >= 0) {
        take_over(step, last, static_cast<std::size_t>(same_[i]));
      } else {
        compute_step(step);
      }
      if (progress_.stop.stop_requested()) return false;
      tell_progress();
    }
    return true;
  }

  /// The whole of it, as `experiment`, once `run` came to the end.
  [[nodiscard]] Finished finish(const Experiment& experiment, double seconds) {
    return {std::make_shared<const Trace>(experiment, shared_plan_, std::move(results_), seconds), std::move(bounds_),
            std::move(after_draws_)};
  }
  [[nodiscard]] Index taken_over() const { return taken_over_; }

 private:
  void take_over(const PlannedStep& step, const Finished& last, std::size_t from) {
    const Step& known = last.trace->steps()[from];
    results_.push_back({known.tensor, known.not_finite});
    bounds_.push_back(last.bounds[from]);
    if (is_draw(step)) after_draws_.push_back(last.after_draws[after_draws_.size()]);
    done_flops_ += step.flops;
    ++taken_over_;
  }

  [[nodiscard]] bool is_to_be_computed(int step) const {
    const auto at = static_cast<std::size_t>(step);
    return held_[at] && (same_.empty() || same_[at] < 0);
  }

  void expect_small() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      if (!is_to_be_computed(static_cast<int>(i))) continue;
      if (const Index count = element_count(plan_.steps[i].axes); SmallTensors::is_small(count)) small_.expect(count);
    }
  }

  /// With any content.
  std::shared_ptr<Tensor> make_tensor(const PlannedStep& step) {
    const Index count = element_count(step.axes);
    std::shared_ptr<const Axes> axes(shared_plan_, &step.axes);
    if (SmallTensors::is_small(count)) return small_.make(std::move(axes), count, memory_);
    return std::make_shared<Tensor>(std::move(axes), Numbers(static_cast<std::size_t>(count), memory_));
  }

  /// If attention begins with this step, and all of it has to be computed, does that and returns how many steps it was.
  int compute_attention(std::size_t first) {
    const auto scores = static_cast<int>(first);
    // Small ones are in the cache from one step to the next anyway.
    constexpr double kWorthwhile = 1e6;
    if (plan_.steps[first].flops < kWorthwhile || !is_to_be_computed(scores)) return 0;
    for (int weights = scores + 1; weights <= scores + 2 && weights < std::ssize(plan_.steps); ++weights) {
      const std::optional<AttentionSteps> attention = attention_with_weights(plan_, weights);
      if (!attention || attention->scores != scores) continue;
      const int last = attention->outputs >= 0 && is_to_be_computed(attention->outputs) ? attention->outputs : weights;
      // What comes between would have been computed by then.
      for (int step = scores; step <= last; ++step) {
        if (!is_to_be_computed(step)) return 0;
      }
      const int values = last == weights ? -1 : attention->v;
      if (values > scores) return 0;
      compute_together(*attention, last);
      return last - scores + 1;
    }
    return 0;
  }

  void compute_together(const AttentionSteps& attention, int last) {
    std::vector<std::shared_ptr<Tensor>> made;
    for (int step = attention.scores; step <= last; ++step)
      made.push_back(make_tensor(plan_.steps[static_cast<std::size_t>(step)]));
    AttentionTensors tensors;
    tensors.q = results_[static_cast<std::size_t>(attention.q)].tensor.get();
    tensors.k = results_[static_cast<std::size_t>(attention.k)].tensor.get();
    tensors.scores = made.front().get();
    if (attention.masked >= 0) tensors.masked = made[1].get();
    tensors.weights = made[static_cast<std::size_t>(attention.weights - attention.scores)].get();
    if (last > attention.weights) {
      tensors.v = results_[static_cast<std::size_t>(attention.v)].tensor.get();
      tensors.outputs = made.back().get();
    }
    attnscope::compute_attention(plan_, attention, tensors, context_);
    for (int step = attention.scores; step <= last; ++step) {
      const PlannedStep& planned = plan_.steps[static_cast<std::size_t>(step)];
      add_result(planned, std::move(made[static_cast<std::size_t>(step - attention.scores)]), false);
      done_flops_ += planned.flops;
    }
  }

  void compute_step(const PlannedStep& step) {
    done_flops_ += step.flops;
    std::shared_ptr<Tensor> tensor = make_tensor(step);
    if (const auto* operation = std::get_if<DrawOperation>(&step.operation)) {
      Generator generator = after_draws_.empty() ? Generator(context_.seed) : after_draws_.back();
      draw(*operation, context_, generator, *tensor);
      after_draws_.push_back(std::move(generator));
    } else {
      inputs_.clear();
      for (const int input : step.inputs) inputs_.push_back(results_[static_cast<std::size_t>(input)].tensor.get());
      compute(step, inputs_, context_, *tensor);
    }
    const auto given = step.inputs.empty() ? substitutions_.find(step.name) : substitutions_.end();
    if (given == substitutions_.end()) return add_result(step, std::move(tensor), false);
    assert(given->second->axes() == step.axes);
    add_result(step, given->second, true);
  }

  /// `given`: the numbers are not what the operation makes.
  double add_bound(const PlannedStep& step, bool given) {
    input_bounds_.clear();
    for (const int input : step.inputs) input_bounds_.push_back(bounds_[static_cast<std::size_t>(input)]);
    bounds_.push_back(given ? std::numeric_limits<double>::infinity() : magnitude_bound(step, input_bounds_));
    return bounds_.back();
  }

  void add_result(const PlannedStep& step, std::shared_ptr<const Tensor> tensor, bool given) {
    StepResult result = {std::move(tensor), 0};
    if (!std::isfinite(add_bound(step, given)) && !progress_.stop.stop_requested()) {
      bounds_.back() = magnitude_of(result.tensor->values());
      if (!std::isfinite(bounds_.back()) && !std::holds_alternative<MaskOperation>(step.operation))
        result.not_finite = not_finite_count(result.tensor->values());
    }
    results_.push_back(std::move(result));
  }

  void tell_progress() const {
    if (progress_.fraction == nullptr || progress_.total_flops <= 0) return;
    *progress_.fraction =
        static_cast<float>(std::min(1.0, (progress_.done_flops + done_flops_) / progress_.total_flops));
  }

  std::shared_ptr<const Plan> shared_plan_;
  const Plan& plan_;
  const std::vector<bool>& held_;
  const Progress& progress_;
  const Substitutions& substitutions_;
  std::shared_ptr<MemoryStore> memory_;
  StepContext context_;
  std::vector<int> same_;
  std::vector<StepResult> results_;
  std::vector<double> bounds_;
  std::vector<Generator> after_draws_;
  SmallTensors small_;
  std::vector<const Tensor*> inputs_;  ///< of the step under way
  std::vector<double> input_bounds_;
  double done_flops_ = 0;
  Index taken_over_ = 0;
};

}  // namespace

struct Runner::State {
  double memory_budget = kDefaultMemoryBudget;
  std::shared_ptr<MemoryStore> memory = std::make_shared<MemoryStore>();
  Finished last;
  Index taken_over = 0;
  // The plan made last, and for what.
  Experiment planned;
  std::shared_ptr<const Plan> plan;

  const std::shared_ptr<const Plan>& plan_of(const Experiment& experiment) {
    if (plan == nullptr || !same_plan(planned, experiment)) {
      plan = std::make_shared<const Plan>(attnscope::plan(experiment));
      planned = experiment;
    }
    return plan;
  }
};

Runner::Runner(double memory_budget) : state_(std::make_unique<State>()) { state_->memory_budget = memory_budget; }
Runner::~Runner() = default;

Cost Runner::prepare(const Experiment& experiment) {
  const Plan& plan = *state_->plan_of(experiment);
  return held_cost(plan, held_steps(plan, state_->memory_budget));
}

Result<std::shared_ptr<const Trace>> Runner::run(const Experiment& experiment, const Progress& progress,
                                                 const Substitutions& substitutions) {
  return run(experiment, state_->plan_of(experiment), progress, substitutions);
}

Result<std::shared_ptr<const Trace>> Runner::run(const Experiment& experiment, const std::shared_ptr<const Plan>& plan,
                                                 const Progress& progress, const Substitutions& substitutions) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<bool> held = held_steps(*plan, state_->memory_budget);
  const double bytes = held_cost(*plan, held).bytes;
  // A trace's worth, so that one can be shown while the next is computed.
  state_->memory->keep_at_most(static_cast<std::size_t>(std::min(bytes * 1.25, 1e18)));
  try {
    Computation computation(plan, held, experiment.seed, progress, substitutions, state_->memory);
    if (!computation.run(substitutions.empty() ? state_->last : Finished{})) return fail("stopped before it was done");
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    state_->taken_over = computation.taken_over();
    Finished finished = computation.finish(experiment, taken.count());
    std::shared_ptr<const Trace> trace = finished.trace;
    state_->last = substitutions.empty() ? std::move(finished) : Finished{};
    return trace;
  } catch (const std::bad_alloc&) {
    return fail("this machine has no room for the " + bytes_text(bytes) + " that the experiment takes");
  }
}

void Runner::forget_results() {
  if (state_->last.trace == nullptr) return;
  const Trace& last = *state_->last.trace;
  std::vector<StepResult> given;
  given.reserve(last.steps().size());
  for (const Step& step : last.steps())
    given.push_back(step.inputs.empty() ? StepResult{step.tensor, step.not_finite} : StepResult{});
  state_->last.trace = std::make_shared<const Trace>(last.experiment(), last.plan(), std::move(given), 0);
}

Index Runner::steps_taken_over() const { return state_->taken_over; }

Result<std::shared_ptr<const Trace>> run(const Experiment& experiment, const Progress& progress,
                                         const Substitutions& substitutions) {
  return Runner().run(experiment, progress, substitutions);
}

}  // namespace attnscope
