#include "ui/panels/text_panel.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/session/text_edits.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/models/models.h"
#include "figure/slices/token_names.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/outside_line.h"
#include "ui/imgui/text_field.h"
#include "ui/imgui/wanted_characters.h"
#include "ui/panels/known_words.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

// More chips than this would take longer to lay out in every frame than anybody reads them.
constexpr std::size_t kMaxChips = 400;
// Bytes of a text that is only read: some eight lines beside a figure.
constexpr std::size_t kMostToRead = 320;

ModelInput input_of(const Experiment& experiment) { return (*family_of(*experiment.model))->input; }

std::string title_of(const Experiment& experiment, int which) {
  std::string what = experiment.model->has_tokenizer() ? "TEXT" : "TOKEN IDS";
  if (which == 1) return what;
  if (which == 3) return what + " TO PATCH FROM";
  return input_of(experiment) == ModelInput::pair ? "SECOND " + what : what + " OF THE DECODER";
}

std::string help_of(const Experiment& experiment, int which) {
  const bool words = experiment.model->has_tokenizer();
  const std::string what = words ? "Text" : "Token ids, such as 1, 2, 3,";
  if (which == 1) return what + " that the model reads.";
  if (which == 3) return what + " that the model reads for the parts that are patched.";
  if (input_of(experiment) == ModelInput::pair)
    return std::string(words ? "Second text" : "Token ids of the second text") + "; may be empty.";
  return what + " that the decoder has written so far, and continues.";
}

/// "41 %"; not 0 or 100 where others have a share.
std::string percent_text(double probability) {
  if (probability < 1 && probability >= 0.995) return "> 99 %";
  return probability < 0.005 ? "< 1 %" : fixed_text(100 * probability, 0) + " %";
}

/// Puts the cursor behind the last character when that is wanted.
int move_cursor(ImGuiInputTextCallbackData* data) {
  if (!std::exchange(*static_cast<bool*>(data->UserData), false)) return 0;
  data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
  return 0;
}

class TextColumn {
 public:
  TextColumn(const Style& style, const Experiment& experiment, int which, std::span<const NextWord> words,
             UiState& state, UiIntents& intents)
      : style_(style),
        experiment_(experiment),
        text_(model_text(experiment, which)),
        unknown_(experiment.model->unknown_token()),
        which_(which),
        words_(words),
        typed_(state.text_boxes.typed[static_cast<std::size_t>(which - 1)]),
        state_(state),
        intents_(intents) {}

  void show_box(float width) {
    ImGui::PushID(which_);
    section_title(style_, title_of(experiment_, which_).c_str());
    // Beside a lesson there is room for what is written, not for what may be.
    const float room = width - 2 * ImGui::GetStyle().FramePadding.x - ImGui::GetFontSize();
    const ImVec2 written = ImGui::CalcTextSize(typed_text(experiment_, which_).c_str());
    box(width, written.x <= room && written.y <= ImGui::GetTextLineHeight() ? 1 : 2);
    if (typed_ && !typed_->error.empty()) clipped_text(typed_->error, width, color(kAlarmingInk));
    ImGui::PopID();
  }

  void show(float width) {
    ImGui::BeginGroup();
    ImGui::PushID(which_);
    header(width);
    box(width, 2);
    if (typed_ && !typed_->error.empty()) {
      clipped_text(typed_->error, width, color(kAlarmingInk));
    } else {
      if (!experiment_.model->has_tokenizer())
        clipped_text("This folder has no tokenizer: type token ids, such as 1, 2, 3.", width,
                     color(style_.palette.dim));
      chips(width);
    }
    ImGui::PopID();
    ImGui::EndGroup();
  }

 private:
  void header(float width) {
    const float left = ImGui::GetCursorPosX();
    section_title(style_, title_of(experiment_, which_).c_str());
    ImGui::SameLine();
    const Index unknown = unknown_tokens(experiment_, which_);
    const std::string count = token_count(unknown);
    const float before_count = left + width - line_width(count);
    next_words(before_count - style_.px(16));
    const bool lists_words = unknown > 0 && can_list_words(*experiment_.model);
    text_right(count, left + width, color(lists_words ? style_.palette.accent : style_.palette.dim));
    if (lists_words) known_words(before_count, count);
    ImGui::SetCursorPosX(left);
  }

  /// The count of tokens is a button that lists the words which the model knows.
  void known_words(float x, const std::string& count) {
    const ImVec2 next = ImGui::GetCursorPos();
    ImGui::SetCursorPos(ImVec2(x, next.y - ImGui::GetTextLineHeightWithSpacing()));
    const bool pressed = invisible_button("known words", ImGui::CalcTextSize(count.c_str()));
    tooltip("List the words that the model knows; others become " + experiment_.model->token_text(*unknown_) + ".");
    known_words_popup(style_, *experiment_.model, pressed, state_);
    ImGui::SetCursorPos(next);
  }

  [[nodiscard]] std::string token_count(Index unknown) const {
    const Index tokens = std::ssize(text_.ids);
    return grouped_text(tokens) + (tokens == 1 ? " token" : " tokens") +
           (unknown > 0 ? ", " + grouped_text(unknown) + " unknown" : "");
  }

  /// What may come next, in the order of its probability, as far as there is room.
  void next_words(float right) {
    // What was refused is not the text that they continue.
    if (words_.empty() || (typed_ && !typed_->error.empty())) return;
    const float gap = style_.px(4);
    const std::string heading = "Next:";
    ImGui::SameLine(0, style_.px(20));
    if (ImGui::GetCursorPosX() + line_width(heading) + gap + word_width(words_.front()) > right) return;
    ImGui::TextDisabled("%s", heading.c_str());
    for (const NextWord& word : words_) {
      ImGui::SameLine(0, gap);
      if (ImGui::GetCursorPosX() + word_width(word) > right) break;
      next_word(word);
    }
    ImGui::SameLine();
  }

  [[nodiscard]] float word_width(const NextWord& word) const {
    return line_width(word.name) + line_width(" " + percent_text(word.probability)) + style_.px(12);
  }

  void next_word(const NextWord& word) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size(word_width(word), ImGui::GetTextLineHeight());
    ImGui::PushID(static_cast<int>(word.id));
    const bool clicked = invisible_button("next word", size) && word.written;
    ImGui::PopID();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const bool lit = ImGui::IsItemHovered() && word.written;
    list.AddRect(ImVec2(at.x, at.y - style_.px(1)), ImVec2(at.x + size.x, at.y + size.y + style_.px(1)),
                 color(lit ? style_.palette.accent : style_.palette.line), style_.px(3));
    const float left = at.x + style_.px(6);
    add_line(list, ImVec2(left, at.y), color(style_.palette.text), word.name);
    list.AddText(ImVec2(left + line_width(word.name) + line_width(" "), at.y), color(style_.palette.dim),
                 percent_text(word.probability).c_str());
    tooltip("id " + std::to_string(word.id) + " · probability " + number_text(word.probability) +
            (word.written ? "\nClick to write it" : "\nIt cannot be written as text"));
    if (!clicked) return;
    ++state_.gesture;
    intents_.actions.push_back({SetText{which_, *word.written}, state_.gesture});
  }

  void box(float width, int lines) {
    const std::string its = typed_text(experiment_, which_);
    const bool was_active = is_active("##text");
    // What was refused stays until the text changes otherwise: by Undo, or because a file was opened.
    if (typed_ && typed_->instead_of != its) typed_.reset();
    if (typed_ && !was_active && typed_->error.empty()) typed_.reset();
    std::string shown = typed_ ? typed_->text : its;
    if (which_ == 1 && std::exchange(state_.text_boxes.focus, false)) {
      ImGui::SetWindowFocus();
      ImGui::SetKeyboardFocusHere();
      state_.text_boxes.cursor_to_end = true;
    }
    const float height = static_cast<float>(lines) * ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().FramePadding.y;
    bool no = false;
    const bool changed = text_area("##text", shown, ImVec2(width, height), ImGuiInputTextFlags_CallbackAlways,
                                   move_cursor, which_ == 1 ? &state_.text_boxes.cursor_to_end : &no);
    if (ImGui::IsItemActivated()) ++state_.gesture;
    // It would hide the text while one types.
    if (!ImGui::IsItemActive()) tooltip(help_of(experiment_, which_));
    // What was typed was taken at once; Undo takes it back, Escape only leaves the box.
    if (!changed || fell_back()) return;
    typed_ = TypedText{shown, its, {}};
    intents_.actions.push_back({SetText{which_, std::move(shown)}, state_.gesture});
  }

  void chips(float width) {
    ImGui::BeginChild("tokens", ImVec2(width, ImGui::GetContentRegionAvail().y), false);
    push_font(style_.fonts.small().font, style_.fonts.small().line);
    const std::size_t count = std::min(text_.ids.size(), kMaxChips);
    const float right = ImGui::GetContentRegionAvail().x;
    const float gap = style_.px(3);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(gap, gap));
    float end = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string piece = piece_text(text_, static_cast<Index>(i));
      const ImVec2 size = chip_size(piece);
      if (i > 0 && end + gap + size.x <= right) ImGui::SameLine(0, gap);
      end = (i > 0 && end + gap + size.x <= right ? end + gap : 0) + size.x;
      chip(i, piece, size);
    }
    if (count < text_.ids.size())
      ImGui::TextDisabled("and %s more", grouped_text(static_cast<Index>(text_.ids.size() - count)).c_str());
    ImGui::PopStyleVar();
    ImGui::PopFont();
    ImGui::EndChild();
  }

  [[nodiscard]] ImVec2 chip_size(const std::string& piece) const {
    return {line_width(piece) + style_.px(8), ImGui::GetTextLineHeight() + style_.px(2)};
  }

  void chip(std::size_t i, const std::string& piece, ImVec2 size) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(i));
    mouse_area("token", size);
    ImGui::PopID();
    const bool special = i < text_.special.size() && text_.special[i];
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Rgb back = ImGui::IsItemHovered() ? style_.palette.line : style_.palette.control;
    list.AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), color(back), style_.px(3));
    add_line(list, ImVec2(at.x + style_.px(4), at.y + style_.px(1)),
             color(special ? style_.palette.dim : style_.palette.text), piece);
    std::string about = "token " + std::to_string(i + 1) + " · id " + std::to_string(text_.ids[i]);
    if (i < text_.pieces.size()) about += " · “" + text_.pieces[i] + "”";
    if (is_unknown_token(text_, i, unknown_))
      about += "\nNot in the vocabulary: the model reads the same token for every unknown word.";
    tooltip(about + (special ? " · special" : ""));
  }

  const Style& style_;
  const Experiment& experiment_;
  const ModelText& text_;
  std::optional<Index> unknown_;
  int which_;
  std::span<const NextWord> words_;
  std::optional<TypedText>& typed_;
  UiState& state_;
  UiIntents& intents_;
};

/// The texts that the experiment has, as SetText counts them.
std::vector<int> shown_texts(const Experiment& experiment) {
  const int count = text_count(experiment);
  std::vector<int> shown;
  if (count > 0) shown.push_back(1);
  if (count > 1) shown.push_back(2);
  if (count > 0 && shows_patch_text(experiment)) shown.push_back(3);
  return shown;
}

/// As much of a text as is read at a glance: its tokens, but special ones, where only ids were given.
std::string beginning_of(const ModelText& text) {
  if (!text.text.empty()) {
    std::string beginning(utf8_prefix(text.text, kMostToRead));
    return beginning.size() < text.text.size() ? beginning + "…" : beginning;
  }
  std::string beginning;
  for (std::size_t i = 0; i < text.ids.size(); ++i) {
    if (beginning.size() > kMostToRead) return beginning + "…";
    if (i < text.special.size() && text.special[i]) continue;
    const bool is_named = i < text.pieces.size();
    beginning += is_named ? text.pieces[i] : (beginning.empty() ? "" : ", ") + std::to_string(text.ids[i]);
  }
  return beginning;
}

}  // namespace

int text_count(const Experiment& experiment) {
  if (experiment.model == nullptr) return 0;
  const Result<const ModelFamily*> family = family_of(*experiment.model);
  if (!family || (*family)->input == ModelInput::picture) return 0;
  return (*family)->input == ModelInput::text ? 1 : 2;
}

bool shows_patch_text(const Experiment& experiment) {
  if (experiment.view.name == "patching" || !experiment.patch_text.ids.empty()) return true;
  return std::any_of(experiment.interventions.begin(), experiment.interventions.end(),
                     [](const Intervention& each) { return each.kind == Intervention::Kind::patched; });
}

double text_panel_height(double window_height) { return window_height < 640 ? 104 : 132; }

void text_panel(const Style& style, const Experiment& experiment, std::span<const NextWord> words, UiState& state,
                UiIntents& intents) {
  const std::vector<int> shown = shown_texts(experiment);
  const auto count = static_cast<int>(shown.size());
  const float gap = style.px(16);
  const float width =
      (ImGui::GetContentRegionAvail().x - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
  for (const int which : shown) {
    if (which > 1) ImGui::SameLine(0, gap);
    const bool continues = which == continued_text(experiment);
    TextColumn(style, experiment, which, continues ? words : std::span<const NextWord>(), state, intents).show(width);
  }
}

namespace {

void line_to_read(const Style& style, const WordsAfter& after) {
  // What a step says comes first.
  if (after.words.empty() || ImGui::GetContentRegionAvail().y < ImGui::GetTextLineHeight()) return;
  const float right = ImGui::GetContentRegionMax().x;
  const float gap = style.px(8);
  const std::string heading = after.where + ":";
  const float left = ImGui::GetCursorPosX();
  ImGui::PushStyleColor(ImGuiCol_Text, color(style.palette.dim));
  show_lines(heading);
  ImGui::PopStyleColor();
  float end = left + line_width(heading);
  for (const NextWord& word : after.words) {
    const std::string share = percent_text(word.probability);
    end += gap + line_width(word.name) + line_width(" " + share);
    if (end > right) break;
    ImGui::SameLine(0, gap);
    show_lines(word.name);
    ImGui::SameLine(0, line_width(" "));
    ImGui::TextDisabled("%s", share.c_str());
  }
}

}  // namespace

void words_to_read(const Style& style, std::span<const WordsAfter> answers) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(style.px(8), style.px(3)));
  for (const WordsAfter& after : answers) line_to_read(style, after);
  ImGui::PopStyleVar();
}

void texts_to_change(const Style& style, const Experiment& experiment, UiState& state, UiIntents& intents) {
  for (const int which : shown_texts(experiment))
    TextColumn(style, experiment, which, {}, state, intents).show_box(ImGui::GetContentRegionAvail().x);
}

void texts_to_read(const Style& style, const Experiment& experiment) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(style.px(8), style.px(3)));
  for (const int which : shown_texts(experiment)) {
    const std::string text = beginning_of(model_text(experiment, which));
    if (text.empty()) continue;
    wanted_characters().add(text);
    section_title(style, title_of(experiment, which).c_str());
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
  }
  ImGui::PopStyleVar();
}

}  // namespace attnscope::ui
