// Commands on the pinned cell and on the open view's head, query and token order.
#pragma once

#include <cstdint>

#include "app/session/matrix_text.h"
#include "ui/panels/panels.h"
#include "ui/parts/shared.h"

namespace attnscope::ui {

/// Moves the pinned cell that many rows and columns within its matrix; where none is pinned, pins the first weight.
void move_pinned_cell(Shared& shared, Index down, Index right);
/// In a view of one query and one key, selects those of the pinned cell. `gesture` is that of opening the view.
void show_pinned_pair(Shared& shared, std::uint64_t gesture);
/// Hides the inspected cell's key from its query with the mask, or shows it again.
void toggle_mask(const Shared& shared, UiIntents& intents);
/// Selects the head that the view shows in the list of what can be replaced, once it is another one.
void follow_shown_head(const Shared& shared);
/// Turns the selected head off, or on again.
void switch_head(const Shared& shared, UiIntents& intents);
/// Selects a head, counted from 1, where the view shows single heads and has that many.
void choose_head(const Shared& shared, Index head, UiIntents& intents);
/// Opens the view that finds heads by the standard test of a model.
void show_found_heads(const Shared& shared, UiIntents& intents);
/// Opens the next view to the right that can show the trace, or with −1 for `by` the next one to the left, around the
/// ends.
void change_view(const Shared& shared, Index by, UiIntents& intents);
/// Moves the token of the pinned cell's row `by` places down in the permutation view, which it opens.
void move_token(Shared& shared, Index by, UiIntents& intents);
/// Copies the pinned cell's matrix as text.
void copy_matrix(const Shared& shared, MatrixFormat format);

}  // namespace attnscope::ui
