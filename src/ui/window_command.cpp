#include "ui/window_command.h"

#include <memory>

#include "app/commands_experiment.h"
#include "core/systems/systems.h"
#include "core/text.h"
#include "figure/view.h"
#include "ui/window_app.h"

namespace attnscope::ui {
namespace {

struct WindowOptions {
  std::string file;
  std::string theme = "dark";
  double ui_scale = 1;
};

Result<CommandOutput> window_command(const WindowOptions& options) {
  const std::optional<Theme> theme = parse_theme(options.theme);
  if (!theme || *theme == Theme::paper) {
    return fail("--theme: " + quoted_text(options.theme) + " is unknown; allowed: dark or light", Error::Kind::usage);
  }
  if (!(options.ui_scale >= 0.5 && options.ui_scale <= 4)) {
    return fail("--ui-scale: " + exact_text(options.ui_scale) + " is not allowed; allowed: 0.5 to 4",
                Error::Kind::usage);
  }
  const bool named = !options.file.empty();
  const Result<Experiment> experiment = load_experiment({named ? options.file : "worked-example", {}});
  if (!experiment) return tl::unexpected(experiment.error());
  if (const auto view = view_options(experiment->view); !view) return fail(options.file + ": " + view.error().message);
  const Result<double> budget = memory_budget();
  if (!budget) return tl::unexpected(budget.error());
  // A system's name opens that system's defaults, which are no file yet.
  const bool is_file = named && find_system(options.file) == nullptr;
  const Result<void> closed = run_window({*experiment, is_file ? options.file : "", *theme, options.ui_scale, *budget});
  if (!closed) return tl::unexpected(closed.error());
  return CommandOutput{};
}

}  // namespace

void add_window_command(CommandLine& line) {
  const auto options = std::make_shared<WindowOptions>();
  line.otherwise([options] { return window_command(*options); });
  line.program().add_option("file", options->file, "An experiment to open in the window")->type_name("FILE");
  line.program().add_option("--theme", options->theme, "Of the window: dark (default) or light")->type_name("NAME");
  line.program()
      .add_option("--ui-scale", options->ui_scale, "Size of everything in the window, 0.5 to 4")
      ->type_name("N");
}

}  // namespace attnscope::ui
