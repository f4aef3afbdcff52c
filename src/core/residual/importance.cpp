#include "core/residual/importance.h"

#include <algorithm>

#include "core/heads/attention_list.h"
#include "core/residual/ablated_runs.h"
#include "core/residual/answer_change.h"
#include "core/residual/model_parts.h"

namespace attnscope {
namespace {

/// The work after each attention, for progress: as many layers as are left.
double work_from(const std::vector<LayerAttention>& all, std::size_t number) {
  const auto left = static_cast<double>(all.size() - number);
  const auto count = static_cast<double>(all.size());
  return left * (left + 1) / (count * (count + 1));
}

}  // namespace

std::optional<Importance> importance(const Trace& trace, const ResidualStream& stream, const ImportanceChoice& choice,
                                     const StopToken& stop, const std::function<void(double)>& progress) {
  const std::uint64_t failures = trace.failures();
  const Axes& axes = trace.step(stream.logits).axes;
  const auto row = trace.numbers(region_within(stream.logits, axes, std::vector<Index>{choice.position}));
  const auto answer = static_cast<std::size_t>(choice.answer);
  Importance found;
  found.log_probability = log_softmax(row->values())[answer];
  AblatedRuns runs(trace, stream, choice.position, nullptr, stop);
  const std::vector<LayerAttention> all = layer_attentions(trace);
  for (std::size_t number = 0; number < all.size(); ++number) {
    if (progress) progress(1 - work_from(all, number));
    const std::vector<AblatedRuns::Part> parts = parts_of_layer(trace, all, number, choice.kind);
    LayerImportance layer;
    layer.weights = all[number].weights;
    const bool done = run_parts(runs, parts, [&](std::size_t part, std::span<const float> logits) {
      const double change = log_softmax(logits)[answer] - found.log_probability;
      if (parts[part].head < 0) {
        layer.mlp = change;
      } else {
        layer.heads.push_back(change);
      }
    });
    if (!done || trace.failures() != failures) return std::nullopt;
    found.layers.push_back(std::move(layer));
  }
  if (progress) progress(1);
  return found;
}

}  // namespace attnscope
