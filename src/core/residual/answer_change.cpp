#include "core/residual/answer_change.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/trace/run.h"

namespace attnscope {
namespace {

std::shared_ptr<const Tensor> logits_at(const Trace& trace, Index position) {
  const int logits = residual_stream(trace)->logits;
  const Axes& axes = trace.step(logits).axes;
  return trace.numbers(region_within(logits, axes, std::vector<Index>{position}));
}

}  // namespace

std::vector<double> log_softmax(std::span<const float> logits) {
  const auto largest = static_cast<double>(*std::ranges::max_element(logits));
  double sum = 0;
  for (const float each : logits) sum += std::exp(static_cast<double>(each) - largest);
  const double shift = largest + std::log(sum);
  std::vector<double> all;
  all.reserve(logits.size());
  for (const float each : logits) all.push_back(static_cast<double>(each) - shift);
  return all;
}

std::shared_ptr<const Trace> without_interventions(const Trace& trace, const StopToken& stop) {
  Experiment bare = trace.experiment();
  bare.interventions.clear();
  bare.edits.clear();
  return run_beside(trace, bare, stop);
}

AnswerChange change_of_answer(const Trace& before, const Trace& after, Index position, Index answer) {
  const std::shared_ptr<const Tensor> logits_before = logits_at(before, position);
  const std::shared_ptr<const Tensor> logits_after = logits_at(after, position);
  const std::vector<double> log_before = log_softmax(logits_before->values());
  const std::vector<double> log_after = log_softmax(logits_after->values());
  const auto at = static_cast<std::size_t>(answer);
  AnswerChange change;
  change.before = {answer, static_cast<double>(logits_before->values()[at]), std::exp(log_before[at])};
  change.after = {answer, static_cast<double>(logits_after->values()[at]), std::exp(log_after[at])};
  change.logit = change.after.logit - change.before.logit;
  change.log_probability = log_after[at] - log_before[at];
  for (std::size_t i = 0; i < log_before.size(); ++i) {
    // What has the probability 0 adds nothing, although its logarithm is no number.
    if (const double share = std::exp(log_before[i]); share != 0)
      change.divergence += share * (log_before[i] - log_after[i]);
  }
  return change;
}

AnswerChange answer_change(const Trace& before, const Trace& after, Index position) {
  const std::shared_ptr<const Tensor> logits = logits_at(before, position);
  const auto first = std::ranges::max_element(logits->values()) - logits->values().begin();
  return change_of_answer(before, after, position, first);
}

}  // namespace attnscope
