#include "app/session/mark_edits.h"

#include <algorithm>

#include "core/experiment/order.h"
#include "core/studies/permutation.h"
#include "figure/views/view.h"

namespace attnscope {

std::vector<Edit> edits_for(const ClickIntent& click, const Experiment& experiment) {
  std::vector<Edit> edits;
  const auto set_options = [&](const ParameterValues& values) {
    for (const auto& [name, value] : values) edits.emplace_back(SetViewOption{name, value});
  };
  if (const auto* set = std::get_if<SetOptions>(&click)) set_options(set->values);
  if (const auto* open = std::get_if<OpenView>(&click)) {
    edits.emplace_back(SetView{open->view});
    set_options(open->values);
  }
  if (const auto* toggle = std::get_if<ToggleHead>(&click)) {
    const std::vector<Index>& off = experiment.heads_off;
    edits.emplace_back(SwitchHead{toggle->head, std::binary_search(off.begin(), off.end(), toggle->head)});
  }
  return edits;
}

SetViewOption swap_edit(const Trace& trace, const SwapTokens& dragged, const SwapTokens& onto) {
  const std::string order = view_options(trace.experiment().view)->choice(dragged.option);
  return {dragged.option, swapped_order(order, permutable_tokens(trace), dragged.place, onto.place)};
}

}  // namespace attnscope
