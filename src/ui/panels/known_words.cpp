#include "ui/panels/known_words.h"

#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "core/base/text.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/wanted_characters.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

// Nobody reads a longer list, and a larger vocabulary has nearly every word.
constexpr Index kMostListed = 5000;
// Of the list, logical pixels, where the window has room for it.
constexpr double kListWidth = 420;
constexpr double kListHeight = 240;
constexpr float kMostOfWindow = 0.7F;

bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

/// A special token is written as <unk> or [UNK], a continued word as ##ing, and blanks and line ends by signs of their own.
bool is_word(const std::string& token) {
  static const std::vector<std::string> kNoWords = {"<", "[", "##", "␣", "↵", "⇥"};
  const auto begins = [&](const std::string& with) { return token.starts_with(with); };
  const auto is_letter = [](char byte) { return !is_ascii(byte) || std::isalpha(byte) != 0; };
  return std::ranges::none_of(kNoWords, begins) && std::ranges::any_of(token, is_letter);
}

/// Small letters and capitals beside each other.
bool comes_before(const std::string& one, const std::string& other) {
  const auto small = [](char byte) { return is_ascii(byte) ? static_cast<char>(std::tolower(byte)) : byte; };
  const auto less = [&](char a, char b) { return small(a) < small(b); };
  if (std::ranges::lexicographical_compare(one, other, less)) return true;
  return !std::ranges::lexicographical_compare(other, one, less) && one < other;
}

}  // namespace

bool can_list_words(const Model& model) {
  const Index size = model.vocabulary_size();
  return model.unknown_token().has_value() && size > 0 && size <= kMostListed;
}

std::string known_words(const Model& model) {
  std::vector<std::string> words;
  for (Index id = 0; id < model.vocabulary_size(); ++id) {
    std::string token = model.token_text(id);
    token.erase(0, token.find_first_not_of(' '));
    if (!token.empty() && is_word(token)) words.push_back(std::move(token));
  }
  std::ranges::sort(words, comes_before);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return join(words, "  ");
}

void known_words_popup(const Style& style, const Model& model, bool opens, UiState& state) {
  constexpr const char* kName = "known words";
  std::string& words = state.text_boxes.known_words;
  if (opens) {
    words = known_words(model);
    wanted_characters().add(words);
    ImGui::OpenPopup(kName);
  }
  if (!ImGui::BeginPopup(kName)) return;
  section_title(style, "WORDS THAT THE MODEL KNOWS");
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  ImGui::BeginChild("words", ImVec2(std::min(style.px(kListWidth), window.x * kMostOfWindow),
                                    std::min(style.px(kListHeight), window.y * kMostOfWindow)));
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(words.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndChild();
  ImGui::EndPopup();
}

}  // namespace attnscope::ui
