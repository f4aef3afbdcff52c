// Where to begin: above the first figure of a new document.
#pragma once

#include "ui/panels/panels.h"

namespace attnscope::ui {

/// Logical pixels.
inline constexpr double kStartPanelHeight = 58;

/// A row of offers, each with a list of what can be opened. Returns whether the user closed it.
bool start_panel(const Style& style, const Experiment& experiment, const MenuState& state, UiIntents& intents);

}  // namespace attnscope::ui
