#include "core/residual/head_writing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/heads/attention_list.h"
#include "core/operations/contract.h"
#include "core/operations/feature_norm.h"
#include "core/residual/head_path.h"

namespace attnscope {
namespace {

constexpr Index kWeightsAtOnce = Index{1} << 22U;  // 16 MB

const Step& step_at(const Trace& trace, int number) { return trace.steps()[static_cast<std::size_t>(number)]; }

/// A head's output through the projection, without its bias: [feature]. The recorded steps are run on outputs that are 0
/// but for this head.
Result<std::vector<double>> projected_value(const Trace& trace, const ScoreChoice& choice,
                                            std::span<const float> value) {
  const Result<HeadPath> path = head_path(trace, choice.weights);
  if (!path) return tl::unexpected(path.error());
  const int projection = path->projection;
  const std::vector<PlannedStep>& steps = trace.plan()->steps;
  const StepContext context = {trace.experiment().seed, nullptr, {}};
  const auto run = [&](const Region& region, const std::vector<Region>& sources, Inputs inputs) {
    const PlannedStep& step = steps[static_cast<std::size_t>(region.step)];
    Tensor out(region_axes(step.axes, region));
    step.operation->compute_part({{steps, step}, region, sources}, inputs, context, out);
    return out;
  };
  const Axes& axes = step_at(trace, projection).axes;
  const Region written = region_within(projection, axes, std::vector<Index>{choice.query});
  const std::vector<Region> projected = regions_behind(steps, written);
  const std::vector<Region> heads = regions_behind(steps, projected[0]);
  Tensor alone(region_axes(step_at(trace, heads[0].step).axes, heads[0]));
  std::ranges::fill(alone.values(), 0.0F);
  std::ranges::copy(value, alone.values().begin() + choice.head * std::ssize(value));
  const Tensor row = run(projected[0], heads, std::vector<const Tensor*>{&alone});
  const auto matrix = trace.numbers(projected[1]);
  std::vector<const Tensor*> inputs = {&row, matrix.get()};
  Tensor no_bias(region_axes(axes, written));
  if (projected.size() > 2) {
    no_bias = Tensor(region_axes(step_at(trace, projected[2].step).axes, projected[2]));
    std::ranges::fill(no_bias.values(), 0.0F);
    inputs.push_back(&no_bias);
  }
  const Tensor out = run(written, projected, inputs);
  return std::vector<double>(out.values().begin(), out.values().end());
}

/// Takes what is added to the last state of a row through the final norm, whose divisor is held fixed.
void through_readout(const Trace& trace, const ResidualStream& stream, Index position, std::vector<double>& added) {
  for (const int number : stream.readout) {
    const Step& step = step_at(trace, number);
    const auto* const norm = as<FeatureNormOperation>(step.operation);
    if (norm == nullptr) continue;
    const auto mean_of = [&](const std::vector<double>& numbers) {
      const auto count = static_cast<double>(numbers.size());
      return norm->centered ? std::accumulate(numbers.begin(), numbers.end(), 0.0) / count : 0.0;
    };
    const Axes& axes = step_at(trace, step.inputs[0]).axes;
    const std::vector<double> row =
        numbers_in(trace, region_within(step.inputs[0], axes, std::vector<Index>{position}));
    const std::vector<double> scale =
        numbers_in(trace, whole_region(step.inputs[1], step_at(trace, step.inputs[1]).axes));
    const double mean = mean_of(row);
    double power = 0;
    for (const double x : row) power += (x - mean) * (x - mean) / static_cast<double>(row.size());
    const double own_mean = mean_of(added);
    for (std::size_t i = 0; i < added.size(); ++i)
      added[i] = (added[i] - own_mean) * scale[i] / std::sqrt(power + norm->epsilon);
  }
}

/// [vocabulary, feature]
int output_weights(const Trace& trace, const ResidualStream& stream) { return step_at(trace, stream.logits).inputs[1]; }

}  // namespace

Result<std::vector<double>> written_state(const Trace& trace, const ResidualStream& stream, const ScoreChoice& choice,
                                          std::span<const float> value) {
  Result<std::vector<double>> state = projected_value(trace, choice, value);
  if (state) through_readout(trace, stream, choice.query, *state);
  return state;
}

Result<void> check_writing(const Trace& trace, const ResidualStream& stream, int weights) {
  const std::vector<LayerAttention> all = layer_attentions(trace);
  const auto attention = std::ranges::find(all, weights, &LayerAttention::weights);
  if (attention == all.end() || attention->kind == AttentionKind::encoder)
    return fail("The heads of the encoder write for the decoder, not for the answer.");
  if (step_at(trace, output_weights(trace, stream)).axes.front().name != "vocabulary")
    return fail("The answers of this model are not tokens.");
  return {};
}

double logit_divisor(const Trace& trace, const ResidualStream& stream) {
  return as<ContractOperation>(step_at(trace, stream.logits).operation)->divisor;
}

Result<void> read_output_weights(const Trace& trace, const ResidualStream& stream, const StopToken& stop,
                                 const std::function<void(Index first, std::span<const float> rows)>& use) {
  const int weights = output_weights(trace, stream);
  const Axes& axes = step_at(trace, weights).axes;
  const Index at_once = std::max<Index>(1, kWeightsAtOnce / axes[1].size);
  for (Index first = 0; first < axes[0].size; first += at_once) {
    const Index end = std::min(first + at_once, axes[0].size);
    const auto numbers = trace.numbers({weights, {first, 0}, {end, axes[1].size}}, {0, nullptr, stop});
    if (stop.stop_requested()) return fail("stopped before it was done");
    use(first, numbers->values());
  }
  return {};
}

}  // namespace attnscope
