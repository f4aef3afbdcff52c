#include <memory>

#include "app/commands.h"
#include "app/commands_experiment.h"
#include "io/trace_file.h"

namespace attnscope {
namespace {

struct TraceOptions : ExperimentOptions {
  std::string output;
};

Result<CommandOutput> trace_command(const TraceOptions& options) {
  // Before the computation, which may take a while.
  if (const Result<TraceFormat> format = trace_format(options.output); !format) return tl::unexpected(format.error());
  const Result<std::shared_ptr<const Trace>> trace = compute_experiment(options);
  if (!trace) return tl::unexpected(trace.error());
  if (const Result<void> written = write_trace(**trace, options.output); !written)
    return tl::unexpected(written.error());
  return CommandOutput{"", {(*trace)->warnings().begin(), (*trace)->warnings().end()}};
}

}  // namespace

void add_trace_command(CommandLine& line) {
  const auto options = std::make_shared<TraceOptions>();
  CLI::App& command =
      line.add("trace", "Compute, and write every tensor to a file", [options] { return trace_command(*options); });
  add_experiment_options(command, *options);
  command.add_option("-o,--output", options->output, "The file to write")
      ->required()
      ->type_name("OUT.{safetensors,npz,json}");
}

}  // namespace attnscope
