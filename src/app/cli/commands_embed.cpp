#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command_figure.h"
#include "app/cli/commands.h"
#include "core/base/text.h"
#include "io/base/file.h"
#include "io/base/paths.h"
#include "io/base/printable.h"
#include "io/experiments/experiment_link.h"
#include "io/figures/figure_html.h"

namespace attnscope {
namespace {

constexpr const char* kByReader = "reader";

struct EmbedOptions : FigureOptions {
  std::string output;
  std::string program;
};

/// What stands below the figure. Without a program, a page can do without a link.
Result<FigureHtml> page_texts(const EmbedOptions& options, CommandFigure& made) {
  FigureHtml html;
  html.caption = figure_caption(made.source, &made.fitted.figure);
  html.is_live = !options.program.empty();
  html.both_themes = options.theme == kByReader;
  Result<std::string> link =
      made.source.pinned
          ? fail(kLinkHasNoBaseline)
          : write_experiment_link(made.source.experiment, options.program.empty() ? kLinkPage : options.program);
  if (link) {
    html.link = std::move(*link);
  } else if (!options.program.empty()) {
    return fail("--program: " + link.error().message, link.error().kind);
  } else {
    made.warnings.push_back("the page has no link: " + link.error().message);
  }
  return html;
}

Result<void> check_embed_options(const EmbedOptions& options) {
  const std::string ending = lower_extension(options.output);
  if (ending != ".html" && ending != ".htm")
    return fail("-o: " + path_text(options.output) + " is not allowed; allowed: a name that ends in .html",
                Error::Kind::usage);
  const Result<void> page = check_link_page(options.program);
  return page ? page : fail("--program: " + page.error().message, Error::Kind::usage);
}

Result<CommandOutput> embed_command(const EmbedOptions& options) {
  if (const Result<void> valid = check_embed_options(options); !valid) return tl::unexpected(valid.error());
  FigureOptions page_options = options;
  // Its type and geometry are the same in every theme of the screen.
  if (options.theme == kByReader) page_options.theme = std::string(theme_name(Theme::light));
  const Result<FigureFileOptions> file = file_options(page_options);
  if (!file) return tl::unexpected(file.error());
  const std::vector<std::filesystem::path> outputs = {options.output};
  Result<CommandFigure> made = command_figure(options, *file, outputs);
  if (!made) return tl::unexpected(made.error());
  const Result<FigureHtml> html = page_texts(options, *made);
  if (!html) return tl::unexpected(html.error());
  const Result<std::string> page = figure_html(made->fitted.figure, made->fitted.options, *html);
  if (!page) return tl::unexpected(page.error());
  if (const Result<void> written = write_file(options.output, *page); !written) return tl::unexpected(written.error());
  return CommandOutput{"", std::move(made->warnings)};
}

}  // namespace

void add_embed_command(CommandLine& line) {
  const auto options = std::make_shared<EmbedOptions>();
  options->theme = kByReader;
  CLI::App& command =
      line.add("embed", "Write a view as a page for browsers", [options] { return embed_command(*options); });
  add_experiment_options(command, *options);
  add_figure_options(command, *options);
  command.remove_option(command.get_option("--dpi"));
  command.get_option("--theme")->description(
      "reader (default: dark where the reader's system is), light, dark or paper");
  command
      .add_option("--program", options->program, "The address of attnscope for browsers, to which the page then leads")
      ->type_name("URL");
  command.add_option("-o,--output", options->output, "The page to write")->required()->type_name("OUT.html");
}

}  // namespace attnscope
