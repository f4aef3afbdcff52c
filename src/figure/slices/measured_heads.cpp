#include "figure/slices/measured_heads.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attnscope {
namespace {

/// What the measures depend on.
struct MeasuredFrom {
  std::shared_ptr<const Tensor> weights;    ///< null: not in memory
  std::shared_ptr<const LazyTensors> lazy;  ///< what computes them then
  /// Of all steps without inputs: what a head copies depends on matrices that its weights do not know.
  std::vector<std::shared_ptr<const Tensor>> givens;
  std::vector<std::string> labels;
  Mask mask;
  int step = 0;
  Index item = 0;

  friend bool operator==(const MeasuredFrom&, const MeasuredFrom&) = default;
};

MeasuredFrom source_of(const Trace& trace, const Step& step, Index item) {
  std::vector<std::shared_ptr<const Tensor>> givens;
  for (const Step& each : trace.steps()) {
    if (each.inputs.empty()) givens.push_back(each.tensor);
  }
  return {step.tensor,
          trace.lazy(),
          std::move(givens),
          trace.experiment().labels,
          trace.experiment().mask(),
          static_cast<int>(&step - trace.steps().data()),
          item};
}

const Step& weights_of(const Trace& trace, const LayerAttention& attention) { return trace.step(attention.weights); }

/// What was made before a pause, in the cache, to go on with; null where none is possible. Later results may be it.
template <typename Value, typename Key>
std::shared_ptr<Value> so_far_in(const ViewOptions& options, const Key& key) {
  using SoFar = std::shared_ptr<Value>;
  if (options.cache == nullptr || options.paused == nullptr) return nullptr;
  return *options.cache->find_or_make<SoFar>(key,
                                             [] { return std::make_shared<const SoFar>(std::make_shared<Value>()); });
}

void note_pause(const ViewOptions& options, double share) {
  *options.paused = true;
  if (options.progress) options.progress(share);
}

bool is_rank_quick(const Trace& trace, const std::vector<LayerAttention>& attentions) {
  double operations = 0;
  for (const LayerAttention& each : attentions) operations += rank_operations(weights_of(trace, each).axes);
  return operations <= kMaxRankOperations;
}

}  // namespace

std::shared_ptr<const HeadMeasures> measured_heads(const Trace& trace, const Step& step, const ViewOptions& options,
                                                   Index item) {
  const auto position = static_cast<int>(&step - trace.steps().data());
  const MeasuredFrom from = source_of(trace, step, item);
  const auto make = [&]() -> std::shared_ptr<const HeadMeasures> {
    Measuring measuring = {.item = item, .stop = options.stop};
    const auto so_far = so_far_in<MeasuredSoFar>(options, from);
    if (so_far != nullptr) {
      measuring.pause = options.pause;
      measuring.so_far = so_far.get();
    }
    std::optional<HeadMeasures> result = measure_heads(trace, position, measuring);
    if (result) return std::make_shared<const HeadMeasures>(std::move(*result));
    if (so_far != nullptr) note_pause(options, so_far->share());
    return nullptr;
  };
  if (options.cache == nullptr) return make();
  return options.cache->find_or_make<HeadMeasures>(from, make);
}

std::shared_ptr<const std::vector<MeasuredLayer>> measured_layers(const Trace& trace, const ViewOptions& options,
                                                                  Index item) {
  using Layers = std::vector<MeasuredLayer>;
  const std::vector<LayerAttention> attentions = layer_attentions(trace);
  std::vector<MeasuredFrom> from;
  from.reserve(attentions.size());
  for (const LayerAttention& each : attentions) from.push_back(source_of(trace, weights_of(trace, each), item));
  const auto make = [&]() -> std::shared_ptr<const Layers> {
    const bool rank = is_rank_quick(trace, attentions);
    const auto so_far = so_far_in<Layers>(options, from);
    const auto layers = so_far != nullptr ? so_far : std::make_shared<Layers>();
    for (bool worked = false; layers->size() < attentions.size(); worked = true) {
      const double share = static_cast<double>(layers->size()) / static_cast<double>(attentions.size());
      if (so_far != nullptr && worked && options.pause.stop_requested()) {
        note_pause(options, share);
        return nullptr;
      }
      if (options.progress) options.progress(share);
      const LayerAttention& next = attentions[layers->size()];
      std::optional<HeadMeasures> measured = measure_heads(
          trace, next.weights,
          Measuring{.item = item, .rank = rank, .distances = false, .rollout = false, .stop = options.stop});
      if (!measured) return nullptr;
      layers->push_back({next, std::move(*measured)});
    }
    return layers;
  };
  if (options.cache == nullptr) return make();
  return options.cache->find_or_make<Layers>(from, make);
}

}  // namespace attnscope
