// Steps that are computed together: an attention, or a product with its rearrangements.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/compute/attention_steps.h"
#include "core/compute/rearranged_copy.h"
#include "core/kernels/isa/instruction_set.h"
#include "core/operations/contract.h"
#include "core/operations/rearrange.h"
#include "core/trace/plan_run.h"
#include "core/trace/step_box.h"

namespace attnscope {
namespace {

// With fewer operations, results stay in the cache from one step to the next anyway.
constexpr double kWorthTogether = 1e6;

// Numbers of a head's keys beyond which they are not packed all at once: the table of a language model's vocabulary is
// not copied.
constexpr Index kMostPacked = Index{1} << 23U;

// Scores with fewer operations, and masks that keep a larger share, are computed at once; so are scores with more
// operations than `most_left`, because the first reader has to wait: some tenths of a second.
constexpr double kWorthLeaving = 2e7;
constexpr double kMostKept = 0.75;
double most_left() { return kernels().lanes >= 8 ? 4e10 : 2e9; }

/// Boxes with all scores that no query of any head keeps, and some of the others: a few rows at a time.
std::vector<Region> hidden_boxes(const Plan& plan, const AttentionSteps& attention, const Region& whole) {
  constexpr Index kRows = 128;
  const std::size_t query = attention.leading.size();
  const std::size_t key = query + 1;
  Region firsts = whole;  // a cell for each head
  for (const std::size_t axis : {query, key}) firsts.end[axis] = 1;
  // What all heads keep of each query.
  std::vector<KeptKeys> kept;
  for_each_run(firsts, [&](Index /*number*/, const std::vector<Index>& cell) {
    const std::vector<KeptKeys> each = kept_keys(plan, attention, std::span(cell).first(query));
    if (kept.empty()) kept = each;
    for (std::size_t i = 0; i < kept.size(); ++i)
      kept[i] = {std::max(kept[i].begin, each[i].begin), std::min(kept[i].end, each[i].end)};
  });
  std::vector<Region> boxes;
  for (Index begin = 0; begin < attention.sizes.queries; begin += kRows) {
    Region box = whole;
    box.begin[query] = begin;
    box.end[query] = std::min(attention.sizes.queries, begin + kRows);
    KeptKeys common = {0, attention.sizes.keys};
    for (Index row = begin; row < box.end[query]; ++row) {
      const KeptKeys& each = kept[static_cast<std::size_t>(row)];
      common = {std::max(common.begin, each.begin), std::min(common.end, each.end)};
    }
    if (common.begin >= common.end) common = {0, 0};
    for (const KeptKeys& hidden : {KeptKeys{0, common.begin}, KeptKeys{common.end, attention.sizes.keys}}) {
      if (hidden.begin >= hidden.end) continue;
      boxes.push_back(box);
      boxes.back().begin[key] = hidden.begin;
      boxes.back().end[key] = hidden.end;
    }
  }
  return boxes;
}

int last_of(const AttentionSteps& attention) { return attention.outputs >= 0 ? attention.outputs : attention.weights; }

}  // namespace

bool PlanRun::is_worth_more(int first) const {
  return planned(first).flops >= kWorthTogether && is_to_be_computed(first) && !reads_boxes(planned(first)) &&
         !has_known_rows(first);
}

int PlanRun::compute_together(int first) {
  if (!is_worth_more(first)) return 0;
  if (const int steps = compute_attention(first); steps > 0) return steps;
  const auto* product = as<ContractOperation>(planned(first).operation);
  return product != nullptr ? compute_rearranged(*product, first) : 0;
}

std::optional<AttentionSteps> PlanRun::attention_at(int scores) const {
  for (int weights = scores + 1; weights <= scores + 2 && weights < std::ssize(plan_.steps); ++weights) {
    std::optional<AttentionSteps> attention = attention_with_weights(plan_, weights);
    if (!attention || attention->scores != scores || attention->sizes.keys * attention->sizes.dim > kMostPacked)
      continue;
    assert(weights - scores == (attention->masked >= 0 ? 2 : 1));
    if (attention->outputs >= 0 && !is_to_be_computed(attention->outputs)) attention->outputs = attention->v = -1;
    // If one of the steps between is known, so are those that it is computed from.
    for (int step = scores; step <= last_of(*attention); ++step) {
      if (!is_to_be_computed(step)) return std::nullopt;
    }
    if (attention->v > scores) return std::nullopt;
    return attention;
  }
  return std::nullopt;
}

PlanRun::FusedSteps PlanRun::make_tensors(const AttentionSteps& attention, bool hidden_later) {
  const int last = last_of(attention);
  FusedSteps steps = make_tensors(attention.scores, last + (attention.outputs >= 0 ? rearrangements_behind(last) : 0));
  if (!hidden_later) return steps;
  // A tensor of which something can be put off; it has no gaps.
  std::vector<Index> room;
  for (const Axis& axis : planned(attention.scores).axes) room.push_back(axis.size);
  std::shared_ptr<const Axes> axes(shared_plan_, &planned(attention.scores).axes);
  steps.made.front() = Tensor::with_room(std::move(axes), std::move(room), memory_);
  return steps;
}

AttentionTensors PlanRun::tensors_of(const AttentionSteps& attention, const FusedSteps& steps) const {
  AttentionTensors tensors;
  tensors.q = tensor_of(attention.q);
  tensors.k = tensor_of(attention.k);
  tensors.scores = steps.tensor(attention.scores);
  if (attention.masked >= 0) tensors.masked = steps.tensor(attention.masked);
  tensors.weights = steps.tensor(attention.weights);
  if (attention.outputs >= 0) {
    tensors.v = tensor_of(attention.v);
    tensors.outputs = steps.tensor(attention.outputs);
  }
  return tensors;
}

int PlanRun::compute_attention(int scores) {
  const std::optional<AttentionSteps> attention = attention_at(scores);
  if (!attention) return 0;
  const bool hidden_later = leaves_hidden(*attention);
  FusedSteps steps = make_tensors(*attention, hidden_later);
  const RowSink made = copies_of(steps, last_of(*attention));
  AttentionTensors tensors = tensors_of(*attention, steps);
  tensors.hidden_later = hidden_later;
  attnscope::compute_attention(plan_, *attention, tensors, whole_region(scores, planned(scores).axes), context_,
                               made ? &made : nullptr);
  if (hidden_later) put_off_hidden(*attention, *steps.tensor(scores));
  return add_results(std::move(steps));
}

bool PlanRun::leaves_hidden(const AttentionSteps& attention) {
  const PlannedStep& scores = planned(attention.scores);
  if (attention.masked < 0 || scores.flops < kWorthLeaving || scores.flops > most_left()) return false;
  // A longer text reuses all of these scores.
  if (reads_tokens(plan_) || !std::isfinite(bound_of(scores))) return false;
  return kept_share(plan_, attention) <= kMostKept;
}

void PlanRun::put_off_hidden(const AttentionSteps& attention, const Tensor& scores) const {
  const Region whole = whole_region(attention.scores, planned(attention.scores).axes);
  const auto step = static_cast<std::size_t>(attention.scores);
  std::vector<std::shared_ptr<const Tensor>> inputs;
  for (const int input : planned(attention.scores).inputs)
    inputs.push_back(results_[static_cast<std::size_t>(input)].tensor);
  scores.put_off(whole.begin, whole.end,
                 [plan = shared_plan_, step, attention, whole, inputs = std::move(inputs)](Tensor& out) {
                   // Of its own: whoever reads first is any thread, perhaps one of a pool that is busy.
                   ThreadPool pool;
                   StepContext context;
                   context.pool = &pool;
                   for (const Region& box : hidden_boxes(*plan, attention, whole))
                     attnscope::compute_box(*plan, plan->steps[step], box, inputs, context, out);
                 });
}

int PlanRun::compute_rearranged(const ContractOperation& product, int step) {
  const int rearranged = rearrangements_behind(step);
  if (rearranged == 0) return 0;
  FusedSteps steps = make_tensors(step, step + rearranged);
  const RowSink made = copies_of(steps, step);
  multiply(product, inputs_of(planned(step)), context_, *steps.tensor(step), &made);
  return add_results(std::move(steps));
}

int PlanRun::rearrangements_behind(int of) const {
  int step = of + 1;
  for (; step < std::ssize(plan_.steps) && is_to_be_computed(step); ++step) {
    const auto* rearrange = as<RearrangeOperation>(planned(step).operation);
    if (rearrange == nullptr || planned(step).inputs[0] != of || !RearrangedCopy::keeps_runs(*rearrange)) break;
  }
  return step - of - 1;
}

PlanRun::FusedSteps PlanRun::make_tensors(int first, int last) {
  FusedSteps steps = {first, {}};
  steps.made.reserve(static_cast<std::size_t>(last - first) + 1);
  for (int step = first; step <= last; ++step) steps.made.push_back(make_tensor(planned(step)));
  return steps;
}

RowSink PlanRun::copies_of(const FusedSteps& steps, int of) const {
  std::vector<RearrangedCopy> copies;
  for (int step = of + 1; step < steps.first + std::ssize(steps.made); ++step) {
    copies.emplace_back(*as<RearrangeOperation>(planned(step).operation), steps.tensor(step)->values().data());
  }
  if (copies.empty()) return {};
  const float* const begin = steps.tensor(of)->values().data();
  return [copies = std::move(copies), begin](const float* first, Index length, Index count, Index apart) {
    for (const RearrangedCopy& each : copies) each.copy(first - begin, first, length, count, apart);
  };
}

int PlanRun::add_results(FusedSteps steps) {
  int step = steps.first;
  for (std::shared_ptr<Tensor>& made : steps.made) {
    add_result(planned(step), std::move(made), false);
    done_flops_ += planned(step).flops;
    ++step;
  }
  return step - steps.first;
}

}  // namespace attnscope
