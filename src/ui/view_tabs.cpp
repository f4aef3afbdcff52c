#include <algorithm>

#include "core/text.h"
#include "figure/matrix.h"
#include "ui/imgui_compat.h"
#include "ui/panels.h"
#include "ui/widgets.h"

namespace attnscope::ui {
namespace {

/// So many have a button each; more are chosen with a slider.
constexpr Index kMostButtons = 10;

/// A head or a batch item: 1 to as many as the trace has.
void number_option(const Style& style, const Trace& trace, const Parameter& option, Index chosen, Transient& transient,
                   Requests& requests) {
  const Index limit = option_limit(trace, option.name);
  chosen = std::min(chosen, limit);
  if (limit > kMostButtons) {
    ImGui::BeginGroup();
    ImGui::PushItemWidth(style.px(160));
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("%s", option.label.c_str());
    ImGui::SameLine();
    auto value = static_cast<int>(chosen);
    if (ImGui::SliderInt(("##" + option.name).c_str(), &value, 1, static_cast<int>(limit), "%d",
                         ImGuiSliderFlags_AlwaysClamp)) {
      requests.actions.push_back({SetViewOption{option.name, Index{value}}, transient.gesture});
    }
    if (ImGui::IsItemActivated()) ++transient.gesture;
    ImGui::PopItemWidth();
    ImGui::EndGroup();
    return;
  }
  std::vector<std::string> items;
  for (Index i = 1; i <= limit; ++i) items.push_back(std::to_string(i));
  const std::string help = option.help + (option.name == "head" ? " Keys 1 to 9." : "");
  if (const auto picked = button_row(style, option.label.c_str(), help, items, static_cast<std::size_t>(chosen - 1))) {
    requests.actions.push_back({SetViewOption{option.name, static_cast<Index>(*picked) + 1}, 0});
  }
}

void choice_option(const Style& style, const Parameter& option, const std::string& chosen, Requests& requests) {
  const auto at = static_cast<std::size_t>(std::find(option.choices.begin(), option.choices.end(), chosen) -
                                           option.choices.begin());
  if (const auto picked = button_row(style, option.label.c_str(), option.help, option.choice_labels, at)) {
    requests.actions.push_back({SetViewOption{option.name, option.choices[*picked]}, 0});
  }
}

}  // namespace

void view_tabs(const Style& style, const Experiment& experiment, Requests& requests) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float height = ImGui::GetWindowHeight();
  for (const View& view : views()) {
    if (&view != views().data()) ImGui::SameLine(0, style.px(20));
    const bool open = view.name == experiment.view.name;
    const Font& font = open ? style.fonts.strong() : style.fonts.body();
    const ImVec2 size = font.font->CalcTextSizeA(font.line, 1e9F, 0, view.title.c_str());
    const ImVec2 at(ImGui::GetCursorScreenPos().x, ImGui::GetWindowPos().y);
    ImGui::SetCursorScreenPos(at);
    if (ImGui::InvisibleButton(view.name.c_str(), ImVec2(size.x, height)) && !open)
      requests.actions.push_back({SetView{view.name}, 0});
    const bool hovered = ImGui::IsItemHovered();
    tooltip(view.summary);
    list.AddText(font.font, font.line, ImVec2(at.x, at.y + (height - size.y) / 2),
                 color(open || hovered ? style.palette.text : style.palette.dim), view.title.c_str());
    if (open)
      list.AddRectFilled(ImVec2(at.x, at.y + height - style.px(2)), ImVec2(at.x + size.x, at.y + height),
                         color(style.palette.accent));
  }
}

bool has_option_row(const Trace& trace, const std::string& name) {
  const View& view = *find_view(name);
  return std::any_of(view.options.begin(), view.options.end(),
                     [&](const Parameter& option) { return view.applies(trace, option.name); });
}

void view_option_row(const Style& style, const Trace& trace, const ViewOptions& options, Transient& transient,
                     Requests& requests) {
  const View& view = *find_view(trace.experiment().view.name);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(8), style.px(3)));
  bool first = true;
  for (const Parameter& option : view.options) {
    if (!view.applies(trace, option.name) || options.values.count(option.name) == 0) continue;
    if (!first) ImGui::SameLine(0, style.px(20));
    // What does not fit beside the others goes below them.
    if (!first && ImGui::GetContentRegionAvail().x < style.px(170)) ImGui::NewLine();
    first = false;
    if (option.kind == Parameter::Kind::integer) {
      number_option(style, trace, option, options.integer(option.name), transient, requests);
    } else {
      choice_option(style, option, options.choice(option.name), requests);
    }
  }
  ImGui::PopStyleVar();
}

}  // namespace attnscope::ui
