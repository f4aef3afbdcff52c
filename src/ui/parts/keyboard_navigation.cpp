#include "ui/parts/keyboard_navigation.h"

#include <algorithm>
#include <array>

#include "ui/imgui/imgui_compat.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

using platform::KeyPress;

void set_navigation(bool on) {
  ImGuiConfigFlags& flags = ImGui::GetIO().ConfigFlags;
  flags = on ? flags | ImGuiConfigFlags_NavEnableKeyboard : flags & ~ImGuiConfigFlags_NavEnableKeyboard;
}

bool has_controls(const char* panel) {
  const ImGuiWindow* window = ImGui::FindWindowByName(panel);
  return window != nullptr && window->WasActive && window->DC.NavLayersActiveMask != 0;
}

/// The panel `steps` after the one with the keyboard, of those with anything to go to. Empty: there is none.
std::string panel_after(std::span<const char* const> panels, int steps) {
  const ImGuiWindow* focused = ImGui::GetCurrentContext()->NavWindow;
  const std::string name = focused != nullptr ? focused->RootWindow->Name : "";
  const auto count = static_cast<int>(panels.size());
  const auto found = static_cast<int>(std::find(panels.begin(), panels.end(), name) - panels.begin());
  int at = found < count ? found : steps < 0 ? count : -1;
  const int step = steps < 0 ? -1 : 1;
  for (int tried = 0, left = std::max(1, std::abs(steps)); tried < 2 * count; ++tried) {
    if (found < count && steps == 0 && tried == 0) at -= step;
    at = ((at + step) % count + count) % count;
    if (has_controls(panels[static_cast<std::size_t>(at)]) && --left == 0) return panels[static_cast<std::size_t>(at)];
  }
  return "";
}

}  // namespace

void KeyboardNavigation::begin_with_tab(std::span<const char* const> panels) {
  on_ = true;
  if (ImGui::GetIO().WantTextInput) return;
  panel_ = panel_after(panels, 0);
  // ImGui would go on from where the keyboard was before.
  ImGui::FocusWindow(nullptr);
}

void KeyboardNavigation::begin(std::span<const char* const> panels) {
  had_menus_ = menus_are_open();
  const bool popups = !ImGui::GetCurrentContext()->OpenPopupStack.empty();
  if (ImGui::IsAnyMouseDown()) end();
  // What was marked for a menu is not marked for the panel below it.
  if (std::exchange(had_popups_, popups) && !popups && !on_) show_navigated(false);
  if (const int steps = std::exchange(steps_, 0); steps != 0) panel_ = panel_after(panels, steps);
  for (const KeyPress& press : presses_) {
    // Letters have another number here than on the keyboard.
    if (press.key == ' ' || press.key >= KeyPress::kEscape) short_presses_.begin_frame(press.key);
    if (press.key == KeyPress::kTab && !press.control && !press.alt && !on_ && !popups) begin_with_tab(panels);
  }
  set_navigation(on_ || popups || marking_ > 0);
}

void KeyboardNavigation::frame_began() {
  short_presses_.frame_began();
  if (marking_ > 0) {
    --marking_;
    show_navigated(true);
  }
  if (panel_.empty()) return;
  ImGuiWindow* window = ImGui::FindWindowByName(std::exchange(panel_, {}).c_str());
  if (window == nullptr) return;
  ImGui::FocusWindow(window);
  ImGui::NavInitWindow(window, true);
  show_navigated(true);
}

void KeyboardNavigation::go(int steps) {
  on_ = true;
  steps_ += steps;
}

void KeyboardNavigation::open(Menu menu) {
  menu_ = menu;
  // Until its first entry has the keyboard.
  marking_ = 3;
}

bool KeyboardNavigation::end() {
  if (!on_) return false;
  on_ = false;
  show_navigated(false);
  return true;
}

std::vector<KeyPress> KeyboardNavigation::take_shortcuts() {
  std::erase_if(presses_, [this](const KeyPress& press) { return takes(press); });
  return std::exchange(presses_, {});
}

bool KeyboardNavigation::takes(const KeyPress& press) const {
  constexpr std::array kOfControls = {static_cast<int>(' '), KeyPress::kEnter,  KeyPress::kTab,
                                      KeyPress::kLeft,       KeyPress::kRight,  KeyPress::kUp,
                                      KeyPress::kDown,       KeyPress::kPageUp, KeyPress::kPageDown};
  if (press.control || press.alt || std::ranges::find(kOfControls, press.key) == kOfControls.end()) return false;
  // A control that is gone takes nothing.
  return had_menus_ || (on_ && is_navigating() && ImGui::GetCurrentContext()->NavIdIsAlive);
}

}  // namespace attnscope::ui
