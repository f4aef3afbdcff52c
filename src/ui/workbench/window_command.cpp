#include "ui/workbench/window_command.h"

#include <memory>

#include "app/cli/commands_experiment.h"
#include "core/base/text.h"
#include "core/experiment/system.h"
#include "figure/views/view.h"
#include "io/experiments/experiment_link.h"
#include "io/experiments/labels_file.h"
#include "io/experiments/lesson_file.h"
#include "ui/workbench/window_app.h"

namespace attnscope::ui {
namespace {

struct WindowOptions {
  std::string file;
  std::string labels;
  std::string theme;
  double ui_scale = 1;
};

Result<CommandOutput> window_command(const CommandLine& line, const WindowOptions& options) {
  if (const Result<void> known = line.check_first_word(options.file, true); !known)
    return tl::unexpected(known.error());
  const std::optional<Theme> theme = parse_theme(options.theme);
  if (!options.theme.empty() && (!theme || *theme == Theme::paper)) {
    return fail("--theme: " + quoted_text(options.theme) + " is unknown; allowed: dark or light", Error::Kind::usage);
  }
  if (!(options.ui_scale >= 0.5 && options.ui_scale <= 4)) {
    return fail("--ui-scale: " + exact_text(options.ui_scale) + " is not allowed; allowed: 0.5 to 4",
                Error::Kind::usage);
  }
  const bool named = !options.file.empty();
  const bool is_lesson = named && is_lesson_file(options.file);
  if (is_lesson) {
    if (!options.labels.empty()) return fail("--labels: a lesson has its own labels", Error::Kind::usage);
    if (const Result<Lesson> lesson = read_lesson(options.file); !lesson) return tl::unexpected(lesson.error());
  }
  Result<ExperimentSource> source =
      named && !is_lesson ? load_source({options.file, {}, options.labels})
                          : load_source({kFirstSystem, {kFirstSettings.begin(), kFirstSettings.end()}, options.labels});
  if (!source) return tl::unexpected(source.error());
  if (const auto view = view_options(source->experiment.view); !view)
    return fail(source_text(options.file) + ": " + view.error().message);
  const Result<double> budget = memory_budget();
  if (!budget) return tl::unexpected(budget.error());
  const Result<FileDialogKind> file_dialog = file_dialog_from_environment();
  if (!file_dialog) return tl::unexpected(file_dialog.error());
  // Save must not write to a system's name, nor over a figure, nor labels into a file that was opened without them.
  const bool is_file =
      named && !is_lesson && find_system(options.file) == nullptr && !source->is_other_file && options.labels.empty();
  const Result<void> closed = run_window({std::move(*source), is_file ? options.file : "", theme, options.ui_scale,
                                          *budget, named, is_lesson ? options.file : "", *file_dialog,
                                          "the commands " + join(line.commands(), ", ") + " need no display"});
  if (!closed) return tl::unexpected(closed.error());
  return CommandOutput{};
}

}  // namespace

void add_window_command(CommandLine& line) {
  const auto options = std::make_shared<WindowOptions>();
  line.otherwise([&line, options] { return window_command(line, *options); });
  line.program()
      .add_option(
          "file", options->file,
          "The experiment, lesson, figure, link, tensor file, model folder or system to open in the window; - reads "
          "tensors from standard input")
      ->type_name("FILE");
  line.program().add_option("--labels", options->labels, kLabelsHelp)->type_name("FILE");
  line.program()
      .add_option("--theme", options->theme,
                  "Theme of the window: dark or light (default: the last one used, at first dark)")
      ->type_name("NAME");
  line.program()
      .add_option("--ui-scale", options->ui_scale, "Size of everything in the window, 0.5 to 4")
      ->type_name("N");
}

}  // namespace attnscope::ui
