#include "ui/parts/start_offers.h"

#include <algorithm>
#include <variant>

#include "ui/panels/start_panel.h"

namespace attnscope::ui {

void StartOffers::open() {
  open_ = true;
  remembered_.set_start_offers(true);
}

double StartOffers::height(bool two_rows) const {
  const Session& session = shared_.session();
  const bool fresh = session.file().empty() && session.lesson() == nullptr && session.experiment().model == nullptr &&
                     session.experiment().tensors == nullptr;
  return open_ && fresh ? start_panel_height(two_rows) : 0;
}

void StartOffers::show(const Style& style, const Areas& areas, WindowParts& parts, const MenuState& state,
                       UiIntents& intents) {
  parts.begin("Start", areas.row, ImGuiWindowFlags_NoScrollWithMouse, style.palette.panel, {style.px(16), style.px(8)});
  const std::size_t before = intents.actions.size();
  const bool two_rows = is_upright(ImGui::GetIO().DisplaySize, style.scale);
  if (start_panel(style, shared_.session().experiment(), state, two_rows, intents)) {
    open_ = false;
    remembered_.set_start_offers(false);
  }
  ImGui::End();
  // What opens something else hides them by that; a system is a new document too.
  const auto takes_system = [](const Action& action) { return std::holds_alternative<SetSystem>(action.edit); };
  if (std::any_of(intents.actions.begin() + static_cast<std::ptrdiff_t>(before), intents.actions.end(), takes_system))
    open_ = false;
}

}  // namespace attnscope::ui
