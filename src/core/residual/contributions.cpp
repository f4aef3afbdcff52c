#include "core/residual/contributions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/heads/attention_list.h"
#include "core/operations/add.h"
#include "core/operations/contract.h"
#include "core/operations/crop.h"
#include "core/operations/feature_norm.h"
#include "core/operations/intervene.h"
#include "core/operations/rearrange.h"
#include "core/operations/rearranged_index.h"

namespace attnscope {
namespace {

using Vector = std::vector<double>;

const Step& number_step(const Trace& trace, int number) { return trace.steps()[static_cast<std::size_t>(number)]; }

bool is_of_layer(const std::string& name) {
  return name.starts_with("layer") || name.find(".layer") != std::string::npos;
}

/// Adds the steps whose sum is the step `number`.
void find_summands(const Trace& trace, int number, std::vector<int>& summands) {
  const Step& step = number_step(trace, number);
  const auto* const add = as<AddOperation>(step.operation);
  if (add == nullptr || add->tanh || add->a != add->out || add->b != add->out) {
    summands.push_back(number);
    return;
  }
  for (const int input : step.inputs) find_summands(trace, input, summands);
}

/// Whether the logits are linear in the last state but for the divisor of a norm.
bool is_linear(const Trace& trace, const ResidualStream& stream) {
  return std::ranges::all_of(stream.readout, [&](int number) {
    const Operation& operation = number_step(trace, number).operation;
    return number == stream.logits ? is<ContractOperation>(operation)
                                   : is<FeatureNormOperation>(operation) || is<CropOperation>(operation);
  });
}

/// The numbers of a box in double precision.
Vector numbers_in(const Trace& trace, const Region& region) {
  const auto numbers = trace.numbers(region);
  return {numbers->values().begin(), numbers->values().end()};
}

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

/// logit = direction · (a row of the last state) + constant.
struct LinearLogit {
  Vector direction;
  double constant = 0;
  bool has_constant = false;
  std::optional<double> divisor;
  Index row = 0;  ///< of the last state
};

/// Goes through a norm, backwards.
void through_norm(const Trace& trace, const FeatureNormOperation& norm, const std::vector<Region>& sources,
                  LinearLogit& linear) {
  const Vector row = numbers_in(trace, sources[0]);
  const Vector scale = numbers_in(trace, sources[1]);
  const auto count = static_cast<double>(row.size());
  const double mean = norm.centered ? std::accumulate(row.begin(), row.end(), 0.0) / count : 0;
  double power = 0;
  for (const double x : row) power += (x - mean) * (x - mean) / count;
  linear.divisor = std::sqrt(power + norm.epsilon);
  if (sources.size() > 2) {
    linear.constant += dot(numbers_in(trace, sources[2]), linear.direction);
    linear.has_constant = true;
  }
  for (std::size_t i = 0; i < scale.size(); ++i) linear.direction[i] *= scale[i] / *linear.divisor;
  if (!norm.centered) return;
  // The mean of what is added is subtracted from it.
  const double shift = std::accumulate(linear.direction.begin(), linear.direction.end(), 0.0) / count;
  for (double& each : linear.direction) each -= shift;
}

/// The logit of one answer.
LinearLogit linear_logit(const Trace& trace, const ResidualStream& stream, Index position, Index answer) {
  const std::span<const PlannedStep> steps = trace.plan()->steps;
  LinearLogit linear;
  Region box = single_cell(stream.logits, std::vector<Index>{position, answer});
  std::vector<Region> sources = regions_behind(steps, box);
  linear.direction = numbers_in(trace, sources[1]);
  const double divisor = as<ContractOperation>(number_step(trace, stream.logits).operation)->divisor;
  for (double& each : linear.direction) each /= divisor;
  if (sources.size() > 2) {
    linear.constant = numbers_in(trace, sources[2]).front();
    linear.has_constant = true;
  }
  for (box = sources[0]; box.step != stream.states.back(); box = sources[0]) {
    sources = regions_behind(steps, box);
    const auto* const norm = as<FeatureNormOperation>(number_step(trace, box.step).operation);
    if (norm != nullptr) through_norm(trace, *norm, sources, linear);
  }
  linear.row = box.begin.front();
  return linear;
}

/// The logit of an answer, or the difference of two.
LinearLogit chosen_logit(const Trace& trace, const ResidualStream& stream, const LogitChoice& choice) {
  LinearLogit linear = linear_logit(trace, stream, choice.position, choice.answer);
  if (!choice.against) return linear;
  const LinearLogit other = linear_logit(trace, stream, choice.position, *choice.against);
  linear.constant -= other.constant;
  for (std::size_t i = 0; i < linear.direction.size(); ++i) linear.direction[i] -= other.direction[i];
  return linear;
}

/// The box of one token's row.
Region row_box(const Trace& trace, int number, Index row) {
  return region_within(number, number_step(trace, number).axes, std::vector<Index>{row});
}

/// The outputs of heads that the step merges and projects; null for other steps.
const Step* merged_heads(const Trace& trace, const Step& step) {
  if (!is<ContractOperation>(step.operation)) return nullptr;
  const Step& merged = number_step(trace, step.inputs[0]);
  if (!is<RearrangeOperation>(merged.operation)) return nullptr;
  const Step& heads = number_step(trace, merged.inputs[0]);
  return find_axis(heads.axes, "head") != nullptr ? &heads : nullptr;
}

/// The attention weights that the outputs of heads are computed with; −1: none.
int weights_behind(const Trace& trace, const Step& heads) {
  const std::vector<LayerAttention> all = layer_attentions(trace);
  for (const Step* step = &heads; !step->inputs.empty(); step = &number_step(trace, step->inputs[0])) {
    const auto found = std::ranges::find(all, step->inputs[0], &LayerAttention::weights);
    if (found != all.end()) return found->weights;
  }
  return -1;
}

/// The part of each merged feature: [feature].
Vector feature_parts(const Trace& trace, const ContractOperation& projection, const std::vector<Region>& sources,
                     const Vector& direction) {
  const Vector weights = numbers_in(trace, sources[1]);
  Vector parts = numbers_in(trace, sources[0]);
  // The matrix is [feature, output] or the other way round.
  const bool inputs_first = is_summed(projection, projection.b.front());
  const std::size_t from = inputs_first ? direction.size() : 1;
  const std::size_t to = inputs_first ? 1 : parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    double written = 0;
    for (std::size_t j = 0; j < direction.size(); ++j) written += weights[i * from + j * to] * direction[j];
    parts[i] *= written;
  }
  return parts;
}

/// What the heads of an attention add, each on its own.
LayerParts parts_of_heads(const Trace& trace, int number, const Step& heads, const LinearLogit& linear) {
  const Step& step = number_step(trace, number);
  const Step& merged = number_step(trace, step.inputs[0]);
  const auto* const projection = as<ContractOperation>(step.operation);
  const std::vector<Region> sources = regions_behind(trace.plan()->steps, row_box(trace, number, linear.row));
  const Vector parts = feature_parts(trace, *projection, sources, linear.direction);
  const Axis* const axis = find_axis(heads.axes, "head");
  LayerParts layer;
  layer.weights = weights_behind(trace, heads);
  layer.heads.resize(static_cast<std::size_t>(axis->size));
  const RearrangedIndex origin(*as<RearrangeOperation>(merged.operation), merged.axes);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Index offset = offset_in(merged.axes, std::vector<Index>{linear.row, static_cast<Index>(i)});
    const std::vector<Index> index = index_in(heads.axes, origin.source(offset));
    layer.heads[static_cast<std::size_t>(index[static_cast<std::size_t>(axis - heads.axes.data())])] += parts[i];
  }
  if (sources.size() > 2) layer.bias = dot(numbers_in(trace, sources[2]), linear.direction);
  return layer;
}

double sum_of(const Contributions& all) {
  double sum = all.biases.value_or(0);
  for (const EmbeddingPart& each : all.embeddings) sum += each.value;
  for (const LayerParts& layer : all.layers) {
    sum = std::accumulate(layer.heads.begin(), layer.heads.end(), sum);
    sum += layer.bias.value_or(0) + layer.mlp.value_or(0);
  }
  return sum;
}

double traced_logit(const Trace& trace, const ResidualStream& stream, const LogitChoice& choice) {
  const auto logit = [&](Index answer) {
    return static_cast<double>(trace.value(stream.logits, std::vector<Index>{choice.position, answer}));
  };
  return logit(choice.answer) - (choice.against ? logit(*choice.against) : 0);
}

}  // namespace

Result<ResidualSum> residual_sum(const Trace& trace) {
  std::optional<ResidualStream> stream = residual_stream(trace);
  if (!stream) return fail("This model has no output: its file has only the layers.");
  ResidualSum sum = {std::move(*stream), {}};
  find_summands(trace, sum.stream.states.back(), sum.summands);
  std::ranges::sort(sum.summands);
  const bool post_norm = std::ranges::any_of(sum.summands, [&](int number) {
    const Step& step = number_step(trace, number);
    return is<FeatureNormOperation>(step.operation) && is_of_layer(step.name);
  });
  if (post_norm) return fail("Every layer of this model normalizes the sum: its parts do not add up to a logit.");
  const bool replaced = std::ranges::any_of(
      sum.stream.states, [&](int number) { return is<InterveneOperation>(number_step(trace, number).operation); });
  if (replaced)
    return fail("An intervention replaces the residual stream: what was added before it is no longer in the sum.");
  if (!is_linear(trace, sum.stream))
    return fail("This model's output is not linear in the residual stream: its parts do not add up to a logit.");
  return sum;
}

std::optional<Contributions> contributions(const Trace& trace, const ResidualSum& sum, const LogitChoice& choice,
                                           const StopToken& stop) {
  const LinearLogit linear = chosen_logit(trace, sum.stream, choice);
  Contributions all;
  for (const int number : sum.summands) {
    if (stop.stop_requested()) return std::nullopt;
    const Step& step = number_step(trace, number);
    if (const Step* const heads = merged_heads(trace, step); heads != nullptr) {
      all.layers.push_back(parts_of_heads(trace, number, *heads, linear));
      continue;
    }
    const double value = dot(numbers_in(trace, row_box(trace, number, linear.row)), linear.direction);
    if (!is_of_layer(step.name)) {
      all.embeddings.push_back({number, value});
    } else {
      if (all.layers.empty() || all.layers.back().mlp) all.layers.emplace_back();
      all.layers.back().mlp = value;
    }
  }
  if (linear.has_constant) all.biases = linear.constant;
  all.divisor = linear.divisor;
  all.sum = sum_of(all);
  all.logit = traced_logit(trace, sum.stream, choice);
  return all;
}

}  // namespace attnscope
