// The control of an option whose number is an answer of a model: a token of its vocabulary, or a label.
#pragma once

#include "core/experiment/parameter.h"
#include "core/trace/trace.h"
#include "ui/imgui/style.h"
#include "ui/panels/panels.h"

namespace attnscope::ui {

/// Shows the name of the `chosen` answer, of `count` that there are. It opens a list with a field, where another is
/// looked for by its name or number; −1 is the first name of the option itself.
void answer_option(const Style& style, const Trace& trace, const Parameter& option, Index chosen, Index count,
                   UiState& state, UiIntents& intents);

}  // namespace attnscope::ui
