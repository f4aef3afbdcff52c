#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/commands_figure_options.h"
#include "app/jobs/figure_builder.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "io/base/file_formats.h"
#include "io/base/printable.h"
#include "io/figures/fitted_figure.h"

namespace attnscope {
namespace {

struct FigureCommandOptions : FigureOptions {
  std::vector<std::string> outputs;
  std::string preset;
  bool caption = false;
  bool caption_only = false;
};

/// The options of the file, with the preset and the caption, which other commands lack.
Result<FigureFileOptions> figure_file_options(const FigureCommandOptions& options) {
  if (options.outputs.empty() && !options.caption_only)
    return fail("-o is missing: the file to write, or --caption-only", Error::Kind::usage);
  Result<FigureFileOptions> file = file_options(options);
  if (!file) return file;
  file->caption = options.caption;
  if (options.preset.empty()) return file;
  file->preset = parse_preset(options.preset);
  if (!file->preset) {
    return fail("--preset: " + quoted_text(options.preset) + " is not allowed; allowed: column, page, slide or square",
                Error::Kind::usage);
  }
  return file;
}

Result<CommandOutput> figure_command(const FigureCommandOptions& options) {
  // Checked before the computation, which may take a while.
  for (const std::string& output : options.outputs) {
    if (const auto format = figure_format(output); !format) return tl::unexpected(format.error());
  }
  const Result<FigureFileOptions> file = figure_file_options(options);
  if (!file) return tl::unexpected(file.error());
  Result<ExperimentSource> source = load_source(options);
  if (!source) return tl::unexpected(source.error());
  Experiment* const experiment = &source->experiment;
  Result<ViewOptions> view = selected_view(options, *experiment);
  if (!view) return tl::unexpected(view.error());
  const ViewOptions asked = *view;
  if (const Result<void> noted = note_pinned(options, *source, *view); !noted) return tl::unexpected(noted.error());
  const std::vector<std::filesystem::path> outputs(options.outputs.begin(), options.outputs.end());
  if (const Result<void> spared = check_spares_inputs(outputs, figure_inputs(options, *source)); !spared)
    return tl::unexpected(spared.error());
  const auto trace = Executor(*memory_budget()).run(*experiment);
  if (!trace) return tl::unexpected(trace.error());
  if (const Result<void> there = check_view(**trace, experiment->view.name, asked); !there)
    return tl::unexpected(there.error());
  std::shared_ptr<const Trace> pinned;
  if (source->pinned) {
    // Both traces are in memory at the same time.
    const double left = (*trace)->bytes_left();
    if (const Result<void> fits = validate(*source->pinned, left); !fits)
      return fail("pinned: " + fits.error().message + " next to the experiment; ATTNSCOPE_MEMORY_MB sets the limit");
    auto computed = Executor(left).run(*source->pinned);
    if (!computed) return tl::unexpected(computed.error());
    pinned = *computed;
  }
  view->for_file = true;
  view->font = file->font;
  view->pinned = pinned.get();
  // What a view measures is the same on every page that is tried.
  ViewCache cache;
  view->cache = &cache;
  const auto build = [&](double width, double height) {
    view->width = width;
    view->height = height;
    return build_view(experiment->view.name, **trace, *view);
  };
  const Result<FittedFigure> made = fitted_figure(build, *file, experiment->view.name);
  if (!made) return tl::unexpected(made.error());
  std::vector<std::string> warnings((*trace)->warnings().begin(), (*trace)->warnings().end());
  // Who asks for no size takes what there is room for.
  if (options.font_points) {
    if (const auto smaller = smaller_type(build, made->figure, *file))
      warnings.push_back(smaller_type_warning(*smaller, options));
  }
  for (const std::filesystem::path& output : outputs) {
    if (const Result<void> written = write_figure(made->figure, made->options, output, &*source); !written)
      return tl::unexpected(written.error());
  }
  const bool says = options.caption || options.caption_only;
  return CommandOutput{says ? figure_caption(*source, &made->figure) + "\n" : "", std::move(warnings)};
}

}  // namespace

void add_figure_command(CommandLine& line) {
  const auto options = std::make_shared<FigureCommandOptions>();
  CLI::App& command = line.add("figure", "Write a view as a figure", [options] { return figure_command(*options); });
  add_experiment_options(command, *options);
  add_figure_options(command, *options);
  CLI::Option* const preset = command.add_option(
      "--preset", options->preset,
      "A size in which no text is under 6 pt: column (3.3 in wide), page (6.5 in), slide (13.3 × 7.5 "
      "in) or square (5 × 5 in)");
  preset->type_name("NAME");
  for (const char* size : {"--width", "--height", "--font-size"}) preset->excludes(command.get_option(size));
  command.add_flag("--caption", options->caption,
                   "Write a caption below the figure, a sentence that says what it shows, and print it with the seed");
  command.add_flag("--caption-only", options->caption_only, "Print the caption; -o may then be missing");
  command.add_option("-o,--output", options->outputs, "The file to write; repeatable for other formats")
      ->type_name(output_name(kFigureFormats))
      ->allow_extra_args(false);
}

}  // namespace attnscope
