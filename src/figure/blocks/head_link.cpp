#include "figure/blocks/head_link.h"

#include <utility>

#include "core/heads/attention_list.h"
#include "core/plan/plan.h"

namespace attnscope {

HeadLinks::HeadLinks(const Trace& trace) : has_cross_(trace.find("cross_weights") != nullptr) {
  Index layer = 0;
  for (const LayerAttention& each : layer_attentions(trace)) {
    const std::string& tensor = trace.step(each.weights).name;
    places_[tensor] = {++layer, false, title_of(each)};
  }
  if (has_cross_) places_["cross_weights"] = {1, true, "the cross-attention"};
}

std::optional<OpenView> HeadLinks::to(std::string_view tensor, Index head) const {
  const auto place = places_.find(tensor);
  if (place == places_.end()) return std::nullopt;
  OpenView open = {"head", {{"head", head + 1}}};
  if (has_cross_) open.values["attention"] = std::string(place->second.cross ? "cross" : "self");
  if (places_.size() > 1 && !place->second.cross) open.values["layer"] = place->second.layer;
  return open;
}

void HeadLinks::add(Figure& figure, const std::string& id, const Rect& box, std::string_view tensor, Index head,
                    const std::string& state) const {
  const std::optional<OpenView> open = to(tensor, head);
  if (!open) return;
  TargetMark target;
  target.id = "open." + id;
  target.box = box;
  target.about = "Click to open head " + std::to_string(head + 1) + " of " + places_.find(tensor)->second.title;
  if (!state.empty()) target.about += ", whose outputs are " + (state == "mean" ? "their mean" : state);
  target.click = *open;
  figure.targets.push_back(std::move(target));
}

}  // namespace attnscope
