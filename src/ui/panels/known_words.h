// The words that a model knows, for somebody whose own words it does not know.
#pragma once

#include <string>

#include "core/experiment/model.h"
#include "ui/imgui/style.h"
#include "ui/panels/ui_state.h"

namespace attnscope::ui {

/// Whether the model has one token for all words that it does not know, and few enough others for a list.
bool can_list_words(const Model& model);

/// Its words in the order of the alphabet, with two spaces between them. What has no letter or is no whole word is left
/// out.
std::string known_words(const Model& model);

/// The list of the words, which `opens` at the cursor. Call it in each frame in which it may be open.
void known_words_popup(const Style& style, const Model& model, bool opens, UiState& state);

}  // namespace attnscope::ui
