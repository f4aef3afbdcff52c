// Above the figure of a model: what it reads, and the tokens that it gets.
#pragma once

#include "core/experiment/experiment.h"
#include "ui/panels/panels.h"

namespace attnscope::ui {

/// The number of texts that the model of the experiment takes; 0 without a model, and for one that reads pictures.
int text_count(const Experiment& experiment);

/// Whether the text that parts are patched from is shown beside them.
bool shows_patch_text(const Experiment& experiment);

/// Its height in logical pixels.
double text_panel_height(double window_height);

/// A box for each text, and its tokens below. What a model refuses stays in its box with the reason below it.
void text_panel(const Style& style, const Experiment& experiment, UiState& state, UiIntents& intents);

}  // namespace attnscope::ui
