#include <memory>

#include "app/cli/commands.h"
#include "app/cli/commands_experiment.h"
#include "core/script/script.h"
#include "io/base/file.h"

namespace attnscope {
namespace {

struct ScriptOptions : ExperimentOptions {
  std::string output;
};

Result<CommandOutput> script_command(const ScriptOptions& options) {
  const Result<Experiment> experiment = load_experiment(options, options.output);
  if (!experiment) return tl::unexpected(experiment.error());
  std::string script = pytorch_script(*experiment);
  if (options.output.empty()) return CommandOutput{std::move(script), {}};
  if (const Result<void> written = write_file(options.output, script); !written) return tl::unexpected(written.error());
  return CommandOutput{};
}

}  // namespace

void add_script_command(CommandLine& line) {
  const auto options = std::make_shared<ScriptOptions>();
  CLI::App& command =
      line.add("script", "Print an experiment as a PyTorch script", [options] { return script_command(*options); });
  add_experiment_options(command, *options);
  command.add_option("-o,--output", options->output, "Write the script to a file instead")->type_name("OUT.py");
}

}  // namespace attnscope
