// The workbench in its window, on a desktop and in a web page. Private to the main loops.
#pragma once

#include <functional>
#include <memory>

#include "platform/gl/window.h"
#include "ui/workbench/window_app.h"
#include "ui/workbench/workbench.h"

namespace attnscope::ui {

/// Pixels per logical pixel: the desktop's scale times the user's. Where the desktop scales the framebuffer itself,
/// ImGui's coordinates are scaled already.
float scale_of(const platform::Window& window, double ui_scale);

/// The workbench with what `arguments` name. `wake` ends the main loop's wait, from any thread.
Result<std::unique_ptr<Workbench>> open_workbench(ImGuiHost& host, const platform::Window& window,
                                                  WindowArguments& arguments, std::function<void()> wake);

/// Draws one frame and shows it.
void draw_frame(platform::Window& window, ImGuiHost& host, Workbench& workbench);

}  // namespace attnscope::ui
