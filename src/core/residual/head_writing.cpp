#include "core/residual/head_writing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/heads/attention_list.h"
#include "core/operations/contract.h"
#include "core/operations/feature_norm.h"
#include "core/residual/contributions.h"

namespace attnscope {
namespace {

constexpr Index kReadoutAtOnce = Index{1} << 22U;  // 16 MB

}  // namespace

Result<HeadWriting> HeadWriting::of(const Trace& trace, const ScoreChoice& choice) {
  Result<ResidualSum> sum = residual_sum(trace);
  if (!sum) return tl::unexpected(sum.error());
  const std::vector<LayerAttention> all = layer_attentions(trace);
  const auto attention = std::ranges::find(all, choice.weights, &LayerAttention::weights);
  if (attention == all.end() || attention->kind == AttentionKind::encoder)
    return fail("The heads of the encoder write for the decoder, not for the answer.");
  const Result<HeadPath> path = head_path(trace, choice.weights);
  if (!path) return tl::unexpected(path.error());
  HeadWriting writing(trace, std::move(sum->stream), *path, choice);
  if (trace.step(writing.output_weights()).axes.front().name != "vocabulary")
    return fail("The answers of this model are not tokens.");
  return writing;
}

Region HeadWriting::value_at(Index key) const { return attnscope::value_at(trace_, path_, choice_.head, key); }

std::vector<double> HeadWriting::state(std::span<const float> value) const {
  std::vector<double> state = projected(value);
  through_readout(state);
  return state;
}

/// The value through the projection, without its bias: [feature]. The recorded steps are run on outputs that are 0 but for
/// this head.
std::vector<double> HeadWriting::projected(std::span<const float> value) const {
  const std::vector<PlannedStep>& steps = trace_.plan()->steps;
  const StepContext context = {trace_.experiment().seed, nullptr, {}};
  const auto run = [&](const Region& region, const std::vector<Region>& sources, Inputs inputs) {
    const PlannedStep& step = steps[static_cast<std::size_t>(region.step)];
    Tensor out(region_axes(step.axes, region));
    step.operation->compute_part({{steps, step}, region, sources}, inputs, context, out);
    return out;
  };
  const Axes& axes = trace_.step(path_.projection).axes;
  const Region written = region_within(path_.projection, axes, std::vector<Index>{choice_.query});
  const std::vector<Region> sources = regions_behind(steps, written);
  const std::vector<Region> heads = regions_behind(steps, sources[0]);
  Tensor alone(region_axes(trace_.step(heads[0].step).axes, heads[0]));
  std::ranges::fill(alone.values(), 0.0F);
  std::ranges::copy(value, alone.values().begin() + choice_.head * std::ssize(value));
  const Tensor row = run(sources[0], heads, std::vector<const Tensor*>{&alone});
  const auto matrix = trace_.numbers(sources[1]);
  std::vector<const Tensor*> inputs = {&row, matrix.get()};
  Tensor no_bias(region_axes(axes, written));
  if (sources.size() > 2) {
    no_bias = Tensor(region_axes(trace_.step(sources[2].step).axes, sources[2]));
    std::ranges::fill(no_bias.values(), 0.0F);
    inputs.push_back(&no_bias);
  }
  const Tensor out = run(written, sources, inputs);
  return {out.values().begin(), out.values().end()};
}

void HeadWriting::through_readout(std::vector<double>& added) const {
  for (const int number : stream_.readout) {
    const Step& step = trace_.step(number);
    const auto* const norm = as<FeatureNormOperation>(step.operation);
    if (norm == nullptr) continue;
    const auto mean_of = [&](const std::vector<double>& numbers) {
      const auto count = static_cast<double>(numbers.size());
      return norm->centered ? std::accumulate(numbers.begin(), numbers.end(), 0.0) / count : 0.0;
    };
    const Axes& axes = trace_.step(step.inputs[0]).axes;
    const std::vector<double> row =
        numbers_in(trace_, region_within(step.inputs[0], axes, std::vector<Index>{choice_.query}));
    const std::vector<double> scale =
        numbers_in(trace_, whole_region(step.inputs[1], trace_.step(step.inputs[1]).axes));
    const double mean = mean_of(row);
    double power = 0;
    for (const double x : row) power += (x - mean) * (x - mean) / static_cast<double>(row.size());
    const double own_mean = mean_of(added);
    for (std::size_t i = 0; i < added.size(); ++i)
      added[i] = (added[i] - own_mean) * scale[i] / std::sqrt(power + norm->epsilon);
  }
}

int HeadWriting::output_weights() const { return trace_.step(stream_.logits).inputs[1]; }

double HeadWriting::divisor() const { return as<ContractOperation>(trace_.step(stream_.logits).operation)->divisor; }

Result<void> HeadWriting::read_logits(const StopToken& stop,
                                      const std::function<void(Index first, std::span<const float> rows)>& use) const {
  const Axes& axes = trace_.step(output_weights()).axes;
  const Index at_once = std::max<Index>(1, kReadoutAtOnce / axes[1].size);
  for (Index first = 0; first < axes[0].size; first += at_once) {
    const Index end = std::min(first + at_once, axes[0].size);
    const auto numbers = trace_.numbers({output_weights(), {first, 0}, {end, axes[1].size}}, {0, nullptr, stop});
    if (stop.stop_requested()) return fail("stopped before it was done");
    use(first, numbers->values());
  }
  return {};
}

}  // namespace attnscope
