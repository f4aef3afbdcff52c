// The program in a web page: the browser calls for each frame, and what is computed beside them gets its time between two.
#include <emscripten.h>
#include <emscripten/html5.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "app/jobs/ending.h"
#include "core/base/background_loop.h"
#include "io/desktop/page_web.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/workbench/window_workbench.h"

namespace attnscope::ui {
namespace {

using Clock = std::chrono::steady_clock;

// After input, ImGui needs a frame to see it, one to react and one to settle.
constexpr int kFramesAfterEvent = 3;
// Tooltips appear this long after the last movement.
constexpr std::chrono::milliseconds kSettling{400};
// Of each frame, for computing, reading and saving: half of it.
constexpr std::chrono::milliseconds kSlice{8};

/// Movements in pixels, lines or pages become steps of a wheel.
bool wheel_turned(int /*type*/, const EmscriptenWheelEvent* event, void* /*data*/) {
  const double step = event->deltaMode == DOM_DELTA_PIXEL ? 100 : event->deltaMode == DOM_DELTA_LINE ? 3 : 0.0125;
  ImGui::GetIO().AddMouseWheelEvent(static_cast<float>(-event->deltaX / step),
                                    static_cast<float>(-event->deltaY / step));
  return true;
}

/// A finger that is drawn over a window of ImGui, and not over a control in it, scrolls it.
void scroll_by_touch() {
  ImGuiContext& context = *ImGui::GetCurrentContext();
  ImGuiWindow* const window = context.HoveredWindow;
  if (!is_touched() || window == nullptr || !ImGui::IsMouseDragging(0)) return;
  if (context.ActiveId != 0 && context.ActiveId != window->MoveId) return;
  ImGuiWindow* scrolled = window;
  while (scrolled->ScrollMax.y <= 0 && scrolled->ParentWindow != nullptr) scrolled = scrolled->ParentWindow;
  ImGui::SetScrollY(scrolled, std::clamp(scrolled->Scroll.y - context.IO.MouseDelta.y, 0.0F, scrolled->ScrollMax.y));
}

/// The window, and everything that lives from one frame to the next.
class PageApp {
 public:
  static Result<std::unique_ptr<PageApp>> create(WindowArguments arguments);
  void frame();

 private:
  PageApp(WindowArguments arguments, platform::Window window)
      : arguments_(std::move(arguments)), window_(std::move(window)), host_(window_.handle()) {
    // In place of what versions of Dear ImGui have set, and of the browser's own zoom.
    emscripten_set_wheel_callback(EMSCRIPTEN_EVENT_TARGET_DOCUMENT, nullptr, false, nullptr);
    emscripten_set_wheel_callback("#canvas", nullptr, false, wheel_turned);
  }

  /// Whether the next picture differs from the one that is shown.
  [[nodiscard]] bool is_due();

  WindowArguments arguments_;
  platform::Window window_;
  ImGuiHost host_;
  EndingWatch ending_;
  std::unique_ptr<Workbench> workbench_;
  std::unique_ptr<LastAct> last_act_;
  std::string title_;
  bool woken_ = true;
  int due_ = kFramesAfterEvent;
  Clock::time_point settled_at_ = {};
  platform::Size size_;
};

Result<std::unique_ptr<PageApp>> PageApp::create(WindowArguments arguments) {
  Result<platform::Window> window = platform::Window::open({});
  if (!window) return tl::unexpected(window.error());
  std::unique_ptr<PageApp> app(new PageApp(std::move(arguments), std::move(*window)));
  Result<std::unique_ptr<Workbench>> created =
      open_workbench(app->host_, app->window_, app->arguments_, [raw = app.get()] { raw->woken_ = true; });
  if (!created) return tl::unexpected(created.error());
  app->workbench_ = std::move(*created);
  Workbench& workbench = *app->workbench_;
  app->last_act_ = std::make_unique<LastAct>(app->ending_, [&workbench] { workbench.workspace().save_now(); });
  return app;
}

bool PageApp::is_due() {
  const platform::Size size = window_.framebuffer_size();
  if (input_waits() || std::exchange(woken_, false) || std::exchange(size_, size) != size) {
    due_ = kFramesAfterEvent;
    settled_at_ = Clock::now() + kSettling;
  }
  const std::optional<double> moment = workbench_->shown_figure().playback().due_in();
  if (workbench_->animating() || (moment && *moment <= 0)) due_ = std::max(due_, 1);
  if (due_ == 0 && settled_at_ != Clock::time_point() && Clock::now() >= settled_at_) {
    settled_at_ = {};
    due_ = 1;
  }
  return due_ > 0;
}

void PageApp::frame() {
  BackgroundLoop::run_slices(kSlice);
  window_.poll_events();
  if (const std::vector<std::string> names = page::take_opened(); !names.empty()) {
    workbench_->open_files(names);
    woken_ = true;
  }
  if (!is_due()) return;
  --due_;
  for (const platform::KeyPress& press : window_.take_key_presses()) workbench_->press(press);
  workbench_->set_scale(scale_of(window_, arguments_.ui_scale));
  draw_frame(window_, host_, *workbench_);
  scroll_by_touch();
  window_.set_full_screen(workbench_->wants_full_screen());
  if (workbench_->window_title() != title_) window_.set_title(title_ = workbench_->window_title());
  if (!workbench_->wants_to_quit()) return;
  emscripten_cancel_main_loop();
  page::end("attnscope is closed. Load the page again to go on.");
}

/// Lives as long as the page.
std::unique_ptr<PageApp>& app_of_page() {
  static std::unique_ptr<PageApp> app;
  return app;
}

}  // namespace

Result<void> run_window(WindowArguments arguments) {
  Result<std::unique_ptr<PageApp>> created = PageApp::create(std::move(arguments));
  if (!created) {
    page::end(created.error().message);
    return tl::unexpected(created.error());
  }
  app_of_page() = std::move(*created);
  page::begin();
  // It returns at once: the browser calls from now on.
  emscripten_set_main_loop([] { app_of_page()->frame(); }, 0, false);
  return {};
}

}  // namespace attnscope::ui

extern "C" {

// What the mouse does after this call, a finger does, or no longer.
EMSCRIPTEN_KEEPALIVE void attnscope_touch(int touched) {
  ImGui::GetIO().AddMouseSourceEvent(touched != 0 ? ImGuiMouseSource_TouchScreen : ImGuiMouseSource_Mouse);
}

}  // extern "C"
