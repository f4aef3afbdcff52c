// The controls of the window: ImGui's, in our style.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "figure/style/geometry.h"
#include "ui/imgui/style.h"
#include "ui/panels/ui_state.h"

namespace attnscope::ui {

/// Begins a part of the window at a fixed place, without decoration or background. `ImGui::End` closes it.
void begin_panel(const char* name, const Rect& place, ImGuiWindowFlags extra, ImVec2 padding);

/// "PARAMETERS": a small dim title of a group of controls.
void section_title(const Style& style, const char* title);

struct SliderSpec {
  std::string label;
  std::string help;
  double value = 0;
  double minimum = 0;  ///< of the slider; typing goes beyond
  double maximum = 1;
  bool whole = true;  ///< whole numbers
  bool logarithmic = false;
  int decimals = 2;                ///< shown, when not whole
  std::vector<double> stops = {};  ///< the values that a drag goes through; empty: all
};

/// What a slider was set to, and the drag or typing that did it; see Action::gesture.
struct SliderChange {
  double value = 0;
  std::uint64_t gesture = 0;
};

/// A label, the value and a slider below them. Returns the value when it changed; Ctrl+click types one, which counts
/// when the typing ends: perhaps because another slider was taken hold of. Starts a new gesture when it is itself.
std::optional<SliderChange> slider(const Style& style, UiState& state, const SliderSpec& spec);

/// The small triangle at the right of the last item, a combo without a button of its own.
void list_marker(const Style& style);
/// What is chosen, as far as it ends before that triangle in a combo of that width.
std::string list_text(const Style& style, const std::string& chosen, float width);

/// A label and a list to choose from; returns the position of what was chosen.
std::optional<std::size_t> choice(const Style& style, const char* label, const std::string& help,
                                  std::span<const std::string> items, std::size_t chosen);

/// The same for a row of controls: dim, and no wider than necessary.
std::optional<std::size_t> choice_in_row(const Style& style, const char* label, const std::string& help,
                                         std::span<const std::string> items, std::size_t chosen);

/// A row of small buttons of which one is chosen: "Head 1 2 3 4".
std::optional<std::size_t> button_row(const Style& style, const char* label, const std::string& help,
                                      std::span<const std::string> items, std::size_t chosen);

/// Whether the control of that label in the current window is held, or typed in.
bool is_active(const char* label);

/// Around what a tooltip holds.
void begin_tooltip();
void end_tooltip();

/// Shows `text` when the last item is hovered for a moment.
void tooltip(const std::string& text);

/// The text, or as much of its beginning as fits into `width` with an ellipsis.
std::string cut_text(const std::string& text, float width);

/// The same as an item; hovering shows all of it.
void clipped_text(const std::string& text, float width, ImU32 ink);

/// Right-aligned text on the current line, ending at `right` (window coordinates).
void text_right(const std::string& text, float right, ImU32 ink);

}  // namespace attnscope::ui
