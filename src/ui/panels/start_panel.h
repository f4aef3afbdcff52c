// Where to begin: above the first figure of a new document.
#pragma once

#include "ui/panels/panels.h"

namespace attnscope::ui {

/// Logical pixels, with the offers in one row or two.
constexpr double start_panel_height(bool two_rows) { return two_rows ? 108 : 58; }

/// Offers in a row or two, each with a list of what can be opened. Returns whether the user closed it.
bool start_panel(const Style& style, const Experiment& experiment, const MenuState& state, bool two_rows,
                 UiIntents& intents);

}  // namespace attnscope::ui
