// Clicks and drags on the marks of a figure as edits.
#pragma once

#include <vector>

#include "app/session/action.h"
#include "core/trace/trace.h"
#include "figure/model/intent.h"

namespace attnscope {

/// What the click makes of the experiment: one step for undo. Empty: nothing.
std::vector<Edit> edits_for(const ClickIntent& click, const Experiment& experiment);

/// Swaps the token of one mark with that of another one, in the order that the view of `trace` shows.
SetViewOption swap_edit(const Trace& trace, const SwapTokens& dragged, const SwapTokens& onto);

}  // namespace attnscope
