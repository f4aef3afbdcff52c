#include "ui/workbench/window_workbench.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "io/base/data_files.h"

namespace attnscope::ui {

float scale_of(const platform::Window& window, double ui_scale) {
  const platform::Size pixels = window.framebuffer_size();
  const platform::Size units = window.window_size();
  const float framebuffer_scale =
      units.width > 0 ? static_cast<float>(pixels.width) / static_cast<float>(units.width) : 1;
  return static_cast<float>(ui_scale) * std::max(0.5F, window.content_scale() / std::max(framebuffer_scale, 1.0F));
}

Result<std::unique_ptr<Workbench>> open_workbench(ImGuiHost& host, const platform::Window& window,
                                                  WindowArguments& arguments, std::function<void()> wake) {
  const Result<std::filesystem::path> shaders = data_file("shaders");
  if (!shaders) return tl::unexpected(shaders.error());
  const Result<FontFiles> fonts = find_font_files();
  if (!fonts) return tl::unexpected(fonts.error());
  WorkbenchOptions options = {arguments.theme,
                              scale_of(window, arguments.ui_scale),
                              arguments.memory_budget,
                              *shaders,
                              *fonts,
                              find_lessons,
                              user_folder(),
                              std::move(wake),
                              arguments.file_dialog,
                              window.name_for_others()};
  Result<std::unique_ptr<Workbench>> created = Workbench::create(
      host, std::move(arguments.source.experiment), arguments.file, options, std::move(arguments.source.version));
  if (!created) return created;
  Workbench& workbench = **created;
  workbench.offer_left_behind(arguments.named);
  if (!arguments.named) workbench.offer_beginnings();
  if (!arguments.lesson.empty()) workbench.open_files({arguments.lesson});
  if (user_folder().empty())
    workbench.state().say("unsaved edits cannot be backed up: neither XDG_CONFIG_HOME nor HOME is set", true);
  if (arguments.source.pinned) workbench.compare_with(std::move(*arguments.source.pinned));
  return created;
}

void draw_frame(platform::Window& window, ImGuiHost& host, Workbench& workbench) {
  const auto start = std::chrono::steady_clock::now();
  workbench.frame();
  window.clear(rgba(workbench.look().colors().line), workbench.backdrop());
  host.render();
  workbench.finish(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  window.swap();
}

}  // namespace attnscope::ui
