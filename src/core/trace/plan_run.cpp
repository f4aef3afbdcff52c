#include "core/trace/plan_run.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/experiment/random_numbers.h"
#include "core/trace/grown_tensor.h"
#include "core/trace/magnitude_bound.h"
#include "core/trace/step_box.h"

namespace attnscope {
namespace {

/// Goes by their bits, in 32-bit steps, which the compiler vectorizes.
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

// Draws between two looks at the clock: some 10 ms.
constexpr std::uint64_t kDrawsBetweenChecks = 10'000'000;

bool all_finite(const Trace& trace) {
  return std::all_of(trace.steps().begin(), trace.steps().end(), [](const Step& step) { return step.not_finite == 0; });
}

/// Sets what keys of a longer text will have in rows of a tensor with room.
void fill_behind_rows(Tensor& tensor, const Region& rows, float number) {
  const std::size_t keys = rows.end.size() - 1;
  for_each_run(rows, [&](Index /*at*/, const std::vector<Index>& index) {
    float* const row = tensor.first() + tensor.place(index);
    std::fill(row + rows.size(keys), row + tensor.apart(keys - 1), number);
  });
}

bool is_draw(const PlannedStep& step) { return step.operation->traits().draws; }

/// For every step of `plan`, the position of the same numbers in `last`, or −1.
std::vector<int> same_steps(const Plan& plan, const Trace& last, bool same_seed) {
  std::vector<int> same(plan.steps.size(), -1);
  const std::span<const PlannedStep> known = last.plan()->steps;
  bool same_draws = same_seed;
  std::size_t next = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PlannedStep& step = plan.steps[i];
    // Most plans have the same steps in the same order, give or take a few.
    if (next >= known.size() || known[next].name != step.name) {
      const Step* found = last.find(step.name);
      next = found == nullptr ? known.size() : static_cast<std::size_t>(found - last.steps().data());
    }
    bool equal = next < known.size();
    if (equal) {
      const PlannedStep& other = known[next];
      const OperationTraits traits = step.operation->traits();
      const bool same_numbers = traits.restarts_draws ? same_seed : same_draws;
      equal = (traits.draws ? same_numbers : same_seed || !traits.uses_seed) &&
              (&step == &other || (step.axes == other.axes && step.inputs.size() == other.inputs.size() &&
                                   step.operation == other.operation));
      for (std::size_t k = 0; k < step.inputs.size() && equal; ++k)
        equal = same[static_cast<std::size_t>(step.inputs[k])] == other.inputs[k];
      // What was not resident may have room now; but what is read is the same.
      equal = equal && (last.steps()[next].tensor != nullptr || traits.reads_file);
      if (equal) same[i] = static_cast<int>(next);
      ++next;
    }
    if (is_draw(step)) same_draws = equal;
  }
  return same;
}

}  // namespace

PlanRun::PlanRun(std::shared_ptr<const Plan> plan, const std::vector<bool>& held, std::uint64_t seed,
                 const Progress& progress, const Substitutions& substitutions, std::shared_ptr<MemoryStore> memory)
    : shared_plan_(std::move(plan)),
      plan_(*shared_plan_),
      resident_(held),
      progress_(progress),
      substitutions_(substitutions),
      memory_(std::move(memory)),
      context_{seed, progress.pool, progress.stop, &failure_} {
  results_.reserve(plan_.steps.size());
  bounds_.reserve(plan_.steps.size());
}

void PlanRun::begin(const RunResult& last) {
  before_ = &last;
  last_ = last.trace.get();
  if (last_ != nullptr) {
    same_ = same_steps(plan_, *last_, last_->experiment().seed == context_.seed);
    if (all_finite(*last_)) known_ = known_rows(plan_, *last_, same_);
  }
  if (progress_.stop.stop_requested()) return;
  find_passing();
  expect_small();
}

PlanRun::State PlanRun::go_on(std::optional<StopClock::time_point> until) {
  if (progress_.stop.stop_requested()) return State::failed;
  while (next_ < plan_.steps.size()) {
    int done = under_way_ ? compute_parts(until) : compute_next(until);
    if (context_.gives_up()) return State::failed;
    for (; done > 0; --done) drop_passed(next_++);
    tell_progress();
    if (until && next_ < plan_.steps.size() && StopClock::now() >= *until) return State::under_way;
  }
  return State::done;
}

int PlanRun::compute_next(std::optional<StopClock::time_point> until) {
  const PlannedStep& step = plan_.steps[next_];
  const int at = static_cast<int>(next_);
  if (!resident_[next_] && passing_until_[next_] == 0) {
    add_bound(step, false);
    results_.emplace_back();
  } else if (has_known_rows(at)) {
    continue_step(next_, until.has_value());
    return 0;
  } else if (until && begin_parts()) {
    return 0;
  } else if (const int steps = compute_together(at); steps > 0) {
    return steps;
  } else if (!is_to_be_computed(at)) {
    reuse(step, static_cast<std::size_t>(same_[next_]));
  } else {
    return compute_step(step, until) ? 1 : 0;
  }
  return 1;
}

void PlanRun::find_passing() {
  passing_until_.assign(plan_.steps.size(), 0);
  for (std::size_t i = plan_.steps.size(); i-- > 0;) {
    if (!is_to_be_computed(static_cast<int>(i))) continue;
    for (const int input : plan_.steps[i].inputs) {
      const auto at = static_cast<std::size_t>(input);
      if (!resident_[at] && !is_read_in_boxes(input)) passing_until_[at] = std::max(passing_until_[at], i);
    }
  }
}

void PlanRun::drop_passed(std::size_t done) {
  for (const int input : plan_.steps[done].inputs) {
    const auto at = static_cast<std::size_t>(input);
    if (passing_until_[at] == done) results_[at].tensor.reset();
  }
}

RunResult PlanRun::finish(Experiment experiment, double seconds, double memory_budget) {
  return {
      std::make_shared<const Trace>(std::move(experiment), shared_plan_, std::move(results_), seconds, memory_budget),
      std::move(bounds_), std::move(after_draws_)};
}

void PlanRun::continue_step(std::size_t step, bool in_parts) {
  const PlannedStep& planned = plan_.steps[step];
  const KnownRows& known = known_[step];
  const Tensor& old = *last_->step(known.step).tensor;
  std::shared_ptr<Tensor> tensor = grown_tensor(shared_plan_, step, known, old, {small_, memory_, context_.pool});
  const bool is_bounded = std::isfinite(add_bound(planned, false));
  std::vector<Region> added(1, whole_region(static_cast<int>(step), planned.axes));
  added[0].begin[static_cast<std::size_t>(known.axis)] = known.rows;
  if (known.later_keys && tensor->has_room()) fill_behind_rows(*tensor, added[0], *known.later_keys);
  if (known.square) {
    Region beside = whole_region(static_cast<int>(step), planned.axes);
    beside.end[static_cast<std::size_t>(known.axis)] = known.rows;
    beside.begin.back() = known.rows;
    if (!known.later_keys) {
      if (!is_bounded || !put_off(step, beside, *tensor)) added.push_back(std::move(beside));
    } else if (!tensor->has_room()) {
      for_each_run(beside, [&](Index /*at*/, const std::vector<Index>& index) {
        std::fill_n(tensor->first() + tensor->place(index), beside.size(index.size() - 1), *known.later_keys);
      });
    }
  }
  const double work = work_of(static_cast<int>(step), 1);
  const double each = in_parts ? kWorkOfPart : std::numeric_limits<double>::infinity();
  under_way_.emplace(StepUnderWay{{static_cast<int>(step), {}}, {added, work, each, planned.axes.size()}, {}, {}});
  under_way_->steps.made.push_back(std::move(tensor));
  under_way_->known_bound = before_->bounds[static_cast<std::size_t>(known.step)];
  under_way_->added = std::move(added);
}

bool PlanRun::put_off(std::size_t step, const Region& box, const Tensor& whole) const {
  if (!whole.has_room()) return false;
  std::vector<std::shared_ptr<const Tensor>> inputs;
  for (const int input : plan_.steps[step].inputs) {
    const auto at = static_cast<std::size_t>(input);
    if (!resident_[at]) return false;
    inputs.push_back(results_[at].tensor);
  }
  whole.put_off(box.begin, box.end,
                [plan = shared_plan_, step, box, inputs = std::move(inputs), seed = context_.seed](Tensor& out) {
                  StepContext context;
                  context.seed = seed;
                  attnscope::compute_box(*plan, plan->steps[step], box, inputs, context, out);
                });
  return true;
}

void PlanRun::compute_box(const PlannedStep& step, const Region& region, Tensor& whole) {
  attnscope::compute_box({plan_, results_, context_, memory_}, step, region, whole);
}

bool PlanRun::is_read_in_boxes(int step) const {
  return !resident_[static_cast<std::size_t>(step)] && planned(step).operation->traits().reads_file;
}

bool PlanRun::reads_boxes(const PlannedStep& step) const {
  return std::any_of(step.inputs.begin(), step.inputs.end(), [this](int input) { return is_read_in_boxes(input); });
}

void PlanRun::reuse(const PlannedStep& step, std::size_t from) {
  const Step& known = last_->steps()[from];
  results_.push_back({known.tensor, known.not_finite});
  bounds_.push_back(before_->bounds[from]);
  if (is_draw(step)) {
    // Not as many as here: where weights stay, other numbers before them may be new or gone.
    const std::span<const PlannedStep> before = std::span(last_->plan()->steps).first(from);
    after_draws_.push_back(before_->after_draws[static_cast<std::size_t>(std::ranges::count_if(before, is_draw))]);
  }
  done_flops_ += step.flops;
  ++reused_;
}

bool PlanRun::has_known_rows(int step) const {
  const auto at = static_cast<std::size_t>(step);
  return resident_[at] && !known_.empty() && known_[at].rows > 0;
}

std::shared_ptr<const Tensor> PlanRun::given_for(const PlannedStep& step) const {
  const auto given = step.inputs.empty() ? substitutions_.find(step.name) : substitutions_.end();
  return given == substitutions_.end() ? nullptr : given->second;
}

bool PlanRun::is_to_be_computed(int step) const {
  const auto at = static_cast<std::size_t>(step);
  if (!resident_[at]) return passing_until_[at] > 0;
  return same_.empty() || same_[at] < 0 || last_->step(same_[at]).tensor == nullptr;
}

void PlanRun::expect_small() {
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    if (!is_to_be_computed(static_cast<int>(i))) continue;
    if (const Index count = element_count(plan_.steps[i].axes); SmallTensors::is_small(count)) small_.expect(count);
  }
}

std::span<const Tensor* const> PlanRun::inputs_of(const PlannedStep& step) {
  inputs_.clear();
  for (const int input : step.inputs) inputs_.push_back(tensor_of(input));
  return inputs_;
}

std::shared_ptr<Tensor> PlanRun::make_tensor(const PlannedStep& step) {
  const Index count = element_count(step.axes);
  std::shared_ptr<const Axes> axes(shared_plan_, &step.axes);
  if (SmallTensors::is_small(count)) return small_.make(std::move(axes), count, memory_);
  return std::make_shared<Tensor>(std::move(axes), Numbers(static_cast<std::size_t>(count), memory_));
}

bool PlanRun::find_draw(const PlannedStep& step, std::optional<StopClock::time_point> until) {
  if (!to_discard_) {
    Generator next = after_draws_.empty() ? Generator(context_.seed) : after_draws_.back();
    if (step.operation->traits().restarts_draws) next = Generator(weights_seed(context_.seed));
    after_draws_.push_back(next);
    to_discard_ = step.operation->traits().discards;
  }
  while (*to_discard_ > 0) {
    const std::uint64_t now = std::min(*to_discard_, kDrawsBetweenChecks);
    after_draws_.back().discard(now);
    *to_discard_ -= now;
    done_flops_ += static_cast<double>(now);
    if (context_.gives_up() || (until && *to_discard_ > 0 && StopClock::now() >= *until)) return false;
  }
  to_discard_.reset();
  return true;
}

bool PlanRun::compute_step(const PlannedStep& step, std::optional<StopClock::time_point> until) {
  const OperationTraits& traits = step.operation->traits();
  if (traits.draws) {
    if (!find_draw(step, until)) return false;
    context_.generator = &after_draws_.back();
  }
  std::shared_ptr<Tensor> tensor = make_tensor(step);
  if (reads_boxes(step)) {
    compute_box(step, whole_region(0, step.axes), *tensor);
  } else {
    step.operation->compute(inputs_of(step), context_, *tensor);
  }
  context_.generator = nullptr;
  done_flops_ += step.flops - static_cast<double>(traits.discards);
  const std::shared_ptr<const Tensor> given = given_for(step);
  assert(given == nullptr || given->axes() == step.axes);
  add_result(step, given != nullptr ? given : std::move(tensor), given != nullptr);
  return true;
}

double PlanRun::bound_of(const PlannedStep& step) {
  input_bounds_.clear();
  for (const int input : step.inputs) input_bounds_.push_back(bounds_[static_cast<std::size_t>(input)]);
  return magnitude_bound(step, input_bounds_);
}

double PlanRun::add_bound(const PlannedStep& step, bool given) {
  bounds_.push_back(given ? std::numeric_limits<double>::infinity() : bound_of(step));
  return bounds_.back();
}

void PlanRun::add_result(const PlannedStep& step, std::shared_ptr<const Tensor> tensor, bool given) {
  results_.push_back({std::move(tensor), 0});
  if (!std::isfinite(add_bound(step, given))) search_result(step);
}

void PlanRun::search_result(const PlannedStep& step) {
  if (progress_.stop.stop_requested()) return;
  StepResult& result = results_.back();
  bounds_.back() = magnitude_of(result.tensor->values());
  if (std::isfinite(bounds_.back()) || step.operation->traits().fills_infinities) return;
  result.not_finite = not_finite_count(result.tensor->values());
  // A weight of 0 times NaN is NaN: now rows do depend on tokens that follow.
  if (result.not_finite > 0) known_.clear();
}

void PlanRun::add_grown(const PlannedStep& step, std::shared_ptr<const Tensor> tensor, double known_bound,
                        std::span<const Region> added) {
  results_.push_back({std::move(tensor), 0});
  if (std::isfinite(bounds_.back())) return;
  // All of a long text would be searched for every token that is typed.
  double bound = known_bound;
  for (const Region& box : added) {
    if (std::isfinite(bound)) bound = std::max(bound, magnitude_of(*results_.back().tensor, box));
  }
  if (!std::isfinite(bound)) return search_result(step);
  bounds_.back() = bound;
}

void PlanRun::tell_progress() const {
  if (progress_.fraction == nullptr || progress_.total_flops <= 0) return;
  double done = progress_.done_flops + done_flops_;
  if (under_way_) {
    for (std::size_t i = 0; i < under_way_->steps.made.size(); ++i)
      done += under_way_->parts.share() * plan_.steps[next_ + i].flops;
  }
  *progress_.fraction = static_cast<float>(std::min(1.0, done / progress_.total_flops));
}

}  // namespace attnscope
