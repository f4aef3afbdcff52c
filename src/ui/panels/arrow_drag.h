// Dragging the tip of an arrow of a figure: the numbers that the arrow shows follow.
#pragma once

#include <vector>

#include "figure/model/canvas.h"
#include "ui/panels/panels.h"

namespace attnscope::ui {

/// Begins, continues or ends a drag, for the item that was just shown; `target` is what the mouse is on, or null. The
/// edits of a drag are one step for Undo.
void drag_tip(const Style& style, const Trace& trace, const FigureTransform& transform, const TargetMark* target,
              UiState& state, UiIntents& intents);

/// Gives up the drag, if there is one: the edits that restore the numbers. The button may still be down.
std::vector<Action> give_up_tip(UiState& state);

}  // namespace attnscope::ui
