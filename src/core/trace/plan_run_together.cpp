// Steps that are computed together: an attention, or a product with its rearrangements.
#include <cassert>

#include "core/compute/attention_steps.h"
#include "core/compute/rearranged_copy.h"
#include "core/operations/contract.h"
#include "core/operations/rearrange.h"
#include "core/trace/plan_run.h"

namespace attnscope {
namespace {

// With fewer operations, results stay in the cache from one step to the next anyway.
constexpr double kWorthTogether = 1e6;

// Numbers of a head's keys beyond which they are not packed all at once: the table of a language model's vocabulary is
// not copied.
constexpr Index kMostPacked = Index{1} << 23U;

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

PlanRun::FusedSteps PlanRun::make_tensors(const AttentionSteps& attention) {
  const int last = last_of(attention);
  return make_tensors(attention.scores, last + (attention.outputs >= 0 ? rearrangements_behind(last) : 0));
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
  FusedSteps steps = make_tensors(*attention);
  const RowSink made = copies_of(steps, last_of(*attention));
  attnscope::compute_attention(plan_, *attention, tensors_of(*attention, steps),
                               whole_region(scores, planned(scores).axes), context_, made ? &made : nullptr);
  return add_results(std::move(steps));
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
