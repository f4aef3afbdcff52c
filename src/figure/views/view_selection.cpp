#include "figure/views/view_selection.h"

#include <algorithm>
#include <string>

#include "core/plan/plan.h"
#include "figure/blocks/head_link.h"
#include "figure/slices/selected.h"

namespace attnscope {

std::optional<Index> selected_head(const View& view, const Trace& trace, const ParameterValues& options) {
  if (find_parameter(view.options, "head") == nullptr) return std::nullopt;
  return selected_slice(trace, options).head;
}

ClickIntent show_head(const View& view, const Trace& trace, const ParameterValues& options, Index head,
                      std::string_view pinned) {
  if (find_parameter(view.options, "head") != nullptr) {
    if (head >= option_limit(view, trace, "head", options)) return {};
    return SetOptions{{{"head", head + 1}}};
  }
  if (!view.opens_heads || trace.experiment().model == nullptr) return {};
  const HeadLinks links(trace);
  const Step* weights = links.to(pinned, head) ? trace.find(pinned) : first_weights(trace);
  const Axis* const heads = weights != nullptr ? find_axis(weights->axes, "head") : nullptr;
  if (heads == nullptr || head >= heads->size) return {};
  const std::optional<OpenView> open = links.to(weights->name, head);
  return open ? ClickIntent(*open) : ClickIntent();
}

SetOptions show_pair(const View& view, const Step& step, std::span<const Index> index, const ParameterValues& now) {
  const Axes& axes = step.axes;
  if (!view.shows_pair || axes.size() < 2 || axes.back().name != "key") return {};
  const std::string& rows = axes[axes.size() - 2].name;
  if (rows != "query" && rows != "cross_query") return {};
  SetOptions changes;
  const auto choose = [&](const char* option, ParameterValue value) {
    const auto found = now.find(option);
    if (found != now.end() && found->second != value) changes.values[option] = std::move(value);
  };
  choose("query", index[axes.size() - 2] + 1);
  choose("key", index[axes.size() - 1] + 1);
  for (std::size_t i = 0; i + 2 < axes.size(); ++i) choose(axes[i].name == "batch" ? "item" : "head", index[i] + 1);
  choose("attention", std::string(rows == "query" ? "self" : "cross"));
  return changes;
}

const View& baseline_view() {
  return *std::ranges::find_if(views(), [](const View& view) { return !view.with_baseline.empty(); });
}

bool shows_baseline(const ViewChoice& choice) {
  const View* view = find_view(choice.name);
  if (view == nullptr || view->with_baseline.empty()) return false;
  return std::ranges::all_of(view->with_baseline, [&](const auto& wanted) {
    const auto chosen = choice.options.find(wanted.first);
    return chosen != choice.options.end() && chosen->second == wanted.second;
  });
}

const View& token_order_view() {
  return *std::ranges::find_if(views(), [](const View& view) { return !view.token_order.empty(); });
}

}  // namespace attnscope
