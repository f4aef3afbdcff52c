// The controls of the window: ImGui's, in our style.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "figure/style/geometry.h"
#include "ui/imgui/style.h"
#include "ui/panels/ui_state.h"

namespace attnscope::ui {

/// Of errors, in both themes.
inline constexpr Rgb kAlarmingInk = {0xE6, 0x9F, 0x00};

// Lengths and places are in ImGui's coordinates, positions in lists count from 0. `help` is the text of a tooltip.

/// Begins a part of the window at a fixed place, without decoration or background. `ImGui::End` closes it. `extra` are
/// flags in addition to those of all panels.
void begin_panel(const char* name, const Rect& place, ImGuiWindowFlags extra, ImVec2 padding);

/// A small dim title above a group of controls: "PARAMETERS".
void section_title(const Style& style, const char* title);

struct SliderSpec {
  std::string label;  ///< also identifies the slider in its window
  std::string help;
  double value = 0;
  double minimum = 0;  ///< of a drag; a typed value may be outside
  double maximum = 1;
  bool whole = true;               ///< only whole numbers
  bool logarithmic = false;        ///< needs a positive minimum
  int decimals = 2;                ///< shown, unless `whole`
  std::vector<double> stops = {};  ///< the values that a drag snaps to; empty: all
};

/// What a slider was set to, and the drag or typing that did it; see Action::gesture.
struct SliderChange {
  double value = 0;
  std::uint64_t gesture = 0;
};

/// A label and the value, with a slider below. Returns the value when a drag changes it. After Ctrl+click the user
/// types a value, which is returned when typing ends: with Enter, or because the user clicked something else. Each drag
/// and each typed value is a new gesture, counted in `state.gesture`.
std::optional<SliderChange> slider(const Style& style, UiState& state, const SliderSpec& spec);

/// Draws the small triangle of a drop-down list at the right of the last item, a combo without an arrow button.
void list_marker(const Style& style);
/// `chosen`, cut to end before that triangle in a combo of that width.
std::string list_text(const Style& style, const std::string& chosen, float width);

/// A label and a drop-down list that shows item `chosen`; returns the position of the item chosen in this frame.
std::optional<std::size_t> choice(const Style& style, const char* label, const std::string& help,
                                  std::span<const std::string> items, std::size_t chosen);

/// Goes to the next line unless so much fits behind what stands in this one, after `ImGui::SameLine`.
void wrap(float width);

/// The same with a dim label and a narrow list, for a row of several controls. It wraps, and so do the buttons below.
std::optional<std::size_t> choice_in_row(const Style& style, const char* label, const std::string& help,
                                         std::span<const std::string> items, std::size_t chosen);

/// A label and a row of small buttons, with `chosen` highlighted: "Head 1 2 3 4". Returns the position of the button
/// clicked in this frame.
std::optional<std::size_t> button_row(const Style& style, const char* label, const std::string& help,
                                      std::span<const std::string> items, std::size_t chosen);

/// Whether the user holds the control of that label in the current window, or types in it.
bool is_active(const char* label);

/// A button that shows nothing, for what is painted in its place; a frame around it when the keyboard is on it.
bool invisible_button(const char* id, ImVec2 size);

/// Like it, for what answers to the mouse alone: the keyboard passes it over.
bool mouse_area(const char* id, ImVec2 size);

/// Whether Enter confirms the dialog whose window is being built. It does not where it belongs to an open list, or to
/// the control that the keyboard is on.
bool enter_confirms();

/// In the bar of menus, where one menu is open and no other from it: −1 or 1 where an arrow to the left or right led to
/// nothing in the menu. The arrow counts as used then.
int sideways_in_menu();

/// Whether the field that was just shown went back to what it held before typing, because of Escape.
bool fell_back();

/// Whether any menu or list is open; dialogs do not count.
bool menus_are_open();

/// Closes all open menus and lists; whether there were any. Dialogs stay. After the last window of a frame.
bool close_menus();

/// Between these, buttons have the accent's colour.
void push_accent_button(const Style& style);
void pop_accent_button();

/// Begin and end a tooltip, whose content is drawn in between.
void begin_tooltip();
void end_tooltip();

/// Shows `text` at once, wrapped.
void show_tooltip(const std::string& text);

/// Shows `text` once the mouse has been over the last item for a moment; an empty text shows nothing.
void tooltip(const std::string& text);

/// `text`, or as much of its beginning as fits in `width` with an ellipsis.
std::string cut_text(const std::string& text, float width);

/// `cut_text` as an item; hovering shows the whole text, up to 16 kB.
void clipped_text(const std::string& text, float width, ImU32 ink);

/// Right-aligned text on the current line, ending at `right`, which is relative to the window.
void text_right(const std::string& text, float right, ImU32 ink);

}  // namespace attnscope::ui
