// What the tests of the dialogs that write figures share.
#pragma once

#include <string>
#include <utility>

#include "interface_test.h"
#include "support/temporary_folder.h"

namespace attnscope::test {

class DialogTest : public Interface {
 protected:
  explicit DialogTest(std::string title) : title_(std::move(title)) {}

  void SetUp() override {
    start({});
    screen().settle();
  }

  virtual void open() = 0;

  /// Opens the dialog with that path typed.
  void open_for(const std::string& name) {
    open();
    screen().retype((folder_ / name).string());
    screen().frame(2);
  }

  void press(const std::string& control, bool waits = true) {
    screen().click_item(title_, {control});
    screen().frame(2);
    if (waits) screen().settle();
  }

  /// Replaces the text of a field.
  void fill(const std::string& field, const std::string& text) {
    screen().double_click(screen().item(title_, {field}).center());
    screen().retype(text);
    screen().frame(2);
    screen().settle();
  }

  /// From a list of the dialog.
  void choose(const std::string& list, const std::string& item) {
    screen().click_item(title_, {list});
    screen().frame(2);
    screen().click_item("##Combo_01", {item});
    screen().frame(2);
    screen().settle();
  }

  void expect_fits_into_windows() {
    for (const WindowSize size : {WindowSize{1000, 700, 1}, WindowSize{640, 420, 1}, WindowSize{2000, 1400, 2}}) {
      InterfaceOptions options;
      options.width = size.width;
      options.height = size.height;
      options.scale = size.scale;
      start(options);
      screen().settle();
      open();
      const Rect place = screen().window_place(title_);
      EXPECT_GE(place.x, 0);
      EXPECT_GE(place.y, 0);
      EXPECT_LE(place.right(), size.width);
      EXPECT_LE(place.bottom(), size.height);
    }
  }

  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] ui::Dialog dialog() { return screen().state().dialog.open; }

  TemporaryFolder folder_;

 private:
  std::string title_;
};

}  // namespace attnscope::test
