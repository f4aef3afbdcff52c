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
  std::vector<std::string> labels;
  Mask mask;
  int step = 0;
  Index item = 0;

  friend bool operator==(const MeasuredFrom&, const MeasuredFrom&) = default;
};

MeasuredFrom source_of(const Trace& trace, const Step& step, Index item) {
  return {step.tensor,
          trace.lazy(),
          trace.experiment().labels,
          trace.experiment().mask(),
          static_cast<int>(&step - trace.steps().data()),
          item};
}

const Step& weights_of(const Trace& trace, const LayerAttention& attention) {
  return trace.steps()[static_cast<std::size_t>(attention.weights)];
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
  const auto make = [&]() -> std::shared_ptr<const HeadMeasures> {
    std::optional<HeadMeasures> result = measure_heads(trace, position, item, options.stop);
    return result ? std::make_shared<const HeadMeasures>(std::move(*result)) : nullptr;
  };
  if (options.cache == nullptr) return make();
  return options.cache->find_or_make<HeadMeasures>(source_of(trace, step, item), make);
}

std::shared_ptr<const std::vector<MeasuredLayer>> measured_layers(const Trace& trace, const ViewOptions& options,
                                                                  Index item) {
  const std::vector<LayerAttention> attentions = layer_attentions(trace);
  const auto make = [&]() -> std::shared_ptr<const std::vector<MeasuredLayer>> {
    const bool rank = is_rank_quick(trace, attentions);
    auto layers = std::make_shared<std::vector<MeasuredLayer>>();
    for (const LayerAttention& each : attentions) {
      if (options.progress)
        options.progress(static_cast<double>(layers->size()) / static_cast<double>(attentions.size()));
      std::optional<HeadMeasures> measured = measure_heads(
          trace, each.weights,
          Measuring{.item = item, .rank = rank, .distances = false, .rollout = false, .stop = options.stop});
      if (!measured) return nullptr;
      layers->push_back({each, std::move(*measured)});
    }
    return layers;
  };
  if (options.cache == nullptr) return make();
  std::vector<MeasuredFrom> from;
  from.reserve(attentions.size());
  for (const LayerAttention& each : attentions) from.push_back(source_of(trace, weights_of(trace, each), item));
  return options.cache->find_or_make<std::vector<MeasuredLayer>>(from, make);
}

}  // namespace attnscope
