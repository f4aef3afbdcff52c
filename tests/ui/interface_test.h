// What the tests of the interface share.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>

#include "core/experiment/system.h"
#include "offscreen/offscreen_interface.h"
#include "ui/imgui/imgui_compat.h"

namespace attnscope::test {

struct WindowSize {
  int width;
  int height;
  float scale;
};

inline void PrintTo(const WindowSize& size, std::ostream* out) {
  *out << size.width << "x" << size.height << "@" << size.scale;
}

/// The point at that share of the way from the left to the right end of a rectangle, halfway down.
inline Point across(const Rect& rect, double share) { return {rect.x + rect.width * share, rect.center().y}; }

/// An interface with the worked example at its defaults; made anew for every test. Only the frames that are looked at
/// are drawn.
class Interface : public ::testing::Test {
 protected:
  void SetUp() override { start({}); }

  void start(const InterfaceOptions& options) {
    screen_.reset();
    screen_.emplace(options);
    screen_->set_drawn(false);
  }

  [[nodiscard]] OffscreenInterface& screen() { return *screen_; }

  /// The table's entry of a parameter of the open experiment.
  [[nodiscard]] const Parameter& parameter(const std::string& name) const {
    return *find_parameter(find_system(screen_->experiment().system)->parameters, name);
  }

  void undo() {
    screen().key_with_control('Z');
    screen().settle();
  }

  void redo() {
    screen().key_with_control('Z', true);
    screen().settle();
  }

  /// Types the path into the open dialog and confirms.
  void confirm(const std::filesystem::path& path) {
    screen().frame(2);
    screen().retype(path.string());
    screen().key(kEnter);
    screen().settle();
  }

  /// Drags the slider of a system that has one.
  void change_tokens() {
    const Rect slider = screen().slider(parameter("tokens").label);
    screen().drag(across(slider, 0.1), across(slider, 0.8), 3);
    screen().release();
    screen().settle();
  }

  /// By its tab, or in the list of those that have no room for one.
  void open_view(const std::string& name) {
    try {
      screen().click_item("Views", {name});
    } catch (const std::runtime_error&) {
      screen().click_item("Views", {std::string("more")});
      screen().click_item("##Popup_", {find_view(name)->title});
    }
    screen().settle();
  }

 private:
  std::optional<OffscreenInterface> screen_;
};

}  // namespace attnscope::test
