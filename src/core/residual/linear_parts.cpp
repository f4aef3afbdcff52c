#include "core/residual/linear_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "core/heads/attention_list.h"
#include "core/operations/add.h"
#include "core/operations/contract.h"
#include "core/operations/feature_norm.h"
#include "core/operations/intervene.h"
#include "core/operations/lookup.h"
#include "core/operations/mask.h"
#include "core/operations/rearrange.h"
#include "core/operations/rearranged_index.h"
#include "core/operations/softmax.h"

namespace attnscope {
namespace {

using Vector = std::vector<double>;

bool is_of_layer(const std::string& name) {
  return name.starts_with("layer") || name.find(".layer") != std::string::npos;
}

/// Adds the steps whose sum is the step `number`.
void find_summands(const Trace& trace, int number, std::vector<int>& summands) {
  const Step& step = trace.step(number);
  const auto* const add = as<AddOperation>(step.operation);
  if (add == nullptr || add->tanh || add->a != add->out || add->b != add->out) {
    summands.push_back(number);
    return;
  }
  for (const int input : step.inputs) find_summands(trace, input, summands);
}

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

/// Goes through a norm, backwards.
void through_norm(const Trace& trace, const FeatureNormOperation& norm, const std::vector<Region>& sources,
                  LinearNumber& linear) {
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

/// Goes through a product of a row with a matrix, backwards.
void through_product(const Trace& trace, const ContractOperation& product, const std::vector<Region>& sources,
                     LinearNumber& linear) {
  const Vector weights = numbers_in(trace, sources[1]);
  if (sources.size() > 2) {
    linear.constant += dot(numbers_in(trace, sources[2]), linear.direction) / product.divisor;
    linear.has_constant = true;
  }
  const std::size_t outputs = linear.direction.size();
  const std::size_t inputs = weights.size() / outputs;
  const bool inputs_first = is_summed(product, product.b.front());
  Vector before(inputs);
  for (std::size_t i = 0; i < inputs; ++i) {
    for (std::size_t j = 0; j < outputs; ++j)
      before[i] += weights[inputs_first ? i * outputs + j : j * inputs + i] * linear.direction[j];
    before[i] /= product.divisor;
  }
  linear.direction = std::move(before);
}

/// Goes through anything else that is linear and has no weights, such as a rotation by positions: what becomes of each unit
/// vector says how.
void through_linear(const Trace& trace, const Region& box, const std::vector<Region>& sources, LinearNumber& linear) {
  const std::vector<PlannedStep>& steps = trace.plan()->steps;
  const PlannedStep& step = steps[static_cast<std::size_t>(box.step)];
  Tensor unit(region_axes(steps[static_cast<std::size_t>(sources[0].step)].axes, sources[0]));
  std::ranges::fill(unit.values(), 0.0F);
  Tensor out(region_axes(step.axes, box));
  Vector before(unit.values().size());
  const std::vector<const Tensor*> inputs = {&unit};
  for (std::size_t i = 0; i < before.size(); ++i) {
    unit.values()[i] = 1;
    step.operation->compute_part({{steps, step}, box, sources}, inputs, {trace.experiment().seed, nullptr, {}}, out);
    before[i] = std::inner_product(linear.direction.begin(), linear.direction.end(), out.values().begin(), 0.0);
    unit.values()[i] = 0;
  }
  linear.direction = std::move(before);
}

/// Whether a step is the sum itself, or one of its summands: not between the stream and what reads it.
bool begins_stream(const Step& step) {
  const Operation& operation = step.operation;
  return step.inputs.empty() ||
         (step.axes.size() == 2 &&
          (is<AddOperation>(operation) || is<LookupOperation>(operation) || is<InterveneOperation>(operation)));
}

/// The box of one token's row.
Region row_box(const Trace& trace, int number, Index row) {
  return region_within(number, trace.step(number).axes, std::vector<Index>{row});
}

/// The outputs of heads that the step merges and projects; null for other steps.
const Step* merged_heads(const Trace& trace, const Step& step) {
  if (!is<ContractOperation>(step.operation)) return nullptr;
  const Step& merged = trace.step(step.inputs[0]);
  if (!is<RearrangeOperation>(merged.operation)) return nullptr;
  const Step& heads = trace.step(merged.inputs[0]);
  return find_axis(heads.axes, "head") != nullptr ? &heads : nullptr;
}

/// The attention weights that the outputs of heads are computed with; −1: none.
int weights_behind(const Trace& trace, const Step& heads) {
  const std::vector<LayerAttention> all = layer_attentions(trace);
  for (const Step* step = &heads; !step->inputs.empty(); step = &trace.step(step->inputs[0])) {
    const auto found = std::ranges::find(all, step->inputs[0], &LayerAttention::weights);
    if (found != all.end()) return found->weights;
  }
  return -1;
}

/// What the heads of an attention add, each on its own.
LayerParts parts_of_heads(const Trace& trace, int number, const Step& heads, LinearNumber linear) {
  const Step& step = trace.step(number);
  const Step& merged = trace.step(step.inputs[0]);
  const std::vector<Region> sources = regions_behind(trace.plan()->steps, row_box(trace, number, linear.row));
  const Vector features = numbers_in(trace, sources[0]);
  linear.constant = 0;
  through_product(trace, *as<ContractOperation>(step.operation), sources, linear);
  const Axis* const axis = find_axis(heads.axes, "head");
  LayerParts layer;
  layer.weights = weights_behind(trace, heads);
  layer.heads.resize(static_cast<std::size_t>(axis->size));
  const RearrangedIndex origin(*as<RearrangeOperation>(merged.operation), merged.axes);
  for (std::size_t i = 0; i < features.size(); ++i) {
    const Index offset = offset_in(merged.axes, std::vector<Index>{linear.row, static_cast<Index>(i)});
    const std::vector<Index> index = index_in(heads.axes, origin.source(offset));
    const auto head = static_cast<std::size_t>(index[static_cast<std::size_t>(axis - heads.axes.data())]);
    layer.heads[head] += features[i] * linear.direction[i];
  }
  if (sources.size() > 2) layer.bias = linear.constant;
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

/// Goes back from the cells of `box` until a step is the `end`.
template <typename End>
Result<LinearNumber> gone_back(const Trace& trace, Region box, Vector direction, const End& is_end) {
  LinearNumber linear;
  linear.direction = std::move(direction);
  const std::span<const PlannedStep> steps = trace.plan()->steps;
  while (!is_end(trace.step(box.step))) {
    const Step& step = trace.step(box.step);
    const std::vector<Region> sources = regions_behind(steps, box);
    if (const auto* const norm = as<FeatureNormOperation>(step.operation)) {
      through_norm(trace, *norm, sources, linear);
    } else if (const auto* const product = as<ContractOperation>(step.operation)) {
      through_product(trace, *product, sources, linear);
    } else if (step.inputs.size() == 1 && !is<SoftmaxOperation>(step.operation) && !is<MaskOperation>(step.operation)) {
      through_linear(trace, box, sources, linear);
    } else {
      return fail("What lies before " + step.name + " is not a sum of parts.");
    }
    box = sources[0];
  }
  linear.state = box.step;
  linear.row = box.begin.front();
  return linear;
}

}  // namespace

std::vector<double> numbers_in(const Trace& trace, const Region& region) {
  const auto numbers = trace.numbers(region);
  return {numbers->values().begin(), numbers->values().end()};
}

Result<LinearNumber> linear_number(const Trace& trace, Region box, std::vector<double> direction) {
  return gone_back(trace, std::move(box), std::move(direction), begins_stream);
}

Result<LinearNumber> linear_input(const Trace& trace, Region box, std::vector<double> direction) {
  return gone_back(trace, std::move(box), std::move(direction), [](const Step& step) {
    return begins_stream(step) || (is<FeatureNormOperation>(step.operation) && step.axes.size() == 2);
  });
}

Result<LinearNumber> linear_in(const Trace& trace, Region box, std::vector<double> direction, int step) {
  const Step* const end = &trace.step(step);
  return gone_back(trace, std::move(box), std::move(direction),
                   [end](const Step& each) { return &each == end || each.inputs.empty(); });
}

Result<std::vector<int>> summands_of_stream(const Trace& trace, int state) {
  std::vector<int> summands;
  find_summands(trace, state, summands);
  std::ranges::sort(summands);
  for (const int number : summands) {
    const Step& step = trace.step(number);
    if (is<FeatureNormOperation>(step.operation) && is_of_layer(step.name))
      return fail("Every layer of this model normalizes the sum: its parts do not add up.");
    if (is<InterveneOperation>(step.operation) && is<AddOperation>(trace.step(step.inputs[0]).operation))
      return fail("An intervention replaces the residual stream: what was added before it is no longer in the sum.");
  }
  return summands;
}

std::optional<Contributions> parts_of(const Trace& trace, const std::vector<int>& summands, const LinearNumber& linear,
                                      const StopToken& stop) {
  Contributions all;
  for (const int number : summands) {
    if (stop.stop_requested()) return std::nullopt;
    const Step& step = trace.step(number);
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
  return all;
}

}  // namespace attnscope
