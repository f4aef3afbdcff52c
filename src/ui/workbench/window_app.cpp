#include "ui/workbench/window_app.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "app/jobs/ending.h"
#include "io/base/data_files.h"
#include "platform/gl/window.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/workbench/workbench.h"

namespace attnscope::ui {
namespace {

using Clock = std::chrono::steady_clock;

// After input, ImGui needs a frame to see it, one to react and one to settle.
constexpr int kFramesAfterEvent = 3;
// Tooltips appear this long after the last movement. Then the window sleeps until there is input.
constexpr double kSettleSeconds = 0.4;
// A shorter wait would keep a processor busy.
constexpr double kLeastWait = 0.004;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Pixels per logical pixel: the desktop's scale times the user's. Where the desktop scales the framebuffer itself,
/// ImGui's coordinates are scaled already.
float scale_of(const platform::Window& window, double ui_scale) {
  const platform::Size pixels = window.framebuffer_size();
  const platform::Size units = window.window_size();
  const float framebuffer_scale =
      units.width > 0 ? static_cast<float>(pixels.width) / static_cast<float>(units.width) : 1;
  return static_cast<float>(ui_scale) * std::max(0.5F, window.content_scale() / std::max(framebuffer_scale, 1.0F));
}

void draw_frame(platform::Window& window, ImGuiHost& host, Workbench& workbench) {
  const auto start = Clock::now();
  workbench.frame();
  window.clear(rgba(workbench.look().colors().line), workbench.backdrop());
  host.render();
  workbench.finish(seconds_since(start));
  window.swap();
}

/// Sleeps until a frame is due.
class FramePacer {
 public:
  /// Handles events; returns whether to draw. `due_in`: seconds until the next frame differs by itself.
  bool wait(platform::Window& window, bool animating, std::optional<double> due_in) {
    if (window.minimized()) {
      window.wait_events();
      due_ = kFramesAfterEvent;
      return false;
    }
    if (input_waits()) due_ = kFramesAfterEvent;
    if (due_ > 0 || animating) {
      window.poll_events();
      due_ = std::max(0, due_ - 1);
      return true;
    }
    if (due_in) {
      window.wait_events(std::max(kLeastWait, *due_in));
      due_ = 1;
      return false;
    }
    if (settling_) {
      const auto start = Clock::now();
      window.wait_events(kSettleSeconds);
      settling_ = seconds_since(start) < kSettleSeconds;
    } else {
      window.wait_events();
      settling_ = true;
    }
    due_ = settling_ ? kFramesAfterEvent : 1;
    return false;
  }

 private:
  int due_ = kFramesAfterEvent;
  bool settling_ = true;
};

}  // namespace

Result<void> run_window(WindowArguments arguments) {
  const Result<std::filesystem::path> shaders = data_file("shaders");
  if (!shaders) return tl::unexpected(shaders.error());
  const Result<FontFiles> fonts = find_font_files();
  if (!fonts) return tl::unexpected(fonts.error());
  // Before other threads start.
  EndingWatch ending;
  Result<platform::Window> window = platform::Window::open({.without_window = arguments.without_window});
  if (!window) return tl::unexpected(window.error());

  ImGuiHost host(window->handle());
  WorkbenchOptions options = {arguments.theme,
                              scale_of(*window, arguments.ui_scale),
                              arguments.memory_budget,
                              *shaders,
                              *fonts,
                              find_lessons,
                              user_folder(),
                              [&window] { window->wake(); },
                              arguments.file_dialog,
                              window->name_for_others()};
  Result<std::unique_ptr<Workbench>> created = Workbench::create(
      host, std::move(arguments.source.experiment), arguments.file, options, std::move(arguments.source.version));
  if (!created) return tl::unexpected(created.error());
  Workbench& workbench = **created;
  const LastAct last_act(ending, [&workbench] { workbench.workspace().save_now(); });
  workbench.offer_left_behind(arguments.named);
  if (!arguments.named) workbench.offer_beginnings();
  if (!arguments.lesson.empty()) workbench.open_file(arguments.lesson);
  if (user_folder().empty())
    workbench.state().say("unsaved edits cannot be backed up: neither XDG_CONFIG_HOME nor HOME is set", true);
  if (arguments.source.pinned) workbench.compare_with(std::move(*arguments.source.pinned));

  FramePacer pacer;
  std::string title;
  while (!workbench.wants_to_quit()) {
    if (window->should_close()) {
      window->request_close(false);
      workbench.ask_to_quit();
      continue;
    }
    if (!pacer.wait(*window, workbench.animating(), workbench.shown_figure().playback().due_in())) continue;
    for (const std::string& file : window->take_dropped_files()) workbench.open_file(file);
    for (const platform::KeyPress& press : window->take_key_presses()) workbench.press(press);
    workbench.set_scale(scale_of(*window, arguments.ui_scale));
    draw_frame(*window, host, workbench);
    window->set_full_screen(workbench.wants_full_screen());
    if (workbench.window_title() != title) window->set_title(title = workbench.window_title());
  }
  return {};
}

}  // namespace attnscope::ui
