#include "ui/panels/answer_option.h"

#include <algorithm>
#include <utility>

#include "figure/slices/answer_search.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/outside_line.h"
#include "ui/imgui/text_field.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

constexpr std::size_t kMostFound = 12;

class AnswerOption {
 public:
  AnswerOption(const Style& style, const Trace& trace, const Parameter& option, Index count, UiState& state)
      : style_(style), experiment_(trace.experiment()), option_(option), count_(count), search_(state.answer_search) {}

  /// The answer that the user picked.
  std::optional<Index> show(Index chosen) {
    const float width = style_.px(160);
    ImGui::SetNextItemWidth(width);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool is_open = ImGui::BeginCombo(("##" + option_.name).c_str(), "",
                                           ImGuiComboFlags_NoArrowButton | ImGuiComboFlags_HeightLarge);
    const std::optional<Index> picked = is_open ? opened(chosen, width) : std::nullopt;
    if (is_open) ImGui::EndCombo();
    list_marker(style_);
    // Drawn here, where every script can be.
    const ImVec2 padding = ImGui::GetStyle().FramePadding;
    const std::string& name = name_of(chosen);
    const std::string shown = cut_text(name, width - 2 * padding.x - style_.px(14));
    add_line(*ImGui::GetWindowDrawList(), ImVec2(at.x + padding.x, at.y + padding.y), color(style_.palette.text),
             shown);
    if (!is_open) tooltip(shown == name ? option_.help : name + "\n" + option_.help);
    return picked;
  }

 private:
  std::optional<Index> opened(Index chosen, float width) {
    const bool opens = ImGui::IsWindowAppearing();
    if (opens) {
      search_.typed.clear();
      ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(width);
    const bool enter = text_field("##find", "word or id", search_.typed, ImGuiInputTextFlags_EnterReturnsTrue);
    if (opens || search_.found_for != search_.typed) find();
    // The typing goes on.
    if (enter && search_.found.empty()) ImGui::SetKeyboardFocusHere(-1);
    std::optional<Index> picked;
    if (enter && !search_.found.empty()) picked = search_.found.front();
    if (entry(-1, chosen, width)) picked = -1;
    for (const Index answer : search_.found) {
      if (entry(answer, chosen, width)) picked = answer;
    }
    if (search_.found.empty() && !search_.typed.empty()) ImGui::TextDisabled("Nothing is called so");
    if (picked) ImGui::CloseCurrentPopup();
    return picked;
  }

  bool entry(Index answer, Index chosen, float width) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(answer));
    const bool picked = ImGui::Selectable("##entry", answer == chosen, ImGuiSelectableFlags_None, ImVec2(width, 0));
    ImGui::PopID();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const std::string id = answer < 0 ? "" : std::to_string(answer);
    const float id_width = line_width(id);
    add_line(list, at, color(style_.palette.text), cut_text(name_of(answer), width - id_width - style_.px(8)));
    add_line(list, ImVec2(at.x + width - id_width, at.y), color(style_.palette.dim), id);
    return picked;
  }

  void find() {
    search_.found = answers_named(experiment_, search_.typed, count_, kMostFound);
    search_.found_for = search_.typed;
  }

  /// Remembered: a tokenizer may take its time.
  const std::string& name_of(Index answer) {
    if (answer < 0) return option_.choice_labels.front();
    if (search_.model != experiment_.model) {
      search_.names.clear();
      search_.model = experiment_.model;
    }
    const auto found = search_.names.find(answer);
    if (found != search_.names.end()) return found->second;
    return search_.names.emplace(answer, answer_text(experiment_, answer)).first->second;
  }

  const Style& style_;
  const Experiment& experiment_;
  const Parameter& option_;
  Index count_;
  AnswerSearch& search_;
};

}  // namespace

void answer_option(const Style& style, const Trace& trace, const Parameter& option, Index chosen, Index count,
                   UiState& state, UiIntents& intents) {
  wrap(ImGui::CalcTextSize(option.label.c_str()).x + style.px(168));
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("%s", option.label.c_str());
  tooltip(option.help);
  ImGui::SameLine(0, style.px(8));
  if (const auto picked = AnswerOption(style, trace, option, count, state).show(std::min(chosen, count - 1)))
    intents.actions.push_back({SetViewOption{option.name, *picked}, 0});
  ImGui::EndGroup();
}

}  // namespace attnscope::ui
