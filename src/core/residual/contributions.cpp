#include "core/residual/contributions.h"

#include <algorithm>

#include "core/operations/contract.h"
#include "core/operations/crop.h"
#include "core/operations/feature_norm.h"
#include "core/operations/intervene.h"

namespace attnscope {
namespace {

/// Whether the logits are linear in the last state but for the divisor of a norm.
bool is_linear(const Trace& trace, const ResidualStream& stream) {
  return std::ranges::all_of(stream.readout, [&](int number) {
    const Operation& operation = trace.step(number).operation;
    return number == stream.logits ? is<ContractOperation>(operation)
                                   : is<FeatureNormOperation>(operation) || is<CropOperation>(operation);
  });
}

/// The logit of one answer.
LinearNumber linear_logit(const Trace& trace, const ResidualStream& stream, Index position, Index answer) {
  return *linear_number(trace, single_cell(stream.logits, std::vector<Index>{position, answer}), {1});
}

double traced_logit(const Trace& trace, const ResidualStream& stream, const LogitChoice& choice) {
  const auto logit = [&](Index answer) {
    return static_cast<double>(trace.value(stream.logits, std::vector<Index>{choice.position, answer}));
  };
  return logit(choice.answer) - (choice.against ? logit(*choice.against) : 0);
}

}  // namespace

LinearNumber logit_of_state(const Trace& trace, const ResidualStream& stream, const LogitChoice& choice) {
  LinearNumber linear = linear_logit(trace, stream, choice.position, choice.answer);
  if (!choice.against) return linear;
  const LinearNumber other = linear_logit(trace, stream, choice.position, *choice.against);
  linear.constant -= other.constant;
  for (std::size_t i = 0; i < linear.direction.size(); ++i) linear.direction[i] -= other.direction[i];
  return linear;
}

Result<ResidualSum> residual_sum(const Trace& trace) {
  std::optional<ResidualStream> stream = residual_stream(trace);
  if (!stream) return fail("This model has no output: its file has only the layers.");
  Result<std::vector<int>> summands = summands_of_stream(trace, stream->states.back());
  if (!summands) return tl::unexpected(summands.error());
  ResidualSum sum = {std::move(*stream), std::move(*summands)};
  const bool replaced = std::ranges::any_of(
      sum.stream.states, [&](int number) { return is<InterveneOperation>(trace.step(number).operation); });
  if (replaced)
    return fail("An intervention replaces the residual stream: what was added before it is no longer in the sum.");
  if (!is_linear(trace, sum.stream))
    return fail("This model's output is not linear in the residual stream: its parts do not add up to a logit.");
  return sum;
}

std::optional<Contributions> contributions(const Trace& trace, const ResidualSum& sum, const LogitChoice& choice,
                                           const StopToken& stop) {
  const LinearNumber linear = logit_of_state(trace, sum.stream, choice);
  std::optional<Contributions> all = parts_of(trace, sum.summands, linear, stop);
  if (all) all->traced = traced_logit(trace, sum.stream, choice);
  return all;
}

}  // namespace attnscope
