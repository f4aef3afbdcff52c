// The words that a model knows, for who typed others.
#pragma once

#include <string>

#include "core/experiment/model.h"
#include "ui/imgui/style.h"
#include "ui/panels/ui_state.h"

namespace attnscope::ui {

/// Whether the model has one token for all words that it does not know, and so few others that they can be listed.
bool can_list_words(const Model& model);

/// Its words in the order of the alphabet, two spaces between them; without those in <> and [], which are no words.
std::string known_words(const Model& model);

/// Opens the list of the words below the cursor. Once in each frame in which it may be open.
void known_words_popup(const Style& style, const Model& model, bool opens, UiState& state);

}  // namespace attnscope::ui
