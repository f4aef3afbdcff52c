#include "ui/panels/known_words.h"

#include <imgui.h>

#include <algorithm>
#include <set>
#include <variant>
#include <vector>

#include "core/base/text.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/wanted_characters.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

// More words than this nobody reads; they are most words that there are, besides.
constexpr double kMostListed = 5000;
// Of the list, logical pixels.
constexpr double kListWidth = 420;
constexpr double kListHeight = 240;

/// How many tokens the model knows; 0: its folder does not say so.
double vocabulary_size(const Model& model) {
  const auto found = model.config().find("vocab_size");
  const double* const size = found == model.config().end() ? nullptr : std::get_if<double>(&found->second);
  return size == nullptr ? 0 : *size;
}

bool is_word(const std::string& token) {
  const bool is_special =
      (token.front() == '<' && token.back() == '>') || (token.front() == '[' && token.back() == ']');
  return !is_special && std::ranges::none_of(token, [](char each) { return static_cast<unsigned char>(each) < ' '; });
}

}  // namespace

bool can_list_words(const Model& model) {
  const double size = vocabulary_size(model);
  return model.has_tokenizer() && model.unknown_token().has_value() && size > 0 && size <= kMostListed;
}

std::string known_words(const Model& model) {
  std::set<std::string> words;
  const auto size = static_cast<Index>(vocabulary_size(model));
  for (Index id = 0; id < size; ++id) {
    std::string token = model.token_text(id);
    token.erase(0, token.find_first_not_of(' '));
    if (!token.empty() && is_word(token)) words.insert(std::move(token));
  }
  return join(std::vector<std::string>(words.begin(), words.end()), "  ");
}

void known_words_popup(const Style& style, const Model& model, bool opens, UiState& state) {
  constexpr const char* kName = "known words";
  if (opens) {
    state.text_boxes.known_words = known_words(model);
    ImGui::OpenPopup(kName);
  }
  if (!ImGui::BeginPopup(kName)) return;
  wanted_characters().add(state.text_boxes.known_words);
  section_title(style, "WORDS THAT THE MODEL KNOWS");
  ImGui::BeginChild("words", ImVec2(style.px(kListWidth), style.px(kListHeight)));
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(state.text_boxes.known_words.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndChild();
  ImGui::EndPopup();
}

}  // namespace attnscope::ui
