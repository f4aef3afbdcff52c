#include <memory>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/commands_figure_options.h"
#include "io/experiments/experiment_link.h"

namespace attnscope {
namespace {

struct LinkOptions : FigureOptions {
  std::string base = std::string(kLinkPage);
};

Result<CommandOutput> link_command(const LinkOptions& options) {
  Result<ExperimentSource> source = load_source(options);
  if (!source) return tl::unexpected(source.error());
  Experiment experiment = std::move(source->experiment);
  if (const Result<ViewOptions> view = selected_view(options, experiment); !view) return tl::unexpected(view.error());
  if (const Result<void> page = check_link_page(options.base); !page)
    return fail("--base: " + page.error().message, Error::Kind::usage);
  const Result<std::string> link = write_experiment_link(experiment, options.base);
  if (!link) return fail(source_text(options.experiment) + ": " + link.error().message, link.error().kind);
  std::vector<std::string> warnings;
  if (source->pinned) warnings.emplace_back(kLinkHasNoBaseline);
  return CommandOutput{*link + "\n", std::move(warnings)};
}

}  // namespace

void add_link_command(CommandLine& line) {
  const auto options = std::make_shared<LinkOptions>();
  CLI::App& command =
      line.add("link", "Print a link that is the experiment itself", [options] { return link_command(*options); });
  add_experiment_options(command, *options);
  add_view_options(command, *options);
  command
      .add_option("--base", options->base,
                  "The address before the #, where a browser finds attnscope (default " + options->base + ")")
      ->type_name("URL");
}

}  // namespace attnscope
