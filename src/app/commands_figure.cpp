#include <memory>
#include <optional>

#include "app/commands.h"
#include "app/commands_experiment.h"
#include "core/run.h"
#include "core/text.h"
#include "figure/chosen.h"
#include "figure/view.h"
#include "io/figure_file.h"

namespace attnscope {
namespace {

struct FigureOptions : ExperimentOptions {
  std::string view;
  std::string pinned;
  std::string theme = "paper";
  FigureFileOptions file;
  std::string output;
  bool caption = false;
};

/// The view that the command names, otherwise the experiment's own. Options of the latter hold only for that view.
Result<ViewOptions> chosen_view(const FigureOptions& options, Experiment& experiment) {
  const bool typed = !options.view.empty() && options.view != experiment.view.name;
  if (typed) experiment.view = {options.view, {}};
  Result<ViewOptions> chosen = view_options(experiment.view);
  if (!chosen && typed) return fail(chosen.error().message, Error::Kind::usage);
  return chosen;
}

/// Whether the layer, the head and the batch item that the view shows are there.
Result<void> check_slice(const Trace& trace, const ViewOptions& options) {
  for (const char* name : {"layer", "head", "item"}) {
    const auto chosen = options.values.find(name);
    const Index limit = option_limit(trace, name, options.values);
    if (chosen == options.values.end() || std::get<Index>(chosen->second) <= limit) continue;
    return fail("view option " + std::string(name) + ": " + value_text(chosen->second) +
                " is not allowed; the experiment has 1 to " + std::to_string(limit));
  }
  return {};
}

/// Notes in `source` and `view` what the view compares with: the experiment that the command names, otherwise the one
/// that a figure was compared with which is opened.
Result<void> note_pinned(const FigureOptions& options, ExperimentSource& source, ViewOptions& view) {
  if (!options.pinned.empty()) {
    Result<Experiment> pinned = load_experiment({options.pinned, {}});
    if (!pinned) return tl::unexpected(pinned.error());
    source.pinned = std::move(*pinned);
    source.experiment.view.options["against"] = std::string("pinned");
    view.values["against"] = std::string("pinned");
  }
  source = source_of_figure(source.experiment, source.pinned ? &*source.pinned : nullptr);
  return {};
}

Result<CommandOutput> figure_command(const FigureOptions& options) {
  // Before the computation, which may take a while.
  if (const auto format = figure_format(options.output); !format) return tl::unexpected(format.error());
  FigureFileOptions file = options.file;
  const std::optional<Theme> theme = parse_theme(options.theme);
  if (!theme) {
    return fail("--theme: " + quoted_text(options.theme) + " is unknown; allowed: paper, light or dark",
                Error::Kind::usage);
  }
  file.theme = *theme;
  if (Result<void> possible = check_figure_options(file); !possible) return tl::unexpected(possible.error());
  Result<ExperimentSource> source = load_source(options);
  if (!source) return tl::unexpected(source.error());
  Experiment* const experiment = &source->experiment;
  Result<ViewOptions> view = chosen_view(options, *experiment);
  if (!view) return tl::unexpected(view.error());
  if (!options.pinned.empty() && experiment->view.name != "compare") {
    return fail("--pinned: the view " + experiment->view.name + " compares nothing; allowed: with --view compare",
                Error::Kind::usage);
  }
  const auto trace = run(*experiment);
  if (!trace) return tl::unexpected(trace.error());
  if (const Result<void> has_head = check_slice(**trace, *view); !has_head) return tl::unexpected(has_head.error());
  if (const std::string missing = missing_for(*find_view(experiment->view.name), **trace); !missing.empty())
    return fail("view " + experiment->view.name + ": " + missing);
  if (const Result<void> noted = note_pinned(options, *source, *view); !noted) return tl::unexpected(noted.error());
  std::shared_ptr<const Trace> pinned;
  if (source->pinned) {
    auto computed = Runner(*memory_budget()).run(*source->pinned);
    if (!computed) return tl::unexpected(computed.error());
    pinned = *computed;
  }
  view->pinned = pinned.get();
  // Laid out at 96 logical pixels to the inch, so that type has the size it was designed for.
  view->width = file.width_inches * 96;
  const Figure figure = build_view(experiment->view.name, **trace, *view);
  if (const Result<void> written = write_figure(figure, file, options.output, &*source); !written)
    return tl::unexpected(written.error());
  return CommandOutput{options.caption ? figure_caption(*source) + "\n" : "",
                       {(*trace)->warnings().begin(), (*trace)->warnings().end()}};
}

}  // namespace

void add_figure_command(CommandLine& line) {
  const auto options = std::make_shared<FigureOptions>();
  CLI::App& command = line.add("figure", "Write a view as a figure", [options] { return figure_command(*options); });
  add_experiment_options(command, *options);
  command.add_option("--view", options->view, "The view; `attnscope views` lists them")->type_name("NAME");
  command.add_option("--pinned", options->pinned, "For the view compare: the experiment to compare with")
      ->type_name("EXPERIMENT");
  command.add_option("--theme", options->theme, "paper (default), light or dark")->type_name("NAME");
  command.add_option("--width", options->file.width_inches, "Width in inches, 0.5 to 100; 7 when not given")
      ->type_name("IN");
  command.add_option("--dpi", options->file.dpi, "Dots per inch of a PNG, 10 to 2400; 300 when not given")
      ->type_name("N");
  command.add_flag("--caption", options->caption, "Print a line for below the figure: what it shows, and the seed");
  command.add_option("-o,--output", options->output, "The file to write")->required()->type_name("OUT.{png,svg,pdf}");
}

}  // namespace attnscope
