#include <memory>
#include <optional>
#include <vector>

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
  std::string width;
  std::string height;
  std::string map;
  std::string range;
  bool no_title = false;
  bool no_color_bar = false;
  bool no_values = false;
  bool no_labels = false;
  FigureFileOptions file;
  std::vector<std::string> outputs;
  bool caption = false;
};

tl::unexpected<Error> wrong_option(const std::string& name, const std::string& value, const std::string& allowed) {
  return fail(name + ": " + quoted_text(value) + " is not allowed; allowed: " + allowed, Error::Kind::usage);
}

/// Reads the length that an option has, if it has one.
Result<void> read_length(const std::string& name, const std::string& text, double& to) {
  if (text.empty()) return {};
  const std::optional<double> length = parse_length(text);
  if (!length) return wrong_option(name, text, "a length as 5, 5in, 12.7cm or 127mm");
  to = *length;
  // 0 is said only by leaving the option out.
  return to == 0 ? Result<void>(wrong_option(name, text, "at least 0.5 inches")) : Result<void>();
}

/// What the options say about the file, in range.
Result<FigureFileOptions> file_options(const FigureOptions& options) {
  FigureFileOptions file = options.file;
  const std::optional<Theme> theme = parse_theme(options.theme);
  if (!theme) {
    return fail("--theme: " + quoted_text(options.theme) + " is unknown; allowed: paper, light or dark",
                Error::Kind::usage);
  }
  file.theme = *theme;
  if (const auto read = read_length("--width", options.width, file.width_inches); !read)
    return tl::unexpected(read.error());
  if (const auto read = read_length("--height", options.height, file.height_inches); !read)
    return tl::unexpected(read.error());
  if (!options.map.empty()) {
    file.content.map = parse_color_map(options.map);
    if (!file.content.map) return wrong_option("--colormap", options.map, "viridis, magma, red_blue or greys");
  }
  if (!options.range.empty()) {
    file.content.range = parse_range(options.range);
    if (!file.content.range) return wrong_option("--range", options.range, "two numbers as 0,0.5, the lower one first");
  }
  file.content.title = !options.no_title;
  file.content.color_bars = !options.no_color_bar;
  file.content.values = !options.no_values;
  file.content.labels = !options.no_labels;
  if (Result<void> possible = check_figure_options(file); !possible) return tl::unexpected(possible.error());
  return file;
}

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
  for (const std::string& output : options.outputs) {
    if (const auto format = figure_format(output); !format) return tl::unexpected(format.error());
  }
  const Result<FigureFileOptions> file = file_options(options);
  if (!file) return tl::unexpected(file.error());
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
  const auto build = [&](double width, double height) {
    view->width = width;
    view->height = height;
    return build_view(experiment->view.name, **trace, *view);
  };
  const Figure figure = figure_for_file(build, *file);
  for (const std::string& output : options.outputs) {
    if (const Result<void> written = write_figure(figure, *file, output, &*source); !written)
      return tl::unexpected(written.error());
  }
  return CommandOutput{options.caption ? figure_caption(*source) + "\n" : "",
                       {(*trace)->warnings().begin(), (*trace)->warnings().end()}};
}

void add_content_options(CLI::App& command, FigureOptions& options) {
  command
      .add_option(
          "--colormap", options.map,
          "Colours of the weights, or of all matrices where there are no weights: viridis, magma, red_blue, greys")
      ->type_name("NAME");
  command.add_option("--range", options.range, "The numbers at the ends of their colours")->type_name("LOW,HIGH");
  command.add_flag("--no-title", options.no_title, "Leave the headings out");
  command.add_flag("--no-colorbar", options.no_color_bar, "Leave the colour bars out");
  command.add_flag("--no-values", options.no_values, "Leave the numbers in cells out");
  command.add_flag("--no-labels", options.no_labels, "Leave the labels of rows and columns out");
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
  command.add_option("--width", options->width, "Width, 0.5 to 100 inches, or as 12cm; 7 when not given")
      ->type_name("IN");
  command
      .add_option("--height", options->height,
                  "Height, 0.5 to 200 inches, or as 8cm; when not given it follows from the figure")
      ->type_name("IN");
  command.add_option("--font-size", options->file.font_points, "Points of the text, 3 to 48; 9.75 when not given")
      ->type_name("PT");
  command.add_option("--dpi", options->file.dpi, "Dots per inch of a PNG, 10 to 2400; 300 when not given")
      ->type_name("N");
  command.add_flag("--caption", options->caption, "Print a line for below the figure: what it shows, and the seed");
  add_content_options(command, *options);
  command.add_option("-o,--output", options->outputs, "The file to write; may be repeated for other formats")
      ->required()
      ->type_name("OUT.{png,svg,pdf}")
      ->allow_extra_args(false);
}

}  // namespace attnscope
