#include "app/cli/commands_figure_options.h"

#include <optional>
#include <utility>

#include "app/cli/commands_changes.h"
#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/plan/validate.h"
#include "figure/views/view_selection.h"
#include "io/experiments/experiment_link.h"
#include "io/models/model_folder.h"
#include "io/models/model_texts.h"

namespace attnscope {
namespace {

tl::unexpected<Error> wrong_option(const std::string& name, const std::string& value, const std::string& allowed) {
  return fail(name + ": " + quoted_text(value) + " is not allowed; allowed: " + allowed, Error::Kind::usage);
}

/// Reads the length of an option, if it is set.
Result<void> read_length(const std::string& name, const std::string& text, double& to) {
  if (text.empty()) return {};
  const std::optional<double> length = parse_length(text);
  if (!length) return wrong_option(name, text, "a length such as 5, 5in, 12.7cm or 127mm");
  to = *length;
  // 0 stands for the default, which only leaving out the option selects.
  return to == 0 ? Result<void>(wrong_option(name, text, "at least 0.5 inches")) : Result<void>();
}

void add_content_options(CLI::App& command, FigureOptions& options) {
  command
      .add_option(
          "--colormap", options.map,
          "Colours of the weights, or of all matrices in a view without weights: viridis, magma, red_blue, "
          "greys, brightness; blue_brown for numbers of both signs in any view. All but red_blue keep their order in "
          "grey print, and all with any colour vision")
      ->type_name("NAME");
  command.add_option("--range", options.range, "The values at the two ends of the colour scale")->type_name("LOW,HIGH");
  command.add_flag("--no-title", options.no_title, "Omit the headings");
  command.add_flag("--no-colorbar", options.no_color_bar, "Omit the colour bars");
  command.add_flag("--no-values", options.no_values, "Omit the numbers in cells");
  command.add_flag("--no-labels", options.no_labels, "Omit the labels of rows and columns");
}

}  // namespace

void add_view_options(CLI::App& command, FigureOptions& options) {
  command.add_option("--view", options.view, "The view; `attnscope views` lists them")->type_name("NAME");
  command.add_option("--option", options.view_options, "Set an option of the view, such as head=3; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void add_figure_options(CLI::App& command, FigureOptions& options) {
  add_view_options(command, options);
  command.add_option("--pinned", options.pinned, "For the view compare: the baseline to compare with")
      ->type_name("EXPERIMENT");
  CLI::Option* const text = command.add_option(
      "--pinned-text", options.pinned_text,
      "The text of the baseline; without --pinned, the baseline is the same experiment with this text");
  text->type_name("TEXT");
  command.add_option("--pinned-tokens", options.pinned_tokens, "The ids of its tokens, instead of --pinned-text")
      ->type_name("ID,…")
      ->excludes(text);
  command.add_option("--theme", options.theme, "paper (default), light or dark")->type_name("NAME");
  command.add_option("--width", options.width, "Width, 0.5 to 100 inches, or with a unit: 12cm (default 7)")
      ->type_name("IN");
  command
      .add_option("--height", options.height,
                  "Height, 0.5 to 200 inches, or with a unit: 8cm (default: what the figure needs)")
      ->type_name("IN");
  command.add_option("--font-size", options.font_points, "Text size in points, 3 to 48 (default 9.75)")
      ->type_name("PT");
  command.add_option("--font", options.font, "inter (default), serif (STIX) or latex (Latin Modern)")
      ->type_name("NAME");
  command
      .add_option("--dpi", options.file.dpi,
                  "Dots per inch of a PNG, 10 to 2400 (default " + std::to_string(options.file.dpi) + ")")
      ->type_name("N");
  add_content_options(command, options);
}

Result<FigureFileOptions> file_options(const FigureOptions& options) {
  FigureFileOptions file = options.file;
  file.font_points = options.font_points.value_or(file.font_points);
  const std::optional<Theme> theme = parse_theme(options.theme);
  if (!theme) {
    return fail("--theme: " + quoted_text(options.theme) + " is unknown; allowed: paper, light or dark",
                Error::Kind::usage);
  }
  file.theme = *theme;
  const std::optional<FigureFont> font = parse_font(options.font);
  if (!font) return wrong_option("--font", options.font, "inter, serif or latex");
  file.font = *font;
  if (const auto read = read_length("--width", options.width, file.width_inches); !read)
    return tl::unexpected(read.error());
  if (const auto read = read_length("--height", options.height, file.height_inches); !read)
    return tl::unexpected(read.error());
  if (!options.map.empty()) {
    file.content.map = parse_color_map(options.map);
    if (!file.content.map)
      return wrong_option("--colormap", options.map, "viridis, magma, red_blue, greys, brightness or blue_brown");
  }
  if (!options.range.empty()) {
    file.content.range = parse_range(options.range);
    if (!file.content.range)
      return wrong_option("--range", options.range,
                          "two numbers such as 0,0.5, the lower one first, at most 3.4e38 apart");
  }
  file.content.title = !options.no_title;
  file.content.color_bars = !options.no_color_bar;
  file.content.values = !options.no_values;
  file.content.labels = !options.no_labels;
  if (Result<void> possible = check_figure_options(file); !possible) return tl::unexpected(possible.error());
  return file;
}

namespace {

/// Applies the value of an --option: "head=3".
Result<void> set_view_option(const std::string& setting, ViewChoice& choice) {
  const auto wrong = [](const std::string& message) { return fail("--option " + message, Error::Kind::usage); };
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) return wrong(quoted_text(setting) + ": write NAME=VALUE");
  const View* const view = find_view(choice.name);
  const std::string name = setting.substr(0, equals);
  const Parameter* const option = view == nullptr ? nullptr : find_parameter(view->options, name);
  // The check of all options reports an unknown view or option, and lists the known ones.
  if (option == nullptr) {
    choice.options[name] = Index{0};
    return {};
  }
  Result<ParameterValue> value = parse_value(*option, std::string_view(setting).substr(equals + 1));
  if (!value) return wrong(value.error().message);
  choice.options[name] = std::move(*value);
  return {};
}

}  // namespace

std::string smaller_type_warning(const SmallerType& type, const FigureOptions& options) {
  return "--font-size: " + smaller_type_text(type, options.width.ends_with("m"));
}

namespace {

bool has_baseline(const FigureOptions& options) {
  return !options.pinned.empty() || options.pinned_text || options.pinned_tokens;
}

/// What the options name as the baseline of `experiment`.
Result<Experiment> named_baseline(const FigureOptions& options, const Experiment& experiment) {
  const bool has_text = options.pinned_text || options.pinned_tokens;
  if (options.pinned.empty()) {
    const std::string option = options.pinned_text ? "--pinned-text" : "--pinned-tokens";
    if (experiment.model == nullptr) return fail(option + ": allowed only with a model", Error::Kind::usage);
    const Result<GivenText> given = given_text("--pinned-tokens", options.pinned_text, options.pinned_tokens);
    if (!given) return tl::unexpected(given.error());
    Experiment baseline = experiment;
    Result<void> set = set_texts(baseline, *given, {});
    if (set) set = validate(baseline, kUnlimitedMemory);
    if (!set) return fail(option + ": " + set.error().message, set.error().kind);
    return baseline;
  }
  ExperimentOptions baseline = {options.pinned, {}};
  if (has_text) {
    baseline.text = options.pinned_text, baseline.tokens = options.pinned_tokens;
  } else if (belongs_to_model(options.pinned)) {
    // A model alone reads what the other one reads; an experiment has its own text.
    baseline.text = options.text, baseline.tokens = options.tokens;
  }
  if (belongs_to_model(options.pinned)) baseline.text2 = options.text2, baseline.tokens2 = options.tokens2;
  return load_experiment(baseline);
}

}  // namespace

Result<ViewOptions> selected_view(const FigureOptions& options, Experiment& experiment) {
  const bool typed = !options.view.empty() && options.view != experiment.view.name;
  if (typed) experiment.view = {options.view, {}};
  for (const std::string& setting : options.view_options) {
    if (const Result<void> set = set_view_option(setting, experiment.view); !set) return tl::unexpected(set.error());
  }
  Result<ViewOptions> chosen = view_options(experiment.view);
  if (!chosen && (typed || !options.view_options.empty())) return fail(chosen.error().message, Error::Kind::usage);
  if (!chosen) return fail(source_text(options.experiment) + ": " + chosen.error().message);
  if (has_baseline(options) && find_view(experiment.view.name)->with_baseline.empty()) {
    return fail(std::string(!options.pinned.empty() ? "--pinned"
                            : options.pinned_text   ? "--pinned-text"
                                                    : "--pinned-tokens") +
                    ": the view " + experiment.view.name + " does not compare; allowed: with --view " +
                    baseline_view().name,
                Error::Kind::usage);
  }
  return chosen;
}

Result<void> note_pinned(const FigureOptions& options, ExperimentSource& source, ViewOptions& view) {
  if (has_baseline(options)) {
    Result<Experiment> pinned = named_baseline(options, source.experiment);
    if (!pinned) return tl::unexpected(pinned.error());
    source.pinned = std::move(*pinned);
    for (const auto& [name, value] : find_view(source.experiment.view.name)->with_baseline) {
      source.experiment.view.options[name] = value;
      view.values[name] = value;
    }
  }
  source = source_of_figure(source.experiment, source.pinned ? &*source.pinned : nullptr);
  return {};
}

std::vector<InputFile> figure_inputs(const FigureOptions& options, const ExperimentSource& source) {
  std::vector<InputFile> files = input_files(options, source);
  if (!options.pinned.empty() && find_system(options.pinned) == nullptr) files.push_back({"--pinned", options.pinned});
  return files;
}

}  // namespace attnscope
