// What can be opened, as entries of a menu.
#pragma once

#include "ui/panels/panels.h"

namespace attnscope::ui {

/// The files that were opened before.
void recent_entries(const MenuState& state, UiIntents& intents);

/// The models that come along.
void model_entries(const MenuState& state, UiIntents& intents);

/// The lessons; one that cannot be read says why.
void lesson_entries(const MenuState& state, UiIntents& intents);

/// The languages that lessons can be read in.
void language_entries(const MenuState& state, UiIntents& intents);

/// The systems, each of which starts over with its defaults.
void system_entries(const Experiment& experiment, UiIntents& intents);

}  // namespace attnscope::ui
