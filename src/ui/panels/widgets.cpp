#include "ui/panels/widgets.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/outside_line.h"
#include "ui/imgui/wanted_characters.h"

namespace attnscope::ui {
namespace {

// Seconds of hovering before a tooltip: long enough not to flash by.
constexpr float kTooltipDelay = 0.35F;
// Whole numbers up to here are exact as double.
constexpr ImS64 kMaxWhole = ImS64{1} << 53;

constexpr ImGuiWindowFlags kPanelFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                                         ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                         ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNavFocus;

/// The track and knob of a slider whose value is at `share` of its range.
void draw_track(const Style& style, ImVec2 at, float width, float share, bool lively) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float radius = style.px(6);
  const float half = style.px(2);
  const float knob = at.x + radius + std::clamp(share, 0.0F, 1.0F) * (width - 2 * radius);
  list.AddRectFilled(ImVec2(at.x, at.y - half), ImVec2(at.x + width, at.y + half), color(style.palette.control), half);
  list.AddRectFilled(ImVec2(at.x, at.y - half), ImVec2(knob, at.y + half), color(style.palette.accent), half);
  list.AddCircleFilled(ImVec2(knob, at.y), lively ? radius * 1.2F : radius, color(style.palette.accent), 24);
}

float share_of(const SliderSpec& spec) {
  if (spec.maximum <= spec.minimum) return 0;
  if (spec.logarithmic) {
    return static_cast<float>(std::log(std::max(spec.value, 1e-9) / spec.minimum) /
                              std::log(spec.maximum / spec.minimum));
  }
  return static_cast<float>((spec.value - spec.minimum) / (spec.maximum - spec.minimum));
}

/// ImGui's own slider, of which only the field after Ctrl+click is visible.
bool invisible_slider(const SliderSpec& spec, double& value, bool typing) {
  for (const ImGuiCol_ which : {ImGuiCol_SliderGrab, ImGuiCol_SliderGrabActive}) ImGui::PushStyleColor(which, 0);
  int pushed = 2;
  if (!typing) {
    for (const ImGuiCol_ which : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_Text})
      ImGui::PushStyleColor(which, 0);
    pushed += 4;
  }
  const ImGuiSliderFlags flags = spec.logarithmic ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None;
  bool changed = false;
  if (spec.whole) {
    auto whole = static_cast<ImS64>(std::llround(value));
    const auto low = static_cast<ImS64>(spec.minimum);
    const auto high = static_cast<ImS64>(spec.maximum);
    changed = ImGui::SliderScalar("##slider", ImGuiDataType_S64, &whole, &low, &high, "%lld", flags);
    if (changed) value = static_cast<double>(std::clamp(whole, -kMaxWhole, kMaxWhole));
  } else {
    const std::string format = "%." + std::to_string(spec.decimals) + "f";
    changed = ImGui::SliderScalar("##slider", ImGuiDataType_Double, &value, &spec.minimum, &spec.maximum,
                                  format.c_str(), flags);
  }
  ImGui::PopStyleColor(pushed);
  return changed;
}

}  // namespace

void begin_panel(const char* name, const Rect& place, ImGuiWindowFlags extra, ImVec2 padding) {
  ImGui::SetNextWindowPos(ImVec2(static_cast<float>(place.x), static_cast<float>(place.y)));
  ImGui::SetNextWindowSize(ImVec2(static_cast<float>(place.width), static_cast<float>(place.height)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::Begin(name, nullptr, kPanelFlags | extra);
  ImGui::PopStyleVar(2);
}

void section_title(const Style& style, const char* title) {
  push_font(style.fonts.small().font, style.fonts.small().line);
  ImGui::PushStyleColor(ImGuiCol_Text, color(style.palette.dim));
  ImGui::TextUnformatted(title);
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

namespace {

double nearest_stop(const std::vector<double>& stops, double value) {
  const auto nearer = [&](double a, double b) { return std::abs(a - value) < std::abs(b - value); };
  const auto found = std::min_element(stops.begin(), stops.end(), nearer);
  return found == stops.end() ? value : *found;
}

}  // namespace

std::optional<SliderChange> slider(const Style& style, UiState& state, const SliderSpec& spec) {
  ImGui::PushID(spec.label.c_str());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const ImGuiID id = ImGui::GetID("##slider");
  const bool typing = ImGui::TempInputIsActive(id);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddText(at, color(style.palette.text), spec.label.c_str());
  const std::string shown = spec.whole ? grouped_text(std::llround(spec.value)) : fixed_text(spec.value, spec.decimals);
  const Font& strong = style.fonts.strong();
  const float shown_width = strong.font->CalcTextSizeA(strong.line, 1e9F, 0, shown.c_str()).x;
  list.AddText(strong.font, strong.line, ImVec2(at.x + width - shown_width, at.y), color(style.palette.text),
               shown.c_str());

  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + style.px(18)));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(4), style.px(1)));
  ImGui::SetNextItemWidth(width);
  // Compared with the last typed value: typing the old value again is a change, too.
  double value = typing && state.typed && state.typed->widget == id ? state.typed->value : spec.value;
  const bool changed = invisible_slider(spec, value, typing);
  ImGui::PopStyleVar();
  const bool active = ImGui::IsItemActive();
  if (ImGui::IsItemActivated()) {
    ++state.gesture;
    if (state.typed && state.typed->widget == id) state.typed.reset();
  }
  const bool ended = ImGui::IsItemDeactivated();
  if (!typing) {
    const ImVec2 low = ImGui::GetItemRectMin();
    draw_track(style, ImVec2(low.x, (low.y + ImGui::GetItemRectMax().y) / 2), width, share_of(spec),
               active || ImGui::IsItemHovered());
    if (!active) tooltip(spec.help + " Ctrl+click to type a value.");
  }
  ImGui::PopID();

  if (typing && changed) state.typed = TypedValue{id, value, state.gesture};
  // Typing also ends when the user clicks another control, before this one is drawn.
  if (ended && state.typed && state.typed->widget == id) {
    const SliderChange typed = {state.typed->value, state.typed->gesture};
    state.typed.reset();
    return typed;
  }
  if (typing || !changed) return std::nullopt;
  const double stopped = nearest_stop(spec.stops, value);
  if (stopped == spec.value) return std::nullopt;
  return SliderChange{stopped, state.gesture};
}

std::string list_text(const Style& style, const std::string& chosen, float width) {
  return cut_text(chosen, width - ImGui::GetStyle().FramePadding.x - style.px(24));
}

void list_marker(const Style& style) {
  const ImVec2 low = ImGui::GetItemRectMin();
  const ImVec2 high = ImGui::GetItemRectMax();
  const ImVec2 at(high.x - style.px(14), (low.y + high.y) / 2);
  const float half = style.px(3.5);
  ImGui::GetWindowDrawList()->AddTriangleFilled(ImVec2(at.x - half, at.y - half * 0.6F),
                                                ImVec2(at.x + half, at.y - half * 0.6F),
                                                ImVec2(at.x, at.y + half * 0.8F), color(style.palette.dim));
}

namespace {

/// A drop-down list, `width` wide.
std::optional<std::size_t> opening_list(const Style& style, const std::string& help, std::span<const std::string> items,
                                        std::size_t chosen, float width) {
  std::optional<std::size_t> result;
  ImGui::SetNextItemWidth(width);
  const std::string preview = chosen < items.size() ? list_text(style, items[chosen], ImGui::CalcItemWidth()) : "";
  if (ImGui::BeginCombo("##choice", preview.c_str(), ImGuiComboFlags_NoArrowButton | ImGuiComboFlags_HeightLarge)) {
    // Only visible items: there may be very many.
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(items.size()));
    while (clipper.Step()) {
      for (auto i = static_cast<std::size_t>(clipper.DisplayStart); i < static_cast<std::size_t>(clipper.DisplayEnd);
           ++i) {
        if (ImGui::Selectable(items[i].c_str(), i == chosen)) result = i;
      }
    }
    ImGui::EndCombo();
  } else {
    // The tooltip has the whole text.
    tooltip(chosen < items.size() && preview != items[chosen] ? items[chosen] + "\n" + help : help);
  }
  list_marker(style);
  return result;
}

}  // namespace

std::optional<std::size_t> choice(const Style& style, const char* label, const std::string& help,
                                  std::span<const std::string> items, std::size_t chosen) {
  ImGui::PushID(label);
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(label);
  tooltip(help);
  ImGui::SameLine(width * 0.48F + ImGui::GetStyle().WindowPadding.x);
  const std::optional<std::size_t> result = opening_list(style, help, items, chosen, -1);
  ImGui::PopID();
  return result;
}

void wrap(float width) {
  if (ImGui::GetCursorPosX() > ImGui::GetCursorStartPos().x && ImGui::GetContentRegionAvail().x < width)
    ImGui::NewLine();
}

std::optional<std::size_t> choice_in_row(const Style& style, const char* label, const std::string& help,
                                         std::span<const std::string> items, std::size_t chosen) {
  const float list = style.px(140);
  wrap(ImGui::CalcTextSize(label).x + style.px(8) + list);
  ImGui::BeginGroup();
  ImGui::PushID(label);
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("%s", label);
  tooltip(help);
  ImGui::SameLine(0, style.px(8));
  const std::optional<std::size_t> result = opening_list(style, help, items, chosen, list);
  ImGui::PopID();
  ImGui::EndGroup();
  return result;
}

std::optional<std::size_t> button_row(const Style& style, const char* label, const std::string& help,
                                      std::span<const std::string> items, std::size_t chosen) {
  std::optional<std::size_t> result;
  const auto button = [](const std::string& item) {
    return ImGui::CalcTextSize(item.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
  };
  float width = ImGui::CalcTextSize(label).x + style.px(4);
  for (const std::string& item : items) width += style.px(4) + button(item);
  wrap(width);
  ImGui::PushID(label);
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("%s", label);
  tooltip(help);
  for (std::size_t i = 0; i < items.size(); ++i) {
    ImGui::SameLine(0, i == 0 ? style.px(8) : style.px(4));
    wrap(button(items[i]));
    const bool on = i == chosen;
    if (on) push_accent_button(style);
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Button(items[i].c_str())) result = i;
    ImGui::PopID();
    if (on) pop_accent_button();
    tooltip(help);
  }
  ImGui::PopID();
  return result;
}

bool is_active(const char* label) { return ImGui::GetActiveID() == ImGui::GetID(label); }

bool invisible_button(const char* id, ImVec2 size) {
  // ImGui's own is passed over by the keyboard in some versions.
  const ImGuiID number = ImGui::GetID(id);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImRect place(at, ImVec2(at.x + size.x, at.y + size.y));
  ImGui::ItemSize(size);
  if (!ImGui::ItemAdd(place, number)) return false;
  bool hovered = false;
  bool held = false;
  const bool pressed = ImGui::ButtonBehavior(place, number, &hovered, &held);
  mark_navigated(place, number);
  return pressed;
}

bool mouse_area(const char* id, ImVec2 size) {
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
  const bool pressed = ImGui::InvisibleButton(id, size);
  ImGui::PopItemFlag();
  return pressed;
}

bool fell_back() { return ImGui::IsItemDeactivated() && key_pressed(ImGuiKey_Escape); }

bool enter_confirms() { return ImGui::IsWindowFocused() && key_pressed(ImGuiKey_Enter) && !is_navigating(); }

namespace {

/// How many of the open popups stay when menus and lists close: those up to the innermost dialog.
int popups_of_dialogs() {
  const ImVector<ImGuiPopupData>& popups = ImGui::GetCurrentContext()->OpenPopupStack;
  int count = popups.Size;
  for (; count > 0; --count) {
    const ImGuiWindow* window = popups[count - 1].Window;
    if (window != nullptr && (window->Flags & ImGuiWindowFlags_Modal) != 0) break;
  }
  return count;
}

}  // namespace

int sideways_in_menu() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const bool sideways = g.NavMoveDir == ImGuiDir_Left || g.NavMoveDir == ImGuiDir_Right;
  if (!sideways || g.OpenPopupStack.Size != 1 || !ImGui::NavMoveRequestButNoResultYet()) return 0;
  const int side = g.NavMoveDir == ImGuiDir_Left ? -1 : 1;
  ImGui::NavMoveRequestCancel();
  return side;
}

bool menus_are_open() { return popups_of_dialogs() < ImGui::GetCurrentContext()->OpenPopupStack.Size; }

bool close_menus() {
  if (!menus_are_open()) return false;
  ImGui::ClosePopupToLevel(popups_of_dialogs(), true);
  return true;
}

void push_accent_button(const Style& style) {
  for (const ImGuiCol_ which : {ImGuiCol_Button, ImGuiCol_ButtonHovered, ImGuiCol_ButtonActive})
    ImGui::PushStyleColor(which, color(style.palette.accent));
  ImGui::PushStyleColor(ImGuiCol_Text, color(ink_on(style.palette.accent)));
}

void pop_accent_button() { ImGui::PopStyleColor(4); }

void begin_tooltip() {
  const ImVec2 padding = ImGui::GetStyle().WindowPadding;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(padding.x * 0.6F, padding.y * 0.5F));
  ImGui::BeginTooltip();
}

void end_tooltip() {
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

void show_tooltip(const std::string& text) {
  begin_tooltip();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 22);
  show_lines(text);
  ImGui::PopTextWrapPos();
  end_tooltip();
}

void tooltip(const std::string& text) {
  if (text.empty() || !ImGui::IsItemHovered() || ImGui::GetCurrentContext()->HoveredIdTimer < kTooltipDelay) return;
  show_tooltip(text);
}

namespace {

// Bytes of a text that may be very long.
constexpr std::size_t kMaxLine = 4096;
constexpr std::size_t kMaxTooltip = 16384;

}  // namespace

std::string cut_text(const std::string& text, float width) {
  const std::string_view line = utf8_prefix(text, kMaxLine);
  wanted_characters().add(line);
  if (line.size() == text.size() && line_width(line) <= width) return text;
  const float room = width - line_width("…");
  // The longest beginning that fits and ends with a whole character.
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i <= line.size(); ++i) {
    if (i == line.size() || begins_character(line[i])) ends.push_back(i);
  }
  const auto fits = [&](std::size_t end) { return line_width(line.substr(0, end)) <= room; };
  const auto last = std::partition_point(ends.begin(), ends.end(), fits);
  return std::string(line.substr(0, last == ends.begin() ? 0 : *(last - 1))) + "…";
}

void clipped_text(const std::string& text, float width, ImU32 ink) {
  const std::string shown = cut_text(text, width);
  ImGui::PushStyleColor(ImGuiCol_Text, ink);
  show_lines(shown);
  ImGui::PopStyleColor();
  if (shown != text && ImGui::IsItemHovered()) {
    begin_tooltip();
    show_lines(utf8_prefix(text, kMaxTooltip));
    end_tooltip();
  }
}

void text_right(const std::string& text, float right, ImU32 ink) {
  // Not as SameLine's offset, which counts from the group that is open.
  ImGui::SameLine();
  ImGui::SetCursorPosX(right - line_width(text));
  ImGui::PushStyleColor(ImGuiCol_Text, ink);
  show_lines(text);
  ImGui::PopStyleColor();
}

}  // namespace attnscope::ui
