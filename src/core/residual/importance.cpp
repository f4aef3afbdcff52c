#include "core/residual/importance.h"

#include <algorithm>
#include <string>

#include "core/heads/attention_list.h"
#include "core/residual/ablated_runs.h"
#include "core/residual/answer_change.h"

namespace attnscope {
namespace {

/// The step of that tensor, with its interventions if there are any; −1: there is none.
int step_of(const Trace& trace, const std::string& tensor) {
  const Step* step = trace.find(changed_name(tensor));
  if (step == nullptr) step = trace.find(tensor);
  return step == nullptr ? -1 : static_cast<int>(step - trace.steps().data());
}

/// "decoder.layer1." for "decoder.layer1.cross_".
std::string layer_of(const std::string& prefix) { return prefix.substr(0, prefix.rfind('.') + 1); }

/// The parts of an attention: its heads, then the MLP, if no other attention of the layer comes before it.
std::vector<AblatedRuns::Part> parts_of(const Trace& trace, const std::vector<LayerAttention>& all, std::size_t number,
                                        Intervention::Kind kind) {
  const std::string prefix = prefix_of(trace, all[number]);
  const int heads = step_of(trace, prefix + "head_outputs");
  std::vector<AblatedRuns::Part> parts;
  for (Index head = 0; head < trace.steps()[static_cast<std::size_t>(heads)].axes.front().size; ++head)
    parts.push_back({heads, head, kind});
  const bool is_last = number + 1 == all.size() || layer_of(prefix_of(trace, all[number + 1])) != layer_of(prefix);
  const int mlp = is_last ? step_of(trace, layer_of(prefix) + "mlp_out") : -1;
  if (mlp >= 0) parts.push_back({mlp, -1, kind});
  return parts;
}

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
  const Axes& axes = trace.steps()[static_cast<std::size_t>(stream.logits)].axes;
  const auto row = trace.numbers(region_within(stream.logits, axes, std::vector<Index>{choice.position}));
  const auto answer = static_cast<std::size_t>(choice.answer);
  Importance found;
  found.log_probability = log_softmax(row->values())[answer];
  AblatedRuns runs(trace, stream, choice.position, stop);
  const std::vector<LayerAttention> all = layer_attentions(trace);
  for (std::size_t number = 0; number < all.size(); ++number) {
    if (progress) progress(1 - work_from(all, number));
    const std::vector<AblatedRuns::Part> parts = parts_of(trace, all, number, choice.kind);
    LayerImportance layer;
    layer.weights = all[number].weights;
    for (std::size_t begin = 0; begin < parts.size();) {
      const std::size_t end = std::min(parts.size(), begin + static_cast<std::size_t>(runs.most_at_once()));
      const auto logits = runs.logits(
          {parts.begin() + static_cast<std::ptrdiff_t>(begin), parts.begin() + static_cast<std::ptrdiff_t>(end)});
      if (logits == nullptr || trace.failures() != failures) return std::nullopt;
      const auto vocabulary = static_cast<std::size_t>(logits->size(1));
      for (std::size_t i = begin; i < end; ++i) {
        const double change =
            log_softmax(logits->values().subspan((i - begin) * vocabulary, vocabulary))[answer] - found.log_probability;
        if (parts[i].head < 0) {
          layer.mlp = change;
        } else {
          layer.heads.push_back(change);
        }
      }
      begin = end;
    }
    found.layers.push_back(std::move(layer));
  }
  if (progress) progress(1);
  return found;
}

}  // namespace attnscope
