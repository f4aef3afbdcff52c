// The controls of the window by the keyboard alone: ImGui's own navigation, on only while it is wanted. Otherwise arrows,
// Space and Enter belong to the figure and to lessons.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "platform/gl/window.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/panels/commands.h"

namespace attnscope::ui {

/// Tab and the keys of menus and panels switch it on, Escape and the mouse off. In menus, lists and dialogs it is always
/// on.
class KeyboardNavigation {
 public:
  /// A key that goes down in the next frame.
  void press(const platform::KeyPress& press) { presses_.push_back(press); }
  /// Before ImGui begins a frame. `panels`: their windows in the last frame, in order.
  void begin(std::span<const char* const> panels);
  /// After ImGui began the frame, before its first window: the panel that was asked for gets the keyboard.
  void frame_began();

  /// In the next frame, the panel so many after the one that has the keyboard gets it. Without one: the first or last.
  void go(int steps);
  /// That menu opens in the next frame.
  void open(Menu menu);
  /// The menu that opens in this frame; none: no menu does.
  [[nodiscard]] Menu take_menu() { return std::exchange(menu_, Menu::none); }
  /// Switches it off; whether it was on.
  bool end();

  /// The keys that went down, but for those that a control takes. Once in a frame.
  [[nodiscard]] std::vector<platform::KeyPress> take_shortcuts();
  /// Whether a menu or list was open when the frame began: ImGui closes one with Escape itself.
  [[nodiscard]] bool had_menus() const { return had_menus_; }

 private:
  /// The first Tab goes to the first control of the panel that has the keyboard.
  void begin_with_tab(std::span<const char* const> panels);
  [[nodiscard]] bool takes(const platform::KeyPress& press) const;

  std::vector<platform::KeyPress> presses_;
  ShortPresses short_presses_;
  bool on_ = false;
  bool had_menus_ = false;
  bool had_popups_ = false;
  int steps_ = 0;
  Menu menu_ = Menu::none;
  int marking_ = 0;    ///< frames in which the mark is made visible
  std::string panel_;  ///< gets the keyboard; empty: none does
};

}  // namespace attnscope::ui
