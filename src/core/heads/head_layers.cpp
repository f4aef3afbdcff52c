#include "core/heads/head_layers.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "core/base/stop.h"
#include "core/heads/attention_list.h"
#include "core/heads/metrics.h"
#include "core/plan/plan.h"
#include "core/plan/region.h"

namespace attnscope {
namespace {

using Matrix = Eigen::MatrixXd;

Index heads_of(const Step& step) {
  const Axis* const heads = find_axis(step.axes, "head");
  return heads != nullptr ? heads->size : 1;
}

/// The mean of the weights over the heads.
Matrix mean_weights(const Trace& trace, int position, Index item, const StopToken& stop) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Step& step = trace.step(position);
  const Index heads = heads_of(step);
  const Index size = step.axes.back().size;
  Matrix sum = Matrix::Zero(size, size);
  for (Index head = 0; head < heads && !stop.stop_requested(); ++head) {
    const std::vector<Index> leading = leading_index(step.axes, 2, head, item);
    const std::shared_ptr<const Tensor> numbers =
        trace.numbers(region_within(position, step.axes, leading), {trace.experiment().seed, nullptr, stop});
    if (stop.stop_requested()) break;
    sum += Eigen::Map<const RowMajor>(numbers->values().data(), size, size).cast<double>();
  }
  return sum / static_cast<double>(heads);
}

}  // namespace

std::vector<int> earlier_layers(const Trace& trace, int weights) {
  const std::vector<LayerAttention> all = layer_attentions(trace);
  const auto its = std::ranges::find(all, weights, &LayerAttention::weights);
  // What cross-attention reads has other tokens than what it writes to.
  if (its == all.end() || its->kind == AttentionKind::cross) return {};
  std::vector<int> layers;
  for (const LayerAttention& each : all) {
    if (each.kind == its->kind && each.weights < weights) layers.push_back(each.weights);
  }
  return layers;
}

double composition_work(std::span<const std::optional<HeadCircuit>> later) {
  double work = 0;
  for (const std::optional<HeadCircuit>& circuit : later) {
    if (!circuit) continue;
    const auto features = static_cast<double>(circuit->w_v.size(0));
    const auto dim = static_cast<double>(circuit->w_v.size(1));
    constexpr double kThrough = 3;
    work += kThrough * static_cast<double>(later.size()) * dim * dim * (features + 2 * dim);
  }
  return work;
}

std::optional<HeadComposition> layer_composition(const Trace& trace, int earlier,
                                                 std::span<const std::optional<ComposedCircuit>> later,
                                                 ThreadPool* pool, const StopToken& stop) {
  const Step& step = trace.step(earlier);
  const Index heads = heads_of(step);
  using Shares = std::array<std::optional<double>, 3>;
  const std::vector<Shares> each_earlier(static_cast<std::size_t>(heads));
  HeadComposition composed = {step.name, std::vector<std::vector<Shares>>(later.size(), each_earlier)};
  std::atomic<bool> is_complete = true;
  const auto compose = [&](Index head) {
    if (stop.stop_requested() || !is_complete) return;
    const std::optional<HeadCircuit> circuit = head_circuit(trace, earlier, head);
    if (!circuit) {
      is_complete = false;
      return;
    }
    const ComposedCircuit before(*circuit);
    for (std::size_t i = 0; i < later.size(); ++i) {
      if (!later[i]) continue;
      composed.shares[i][static_cast<std::size_t>(head)] = {later[i]->with(before, Composition::query),
                                                            later[i]->with(before, Composition::key),
                                                            later[i]->with(before, Composition::value)};
    }
  };
  if (pool != nullptr) {
    pool->run(heads, compose);
  } else {
    for (Index head = 0; head < heads; ++head) compose(head);
  }
  if (!is_complete || stop.stop_requested()) return std::nullopt;
  return composed;
}

std::shared_ptr<const Tensor> rollout(const Trace& trace, int weights, Index item, const StopToken& stop) {
  std::vector<int> layers = earlier_layers(trace, weights);
  if (layers.empty()) return nullptr;
  layers.push_back(weights);
  const Axes& axes = trace.step(weights).axes;
  const Axis query = axes[axes.size() - 2];
  const Axis key = axes.back();
  Matrix flow = Matrix::Identity(key.size, key.size);
  for (const int layer : layers) {
    const Axes& of_layer = trace.step(layer).axes;
    if (of_layer[of_layer.size() - 2].size != key.size || of_layer.back().size != key.size || key.size > kMaxForRank)
      return nullptr;
    const Matrix passed = (mean_weights(trace, layer, item, stop) + Matrix::Identity(key.size, key.size)) / 2;
    if (stop.stop_requested()) return nullptr;
    flow = passed * flow;
  }
  auto result = std::make_shared<Tensor>(Axes{query, key});
  for (Index row = 0; row < key.size; ++row) {
    for (Index column = 0; column < key.size; ++column)
      result->values()[static_cast<std::size_t>(row * key.size + column)] = static_cast<float>(flow(row, column));
  }
  return result;
}

}  // namespace attnscope
