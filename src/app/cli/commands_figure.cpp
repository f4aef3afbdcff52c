#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command_figure.h"
#include "app/cli/commands.h"
#include "core/base/text.h"
#include "io/base/file_formats.h"

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
  const std::vector<std::filesystem::path> outputs(options.outputs.begin(), options.outputs.end());
  Result<CommandFigure> made = command_figure(options, *file, outputs);
  if (!made) return tl::unexpected(made.error());
  for (const std::filesystem::path& output : outputs) {
    if (const Result<void> written = write_figure(made->fitted.figure, made->fitted.options, output, &made->source);
        !written)
      return tl::unexpected(written.error());
  }
  const bool says = options.caption || options.caption_only;
  return CommandOutput{says ? figure_caption(made->source, &made->fitted.figure) + "\n" : "",
                       std::move(made->warnings)};
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
