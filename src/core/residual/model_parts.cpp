#include "core/residual/model_parts.h"

#include <algorithm>
#include <string>

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

}  // namespace

std::vector<AblatedRuns::Part> parts_of_layer(const Trace& trace, const std::vector<LayerAttention>& all,
                                              std::size_t number, Intervention::Kind kind) {
  const std::string prefix = prefix_of(trace, all[number]);
  const int heads = step_of(trace, prefix + "head_outputs");
  std::vector<AblatedRuns::Part> parts;
  for (Index head = 0; head < trace.step(heads).axes.front().size; ++head) parts.push_back({heads, head, -1, kind});
  const bool is_last = number + 1 == all.size() || layer_of(prefix_of(trace, all[number + 1])) != layer_of(prefix);
  const int mlp = is_last ? step_of(trace, layer_of(prefix) + "mlp_out") : -1;
  if (mlp >= 0) parts.push_back({mlp, -1, -1, kind});
  return parts;
}

bool run_parts(AblatedRuns& runs, const std::vector<AblatedRuns::Part>& parts,
               const std::function<void(std::size_t, std::span<const float>)>& take) {
  for (std::size_t begin = 0; begin < parts.size();) {
    const std::size_t end = std::min(parts.size(), begin + static_cast<std::size_t>(runs.most_at_once()));
    const auto logits = runs.logits(
        {parts.begin() + static_cast<std::ptrdiff_t>(begin), parts.begin() + static_cast<std::ptrdiff_t>(end)});
    if (logits == nullptr) return false;
    const auto vocabulary = static_cast<std::size_t>(logits->size(1));
    for (std::size_t i = begin; i < end; ++i) take(i, logits->values().subspan((i - begin) * vocabulary, vocabulary));
    begin = end;
  }
  return true;
}

}  // namespace attnscope
