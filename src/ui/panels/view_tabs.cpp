#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/experiment/order.h"
#include "core/studies/permutation.h"
#include "figure/slices/selected.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/panels/answer_option.h"
#include "ui/panels/panels.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

/// Up to so many values have a button each; more have a slider.
constexpr Index kMaxButtons = 10;

/// Begins a slider with a translucent knob, to keep the number in it readable. `end_number_slider` ends it.
void begin_number_slider(const Style& style, const Parameter& option, float width) {
  constexpr float kThrough = 0.4F;
  wrap(ImGui::CalcTextSize(option.label.c_str()).x + ImGui::GetStyle().ItemSpacing.x + style.px(width));
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("%s", option.label.c_str());
  ImGui::SameLine();
  ImGui::PushItemWidth(style.px(width));
  for (const ImGuiCol_ which : {ImGuiCol_SliderGrab, ImGuiCol_SliderGrabActive}) {
    ImVec4 grab = ImGui::GetStyleColorVec4(which);
    grab.w *= kThrough;
    ImGui::PushStyleColor(which, grab);
  }
}

void end_number_slider(const std::string& help, UiState& state) {
  if (ImGui::IsItemActivated()) ++state.gesture;
  if (!help.empty()) tooltip(help);
  ImGui::PopStyleColor(2);
  ImGui::PopItemWidth();
  ImGui::EndGroup();
}

void number_slider(const Style& style, const Parameter& option, Index chosen, Index from, Index to, UiState& state,
                   UiIntents& intents) {
  // In a wide range the small numbers matter most.
  constexpr Index kWide = 30;
  const bool own = !counts_the_trace(option.name);
  const bool wide = from > 0 && own && to / from >= kWide;
  // In a narrow window more options fit into a row.
  begin_number_slider(style, option, ImGui::GetWindowWidth() < style.px(640) ? 92 : 160);
  auto value = static_cast<int>(chosen);
  const std::string name = integer_text(option, chosen);
  const std::string shown = name == std::to_string(chosen) ? "%d" : name;
  const ImGuiSliderFlags scale = wide ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None;
  if (ImGui::SliderInt(("##" + option.name).c_str(), &value, static_cast<int>(from), static_cast<int>(to),
                       shown.c_str(), ImGuiSliderFlags_AlwaysClamp | scale)) {
    intents.actions.push_back({SetViewOption{option.name, Index{value}}, state.gesture});
  }
  end_number_slider(own ? option.help : "", state);
}

bool is_answer(const Parameter& option) { return option.name == "token" || option.name == "other_token"; }

/// A whole number: a range of the view's own, or counted from 1 to as many as the trace has.
void number_option(const Style& style, const Trace& trace, const View& view, const Parameter& option,
                   const ViewOptions& options, UiState& state, UiIntents& intents) {
  Index chosen = options.integer(option.name);
  if (!counts_the_trace(option.name)) {
    number_slider(style, option, chosen, static_cast<Index>(option.slider_minimum),
                  static_cast<Index>(option.slider_maximum), state, intents);
    return;
  }
  const Index limit = option_limit(view, trace, option.name, options.values);
  if (view.names != nullptr) {
    if (const std::vector<std::string> names = view.names(trace, option.name); !names.empty()) {
      const auto at = static_cast<std::size_t>(std::min(chosen, limit) - 1);
      if (const auto picked = choice_in_row(style, option.label.c_str(), option.help, names, at))
        intents.actions.push_back({SetViewOption{option.name, static_cast<Index>(*picked) + 1}, 0});
      return;
    }
  }
  const auto first = static_cast<Index>(option.minimum);
  chosen = std::min(chosen, limit);
  // Of these the limit is the last one, counted from 0.
  if (is_answer(option) && limit > kMaxButtons) {
    answer_option(style, trace, option, chosen, limit + 1, state, intents);
    return;
  }
  if (limit > kMaxButtons) {
    number_slider(style, option, chosen, first, limit, state, intents);
    return;
  }
  std::vector<std::string> items;
  for (Index i = first; i <= limit; ++i) items.push_back(integer_text(option, i));
  const std::string help = option.help + (option.name == "head" ? " Keys 1 to 9." : "");
  if (const auto picked =
          button_row(style, option.label.c_str(), help, items, static_cast<std::size_t>(chosen - first))) {
    intents.actions.push_back({SetViewOption{option.name, static_cast<Index>(*picked) + first}, 0});
  }
}

void real_option(const Style& style, const Parameter& option, double value, UiState& state, UiIntents& intents) {
  begin_number_slider(style, option, 140);
  auto shown = static_cast<float>(value);
  const auto from = static_cast<float>(option.slider_minimum);
  const auto to = static_cast<float>(option.slider_maximum);
  if (ImGui::SliderFloat(("##" + option.name).c_str(), &shown, from, to, "%.2f", ImGuiSliderFlags_AlwaysClamp)) {
    // Only the digits that are shown.
    const double rounded = std::round(static_cast<double>(shown) * 100) / 100;
    intents.actions.push_back({SetViewOption{option.name, rounded}, state.gesture});
  }
  end_number_slider(option.help, state);
}

void choice_option(const Style& style, const Parameter& option, const std::string& chosen, UiIntents& intents) {
  const auto at = static_cast<std::size_t>(std::find(option.choices.begin(), option.choices.end(), chosen) -
                                           option.choices.begin());
  constexpr std::size_t kMaxWords = 5;
  const auto picked = option.choices.size() > kMaxWords
                          ? choice_in_row(style, option.label.c_str(), option.help, option.choice_labels, at)
                          : button_row(style, option.label.c_str(), option.help, option.choice_labels, at);
  if (picked) {
    intents.actions.push_back({SetViewOption{option.name, option.choices[*picked]}, 0});
  }
}

/// Buttons for the usual orders.
void order_option(const Style& style, const Trace& trace, const Parameter& option, const std::string& text,
                  UiIntents& intents) {
  const Index count = permutable_tokens(trace);
  const std::vector<Index> order = full_order(text, count);
  std::vector<Index> given(order.size());
  std::iota(given.begin(), given.end(), Index{0});
  std::vector<Index> reversed(given.rbegin(), given.rend());
  std::vector<Index> swapped = given;
  if (swapped.size() > 1) std::swap(swapped[0], swapped[1]);
  const std::array<std::vector<Index>, 3> orders = {given, swapped, reversed};
  const auto at = static_cast<std::size_t>(std::find(orders.begin(), orders.end(), order) - orders.begin());
  static const std::array<std::string, 3> kNames = {"original", "first two swapped", "reversed"};
  if (const auto picked = button_row(style, option.label.c_str(), option.help, kNames, at)) {
    intents.actions.push_back({SetViewOption{option.name, order_text(orders[*picked])}, 0});
  }
}

}  // namespace

namespace {

/// How strong the name is of a view that cannot show the trace.
constexpr float kOfMissing = 0.5F;

float tab_width(const Style& style, const View& view) {
  // As wide as when it is open: the other tabs keep their places.
  const Font& font = style.fonts.strong();
  return font.font->CalcTextSizeA(font.line, 1e9F, 0, view.title.c_str()).x;
}

/// What the button of the list needs besides its name, for its arrow.
float arrow_width(const Style& style) { return style.px(14); }

/// The width of the button of the list, which has the name of any view in it.
float list_width(const Style& style, const std::vector<bool>& shown) {
  float width = ImGui::CalcTextSize("More").x;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (!shown[i]) width = std::max(width, tab_width(style, views()[i]));
  }
  return width + arrow_width(style);
}

/// Per view, whether it has a tab within `width`: all if they fit; otherwise those that can show the trace, then the
/// others, each group from the first one on. Which one is open makes no difference. `missing`: per view, why it cannot.
std::vector<bool> views_with_tabs(const Style& style, std::span<const std::string> missing, float width, float gap) {
  std::vector<std::size_t> turns;
  for (const bool can_show : {true, false}) {
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (missing[i].empty() == can_show) turns.push_back(i);
    }
  }
  std::vector<bool> shown(views().size(), true);
  float needed = -gap;
  for (const View& view : views()) needed += tab_width(style, view) + gap;
  for (; needed + (turns.size() < shown.size() ? gap + list_width(style, shown) : 0) > width && !turns.empty();
       turns.pop_back()) {
    shown[turns.back()] = false;
    needed -= tab_width(style, views()[turns.back()]) + gap;
  }
  return shown;
}

std::string view_help(const View& view, const std::string& missing) {
  return missing.empty() ? view.summary : view.summary + "\n" + missing;
}

/// A word in the row of tabs, underlined if it is the open one. It reacts to the mouse in all of its `width`.
/// Returns whether it was clicked.
bool row_button(const Style& style, const std::string& id, const std::string& title, float width, bool open,
                float strength) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float height = ImGui::GetWindowHeight();
  const Font& font = open ? style.fonts.strong() : style.fonts.body();
  const ImVec2 size = font.font->CalcTextSizeA(font.line, 1e9F, 0, title.c_str());
  const ImVec2 at(ImGui::GetCursorScreenPos().x, ImGui::GetWindowPos().y);
  ImGui::SetCursorScreenPos(at);
  const bool clicked = invisible_button(id.c_str(), ImVec2(width, height));
  const bool lit = open || ImGui::IsItemHovered();
  const ImVec2 text(at.x, at.y + (height - size.y) / 2);
  list.AddText(font.font, font.line, text, color(lit ? style.palette.text : style.palette.dim, strength),
               title.c_str());
  if (open) {
    const float line = at.y + height - style.px(2);
    list.AddRectFilled(ImVec2(at.x, line), ImVec2(at.x + width, at.y + height), color(style.palette.accent));
  }
  return clicked;
}

void view_tab(const Style& style, const View& view, bool open, const std::string& missing, UiIntents& intents) {
  const float strength = missing.empty() ? 1.0F : kOfMissing;
  if (row_button(style, view.name, view.title, tab_width(style, view), open, strength) && !open)
    intents.actions.push_back({SetView{view.name}, 0});
  tooltip(view_help(view, missing));
}

/// The views without a tab, in a list below "More", or below the name of the open one if that is among them.
void more_views(const Style& style, const std::vector<bool>& shown, const std::string& open,
                std::span<const std::string> missing, UiIntents& intents) {
  std::size_t opened = 0;
  while (opened < shown.size() && (shown[opened] || views()[opened].name != open)) ++opened;
  const bool is_open = opened < shown.size();
  const std::string name = is_open ? views()[opened].title : "More";
  const float word = is_open ? tab_width(style, views()[opened]) : ImGui::CalcTextSize(name.c_str()).x;
  if (row_button(style, "more", name, word + arrow_width(style), is_open, 1)) ImGui::OpenPopup("more views");
  const ImU32 ink = color(is_open || ImGui::IsItemHovered() ? style.palette.text : style.palette.dim);
  const ImVec2 below(ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y);
  const ImVec2 tip(below.x + word + style.px(8), ImGui::GetWindowPos().y + ImGui::GetWindowHeight() / 2 + style.px(3));
  ImGui::GetWindowDrawList()->AddTriangleFilled(ImVec2(tip.x - style.px(4), tip.y - style.px(5)),
                                                ImVec2(tip.x + style.px(4), tip.y - style.px(5)), tip, ink);
  if (is_open) tooltip(view_help(views()[opened], missing[opened]));
  ImGui::SetNextWindowPos(below);
  if (!ImGui::BeginPopup("more views")) return;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i]) continue;
    const View& view = views()[i];
    ImGui::PushStyleColor(ImGuiCol_Text, color(style.palette.text, missing[i].empty() ? 1.0F : kOfMissing));
    if (ImGui::MenuItem(view.title.c_str(), nullptr, i == opened) && i != opened)
      intents.actions.push_back({SetView{view.name}, 0});
    ImGui::PopStyleColor();
    tooltip(view_help(view, missing[i]));
  }
  ImGui::EndPopup();
}

}  // namespace

void view_tabs(const Style& style, const Experiment& experiment, const Trace* trace, UiIntents& intents) {
  const float gap = style.px(12);
  std::vector<std::string> missing;
  for (const View& view : views()) missing.push_back(trace != nullptr ? missing_for(view, *trace) : "");
  const std::vector<bool> shown = views_with_tabs(style, missing, ImGui::GetContentRegionAvail().x, gap);
  bool is_first = true;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (!shown[i]) continue;
    if (!std::exchange(is_first, false)) ImGui::SameLine(0, gap);
    view_tab(style, views()[i], views()[i].name == experiment.view.name, missing[i], intents);
  }
  if (std::find(shown.begin(), shown.end(), false) == shown.end()) return;
  ImGui::SameLine(0, gap);
  more_views(style, shown, experiment.view.name, missing, intents);
}

namespace {

/// Whether the row has a control for it: moments have controls of their own, see Playback.
bool has_control(const Trace& trace, const View& view, const Parameter& option, const ViewOptions& options) {
  return option.name != "moment" && option_applies(view, trace, options.values, option.name);
}

}  // namespace

bool has_option_row(const Trace& trace, const ViewOptions& options) {
  const View& view = *find_view(trace.experiment().view.name);
  return std::any_of(view.options.begin(), view.options.end(),
                     [&](const Parameter& option) { return has_control(trace, view, option, options); });
}

void view_option_row(const Style& style, const Trace& trace, const ViewOptions& options, UiState& state,
                     UiIntents& intents) {
  const View& view = *find_view(trace.experiment().view.name);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(8), style.px(3)));
  bool first = true;
  for (const Parameter& option : view.options) {
    if (!has_control(trace, view, option, options) || options.values.count(option.name) == 0) continue;
    if (!std::exchange(first, false)) ImGui::SameLine(0, style.px(20));
    if (option.kind == Parameter::Kind::integer) {
      number_option(style, trace, view, option, options, state, intents);
    } else if (option.kind == Parameter::Kind::order) {
      order_option(style, trace, option, options.choice(option.name), intents);
    } else if (option.kind == Parameter::Kind::real) {
      real_option(style, option, options.real(option.name), state, intents);
    } else {
      choice_option(style, option, options.choice(option.name), intents);
    }
  }
  ImGui::PopStyleVar();
}

}  // namespace attnscope::ui
