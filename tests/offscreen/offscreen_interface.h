// The whole interface without a window: what a user does with mouse and keyboard, frame by frame, and what is then on
// the screen. For tests and benchmarks.
#pragma once

#include <imgui.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "figure/model/canvas.h"
#include "offscreen/offscreen.h"
#include "ui/workbench/workbench.h"

struct ImGuiWindow;

namespace attnscope::test {

/// Where a control is among ImGui's identifiers: the labels and numbers pushed on the way to it, its own last.
using ItemPath = std::vector<std::variant<std::string, int>>;

/// Keys besides letters, digits and '?', which are their own (capital) character.
inline constexpr int kEscape = platform::KeyPress::kEscape;
inline constexpr int kEnter = platform::KeyPress::kEnter;
inline constexpr int kTab = platform::KeyPress::kTab;
inline constexpr int kBackspace = 259;
inline constexpr int kLeft = platform::KeyPress::kLeft;
inline constexpr int kRight = platform::KeyPress::kRight;
inline constexpr int kUp = platform::KeyPress::kUp;
inline constexpr int kDown = platform::KeyPress::kDown;
inline constexpr int kF6 = platform::KeyPress::kF6;
inline constexpr int kF10 = platform::KeyPress::kF10;
inline constexpr int kF11 = platform::KeyPress::kF11;

struct InterfaceOptions {
  int width = 1000;  ///< pixels
  int height = 700;
  float scale = 1;
  Theme theme = Theme::dark;
  std::optional<Experiment> experiment;  ///< instead of the worked example at its defaults
  double memory_budget = kDefaultMemoryBudget;
  std::vector<LessonFile> lessons = {};    ///< in the menu
  std::filesystem::path user_folder = {};  ///< for what is remembered; empty: nothing is
  FileDialogKind file_dialog = FileDialogKind::own;
  std::chrono::milliseconds patience{
      10000};                     ///< for pictures and files: what is soon there is so on a busy machine too
  bool renderer_threads = false;  ///< Mesa's own, as for a window; of a process the first one decides
};

/// A workbench with an offscreen framebuffer to draw on. Time passes by a sixtieth of a second with every frame,
/// however long that takes. Positions are ImGui's, which are pixels here. Throws std::runtime_error where there is no
/// OpenGL, no control of that name, and where waiting does not end.
class OffscreenInterface {
 public:
  explicit OffscreenInterface(const InterfaceOptions& options = {});
  ~OffscreenInterface();
  OffscreenInterface(const OffscreenInterface&) = delete;
  OffscreenInterface& operator=(const OffscreenInterface&) = delete;

  [[nodiscard]] ui::Workbench& workbench() { return *workbench_; }
  [[nodiscard]] const Experiment& experiment() const { return workbench_->session().experiment(); }
  [[nodiscard]] const Trace& trace() const { return *workbench_->trace(); }
  [[nodiscard]] ui::UiState& state() { return workbench_->state(); }

  /// Frames that are not drawn are quicker; enough for who does not look at the picture.
  void set_drawn(bool drawn) { drawn_ = drawn; }

  // Time.
  void frame(int count = 1);
  /// Frames until everything asked for is computed and nothing moves any more.
  void settle();
  /// What is on the screen, in one more frame that is drawn in any case.
  platform::Image picture();
  void resize(int width, int height);
  void set_scale(float scale);

  // Mouse and keyboard. Each action is followed by the frames in which it takes effect.
  void move(Point to);
  void press();
  void release();
  void click(Point at);
  void double_click(Point at);
  /// Presses at `from` and moves to `to` in that many steps; does not release.
  void drag(Point from, Point to, int steps = 8);
  void wheel(float notches);
  void key(int key);
  void key_with_control(int key, bool shift = false);
  void key_with_shift(int key);
  void key_with_alt(int key);
  void control_click(Point at);
  void type(std::string_view text);
  /// Replaces what stands in the text field that has the keyboard.
  void retype(std::string_view text);

  // Places.
  /// Where a control of an ImGui window is, found by moving the mouse over the window. The window must be open.
  Rect item(std::string_view window, const ItemPath& path);
  /// What ImGui knows it by.
  [[nodiscard]] static ImGuiID id(std::string_view window, const ItemPath& path);
  /// Left to right over that slider of the parameter panel.
  Rect slider(const std::string& label) { return item("Parameters", {label, std::string("##slider")}); }
  void click_item(std::string_view window, const ItemPath& path) { click(item(window, path).center()); }
  /// Whether an ImGui window of that name was shown in the last frame.
  [[nodiscard]] bool is_open(std::string_view window) const;
  /// The place of the window whose name starts like that.
  [[nodiscard]] Rect window_place(std::string_view window) const;
  /// The picture's place on the screen, and where in it the figure's points are.
  [[nodiscard]] Rect picture_place() const { return window_place("Figure/picture"); }
  [[nodiscard]] FigureTransform transform();
  [[nodiscard]] Point on_screen(Point figure_point) { return transform().apply(figure_point); }
  /// The middle of a cell on the screen.
  [[nodiscard]] Point cell_center(std::size_t heatmap, Index row, Index column);

  platform::OffscreenContext& context() { return context_; }

 private:
  void press_key(const platform::KeyPress& press);
  void advance(bool draw);
  [[nodiscard]] bool hovers(Point at, ImGuiID id);
  /// A point in an item, from ImGui's keyboard navigation, which notes the place of the item that it is on.
  [[nodiscard]] std::optional<Point> navigated(ImGuiWindow& window, ImGuiID id);
  [[nodiscard]] std::optional<Point> search(const Rect& place, ImGuiID id, double step);

  platform::OffscreenContext context_;
  std::unique_ptr<ui::ImGuiHost> host_;
  std::unique_ptr<ui::Workbench> workbench_;
  float scale_;
  bool drawn_ = true;
};

/// How many pixels of `area` differ between two pictures of the same size.
int different_pixels(const platform::Image& a, const platform::Image& b, const Rect& area);

}  // namespace attnscope::test
