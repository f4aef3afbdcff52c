#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/commands_experiment.h"
#include "core/base/text.h"
#include "core/explain/explain.h"
#include "io/base/file_formats.h"
#include "io/traces/trace_file.h"
#include "io/traces/trace_formats.h"

namespace attnscope {
namespace {

struct TraceOptions : ExperimentOptions {
  std::string output;
  std::vector<std::string> only;
  std::string names;
};

constexpr const char* kLensNames = "transformer-lens";

Result<TraceNames> names_of(const TraceOptions& options) {
  if (options.names.empty()) return TraceNames::own;
  if (options.names != kLensNames)
    return fail("--names " + quoted_text(options.names) + " is not allowed; allowed: " + kLensNames,
                Error::Kind::usage);
  if (!options.only.empty()) return fail("--names and --only exclude each other", Error::Kind::usage);
  return TraceNames::lens;
}

/// The requested parts of tensors; fails if they exceed the memory budget.
Result<std::vector<Region>> selected(const Trace& trace, std::span<const std::string> texts) {
  std::vector<Region> regions;
  double bytes = 0;
  for (const std::string& text : texts) {
    Result<Region> region = parse_region(trace.plan()->steps, text);
    if (!region) return tl::unexpected(Error{"--only " + region.error().message, region.error().kind});
    const auto same = [&](const Region& other) { return other.step == region->step; };
    if (std::any_of(regions.begin(), regions.end(), same))
      return fail("--only " + quoted_text(text) + ": only one part of each tensor is allowed", Error::Kind::usage);
    bytes += 4.0 * static_cast<double>(region->count());
    regions.push_back(std::move(*region));
  }
  const double budget = *memory_budget();
  if (bytes > budget) {
    return fail("--only asks for " + bytes_text(bytes) + "; allowed: " + bytes_text(budget) +
                "; ATTNSCOPE_MEMORY_MB sets the limit");
  }
  return regions;
}

Result<CommandOutput> trace_command(const TraceOptions& options) {
  // Checked before the computation, which may take a while.
  if (const Result<void> named = check_trace_name(options.output); !named) return tl::unexpected(named.error());
  const Result<TraceNames> names = names_of(options);
  if (!names) return tl::unexpected(names.error());
  const Result<std::shared_ptr<const Trace>> trace = compute_experiment(options, options.output);
  if (!trace) return tl::unexpected(trace.error());
  if (*names == TraceNames::lens && (*trace)->experiment().model == nullptr)
    return fail("--names " + std::string(kLensNames) + " is for trained models; " + (*trace)->experiment().system +
                    " is not one",
                Error::Kind::usage);
  const Result<std::vector<Region>> only = selected(**trace, options.only);
  if (!only) return tl::unexpected(only.error());
  if (const Result<void> written = write_trace(**trace, options.output, *only, *names); !written)
    return tl::unexpected(written.error());
  return CommandOutput{"", warnings_of(**trace)};
}

}  // namespace

void add_trace_command(CommandLine& line) {
  const auto options = std::make_shared<TraceOptions>();
  CLI::App& command = line.add("trace", "Compute an experiment and write every tensor to a file",
                               [options] { return trace_command(*options); });
  add_experiment_options(command, *options);
  command.add_option("-o,--output", options->output, "The file to write")
      ->required()
      ->type_name(output_name(kTraceFormats));
  command.add_option("--only", options->only, "Only this tensor or a part of it: scores, scores[1,10:20]; repeatable")
      ->type_name("TENSOR[SLICE]")
      ->allow_extra_args(false);
  command.add_option("--names", options->names, "Name and lay out a model's tensors as TransformerLens does")
      ->type_name(kLensNames);
}

}  // namespace attnscope
