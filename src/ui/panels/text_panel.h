// Above the figure of a model: what it reads, and the tokens that it gets.
#pragma once

#include <span>

#include "app/session/next_words.h"
#include "core/experiment/experiment.h"
#include "ui/panels/panels.h"

namespace attnscope::ui {

/// The number of texts that the model of the experiment takes; 0 without a model, and for one that reads pictures.
int text_count(const Experiment& experiment);

/// Whether the text that parts are patched from is shown beside them: it is there, or asked for.
bool shows_patch_text(const Experiment& experiment);

/// Its height in logical pixels.
double text_panel_height(double window_height);

/// A box for each text, and its tokens below. What a model refuses stays in its box with the reason below it. Above the
/// text that the model continues are the `words` that it would write next, which a click writes.
void text_panel(const Style& style, const Experiment& experiment, std::span<const NextWord> words, UiState& state,
                UiIntents& intents);

/// Where there is no room for boxes: what the model reads and what parts are patched from, to be read only, or the beginning
/// of a long text. Shows nothing without a model that reads text.
void texts_to_read(const Style& style, const Experiment& experiment);

/// A line for each with what the model answers, as far as there is room below what stands there.
void words_to_read(const Style& style, std::span<const WordsAfter> answers);

/// The boxes alone, below each other: for steps of a lesson that tell to change the text.
void texts_to_change(const Style& style, const Experiment& experiment, UiState& state, UiIntents& intents);

}  // namespace attnscope::ui
