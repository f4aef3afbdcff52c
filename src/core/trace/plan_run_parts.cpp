// Long steps that are computed in parts, so that somebody need not wait for all of them.
#include <algorithm>

#include "core/compute/attention_steps.h"
#include "core/trace/plan_run.h"

namespace attnscope {
namespace {

// A part should cost this many times what each part needs anew: keys and values that are packed, a factor that is read.
constexpr double kWorthOfReading = 32;

double numbers_in(const std::vector<Region>& regions) {
  double numbers = 0;
  for (const Region& region : regions) numbers += static_cast<double>(region.count());
  return numbers;
}

}  // namespace

double PlanRun::work_of(int first, std::ptrdiff_t count) const {
  double work = 0;
  for (const PlannedStep& step :
       std::span(plan_.steps).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)))
    work += std::max(step.flops, static_cast<double>(element_count(step.axes)));
  return work;
}

double PlanRun::read_by_each_half(int step) const {
  const PlannedStep& planned_step = planned(step);
  const auto inputs_of_region = [&](const Region& region) {
    return numbers_in(planned_step.operation->input_regions({plan_.steps, planned_step}, region));
  };
  const Region whole = whole_region(step, planned_step.axes);
  for (std::size_t axis = 0; axis < whole.end.size(); ++axis) {
    if (whole.size(axis) < 2) continue;
    const double halves = inputs_of_region(half_of(whole, axis, false)) + inputs_of_region(half_of(whole, axis, true));
    return std::max(0.0, halves - inputs_of_region(whole));
  }
  return 0;
}

bool PlanRun::begin_parts() {
  const int at = static_cast<int>(next_);
  if (!is_to_be_computed(at)) return false;
  if (is_worth_more(at) && begin_attention_parts()) return true;
  const PlannedStep& step = planned(at);
  // Draws follow one another, and numbers that are given replace all of a tensor.
  if (step.operation->traits().draws || given_for(step) != nullptr) return false;
  if (step.inputs.empty() && !step.operation->has_parts()) return false;
  const double work = work_of(at, 1);
  if (work <= kWorkOfPart) return false;
  const double each = std::max(kWorkOfPart, kWorthOfReading * read_by_each_half(at));
  if (work <= each) return false;
  StepParts parts({whole_region(at, step.axes)}, work, each, step.axes.size());
  under_way_.emplace(StepUnderWay{make_tensors(at, at), std::move(parts), {}, {}});
  return true;
}

bool PlanRun::begin_attention_parts() {
  const int scores = static_cast<int>(next_);
  const std::optional<AttentionSteps> attention = attention_at(scores);
  if (!attention) return false;
  const int last = std::max(attention->weights, attention->outputs);
  const double work = work_of(scores, last - scores + 1);
  const AttentionSizes& sizes = attention->sizes;
  const auto packed = static_cast<double>(sizes.keys * (sizes.dim + sizes.value_dim));
  const double each = std::max(kWorkOfPart, kWorthOfReading * packed);
  if (work <= each) return false;
  const Region whole = whole_region(scores, planned(scores).axes);
  StepParts parts({whole}, work, each, attention->leading.size() + 1);
  under_way_.emplace(StepUnderWay{make_tensors(*attention), std::move(parts), attention, {}});
  under_way_->made = copies_of(under_way_->steps, last);
  return true;
}

int PlanRun::compute_parts(std::optional<StopClock::time_point> until) {
  while (!under_way_->parts.empty()) {
    compute_part(*under_way_, under_way_->parts.next());
    if (context_.gives_up()) return 0;
    if (until && !under_way_->parts.empty() && StopClock::now() >= *until) return 0;
  }
  return finish_parts();
}

void PlanRun::compute_part(const StepUnderWay& step, const Region& part) {
  if (!step.attention) return compute_box(planned(step.steps.first), part, *step.steps.made[0]);
  attnscope::compute_attention(plan_, *step.attention, tensors_of(*step.attention, step.steps), part, context_,
                               step.made ? &step.made : nullptr);
}

int PlanRun::finish_parts() {
  StepUnderWay step = std::move(*under_way_);
  under_way_.reset();
  if (!step.known_bound) return add_results(std::move(step.steps));
  const PlannedStep& grown = planned(step.steps.first);
  add_grown(grown, std::move(step.steps.made[0]), *step.known_bound, step.added);
  done_flops_ += grown.flops;
  return 1;
}

}  // namespace attnscope
