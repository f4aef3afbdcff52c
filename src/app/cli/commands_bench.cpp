#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>

#include "app/cli/bench_table.h"
#include "app/cli/commands.h"
#include "core/base/text.h"
#include "core/models/models.h"
#include "core/plan/validate.h"
#include "io/base/json_value.h"
#include "io/models/model_file.h"

namespace attnscope {
namespace {

using nlohmann::ordered_json;

constexpr Index kMaxThreads = 1024;
constexpr double kMaxSeconds = 3600;

/// Bytes of memory still available; nothing if the system does not say.
std::optional<double> available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  double kilobytes = 0;
  for (std::string unit; file >> name >> kilobytes && std::getline(file, unit);) {
    if (name == "MemAvailable:") return kilobytes * 1024;
  }
  return std::nullopt;
}

/// Whether there is memory for the tensors of the experiment, so many times; otherwise `row` is noted as skipped.
bool has_memory(const Plan& planned, const std::string& row, BenchResults& results, double times = 1) {
  // Leaves some memory for everything else.
  constexpr double kAround = 1.1;
  const double needed = planned.cost.bytes * times;
  const std::optional<double> available = available_memory();
  if (!available || needed * kAround <= *available) return true;
  results.skipped.push_back(row + " is skipped: it needs " + bytes_text(needed) + ", and " + bytes_text(*available) +
                            " are available");
  return false;
}

/// The experiment for a forward pass of size `text`: TOKENS,WIDTH,HEADS.
Result<Experiment> layer(const std::string& text, const std::string& mask) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() != 3) return fail("--size " + quoted_text(text) + ": write TOKENS,WIDTH,HEADS");
  Experiment experiment = *default_experiment("stacked-multihead");
  const std::pair<const char*, std::string> settings[] = {
      {"tokens", parts[0]}, {"features", parts[1]}, {"embedding", parts[1]}, {"heads", parts[2]}, {"mask", mask}};
  for (const auto& [name, value] : settings) {
    if (const Result<void> set = set_parameter_text(experiment, name, value); !set)
      return fail("--size " + quoted_text(text) + ": " + set.error().message);
  }
  if (const Result<void> valid = validate(experiment, kUnlimitedMemory); !valid)
    return fail("--size " + quoted_text(text) + ": " + valid.error().message);
  return experiment;
}

Result<std::vector<Experiment>> layers(const BenchOptions& options) {
  std::vector<Experiment> experiments;
  for (const std::string& size : options.sizes) {
    for (const std::string& mask : options.masks) {
      const Result<Experiment> experiment = layer(size, mask);
      if (!experiment) return fail(experiment.error().message, Error::Kind::usage);
      experiments.push_back(*experiment);
    }
  }
  return experiments;
}

ordered_json sizes_of(const Experiment& experiment, const std::string& width) {
  return {{"tokens", experiment.integer("tokens")},
          {"width", experiment.integer(width)},
          {"heads", experiment.integer("heads")},
          {"mask", mask_text(experiment.mask())}};
}

Result<void> measure_forward(Benchmark& benchmark, const Experiment& experiment, BenchResults& results) {
  const Plan planned = plan(experiment);
  const ordered_json sizes = sizes_of(experiment, "embedding");
  if (!has_memory(planned, "forward " + compact_json(sizes), results)) return {};
  const Result<Timing> timing = benchmark.forward(experiment);
  if (!timing) return tl::unexpected(timing.error());
  results.rows.push_back({"forward", sizes, product_flops(planned), *timing});
  return {};
}

/// The parts of a forward pass, and all of it.
Result<void> measure_parts(Benchmark& benchmark, const Experiment& experiment, BenchResults& results) {
  const ordered_json sizes = sizes_of(experiment, "embedding");
  // Attention is computed once more beside the tensors that it is computed from.
  if (!has_memory(plan(experiment), "the breakdown " + compact_json(sizes), results, 2)) return {};
  const Result<std::vector<PartTiming>> parts = benchmark.parts(experiment);
  if (!parts) return tl::unexpected(parts.error());
  double flops = 0;
  for (const PartTiming& part : *parts) {
    results.rows.push_back({part.part, sizes, part.flops, part.timing, 0, part.bytes, part.exponentials});
    if (&part != &parts->back()) flops += part.flops;  // the last: some of the others at once
  }
  const Result<Timing> whole = benchmark.forward(experiment);
  if (!whole) return tl::unexpected(whole.error());
  results.rows.push_back({"all, as in a pass", sizes, flops, *whole});
  return {};
}

/// The model of the options with a text as long as the longest of their lengths.
Result<Experiment> model_with_text(const BenchOptions& options) {
  const Result<std::shared_ptr<const Model>> model = open_model(options.model);
  if (!model) return tl::unexpected(model.error());
  const Result<const ModelFamily*> family = family_of(**model);
  const auto field = (*model)->config().find("vocab_size");
  const double* const vocabulary = field == (*model)->config().end() ? nullptr : std::get_if<double>(&field->second);
  if (!family || (*family)->input != ModelInput::text || vocabulary == nullptr)
    return fail((*model)->folder() + ": cannot be measured; allowed: models that continue a text");
  Experiment experiment = experiment_on_model(*model);
  experiment.text = numbered_text(*std::ranges::max_element(options.lengths), static_cast<Index>(*vocabulary));
  return experiment;
}

/// A model at a text of each length: all of it, and one more token.
Result<void> measure_model(Benchmark& benchmark, const BenchOptions& options, const Experiment& with_text,
                           BenchResults& results) {
  for (const Index length : options.lengths) {
    Experiment experiment = with_text;
    experiment.text.ids.resize(static_cast<std::size_t>(length));
    const ordered_json sizes = {{"tokens", length}};
    if (const Result<void> valid = validate(experiment, kUnlimitedMemory); !valid) {
      results.skipped.push_back("the model " + compact_json(sizes) + " is skipped: " + valid.error().message);
      continue;
    }
    const Plan planned = plan(experiment);
    if (!has_memory(planned, "the model " + compact_json(sizes), results)) continue;
    const Result<Timing> whole = benchmark.forward(experiment);
    if (!whole) return tl::unexpected(whole.error());
    results.rows.push_back({"model", sizes, product_flops(planned), *whole});
    if (length < 2) continue;
    const Result<Timing> more = benchmark.one_more_token(experiment);
    if (!more) return tl::unexpected(more.error());
    // Its products are few beside the weights that they read.
    results.rows.push_back(
        {"one more token", sizes, product_flops(planned) / static_cast<double>(length), *more, weight_bytes(planned)});
  }
  return {};
}

struct UpdateSizes {
  Index tokens = 0;
  Index features = 0;
  Index heads = 0;
  Index head_dim = 0;
};

Result<void> measure_updates(Benchmark& benchmark, const UpdateSizes& sizes, BenchResults& results) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.parameters["tokens"] = sizes.tokens;
  experiment.parameters["features"] = sizes.features;
  experiment.parameters["heads"] = sizes.heads;
  experiment.parameters["head_dim"] = sizes.head_dim;
  const double flops = product_flops(plan(experiment));
  const Result<Timing> redraw = benchmark.redraw(experiment);
  if (!redraw) return tl::unexpected(redraw.error());
  const Result<Timing> change = benchmark.change_tokens(experiment);
  if (!change) return tl::unexpected(change.error());
  results.rows.push_back({"new seed", sizes_of(experiment, "features"), flops, *redraw});
  results.rows.push_back({"new tokens", sizes_of(experiment, "features"), flops, *change});
  return {};
}

Result<void> measure_looks(Benchmark& benchmark, BenchResults& results) {
  constexpr Index kTokens = 65536;
  constexpr Index kDim = 64;
  Experiment experiment = *default_experiment("scaled-dot-product");
  experiment.parameters["queries"] = kTokens;
  experiment.parameters["keys"] = kTokens;
  experiment.parameters["head_dim"] = kDim;
  const Result<Benchmark::FirstLooks> looks = benchmark.first_looks(experiment);
  if (!looks) return tl::unexpected(looks.error());
  const ordered_json sizes = {{"tokens", kTokens}, {"width", kDim}, {"heads", 1}, {"mask", "none"}};
  constexpr double kRowFlops = 2.0 * kTokens * kDim;  // the scores of one query
  results.rows.push_back({"sketch", sizes, Benchmark::kOverviewSide * kRowFlops, looks->sketch});
  results.rows.push_back({"tile", sizes, Benchmark::kTileSide * kRowFlops, looks->tile});
  results.rows.push_back(
      {"next tile", sizes, 2.0 * kDim * Benchmark::kTileSide * Benchmark::kTileSide, looks->next_tile});
  results.rows.push_back({"overview", sizes, kTokens * kRowFlops, looks->overview});
  return {};
}

Result<void> measure_layers(Benchmark& benchmark, const BenchOptions& options,
                            const std::vector<Experiment>& experiments, BenchResults& results) {
  for (const Experiment& experiment : experiments) {
    const Result<void> done = options.breakdown ? measure_parts(benchmark, experiment, results)
                                                : measure_forward(benchmark, experiment, results);
    if (!done) return tl::unexpected(done.error());
  }
  if (options.breakdown) return {};
  // The sizes at which the window opens, and large ones.
  constexpr std::array<UpdateSizes, 2> kUpdates = {{{6, 9, 4, 7}, {16, 32, 8, 32}}};
  for (const UpdateSizes& sizes : kUpdates) {
    if (const Result<void> done = measure_updates(benchmark, sizes, results); !done)
      return tl::unexpected(done.error());
  }
  return options.large ? measure_looks(benchmark, results) : Result<void>();
}

/// `experiments`: the layers, or a model with its text.
Result<BenchResults> measure(const BenchOptions& options, const std::vector<Experiment>& experiments) {
  Benchmark benchmark(static_cast<unsigned>(options.threads), options.seconds);
  BenchResults results;
  results.limits = benchmark.limits();
  const Result<void> done = options.model.empty() ? measure_layers(benchmark, options, experiments, results)
                                                  : measure_model(benchmark, options, experiments.front(), results);
  if (!done) return tl::unexpected(done.error());
  // Measured twice: another program may have been busy the first time, and processors slow down as they warm up.
  results.limits.take_larger(benchmark.limits());
  return results;
}

Result<CommandOutput> bench_command(const BenchOptions& options) {
  if (options.threads < 1 || options.threads > kMaxThreads) {
    return fail("--threads " + std::to_string(options.threads) + " is not allowed; allowed: whole numbers from 1 to " +
                    std::to_string(kMaxThreads),
                Error::Kind::usage);
  }
  // Written for NaN to fail.
  if (!(options.seconds > 0 && options.seconds <= kMaxSeconds)) {
    return fail("--seconds " + exact_text(options.seconds) + " is not allowed; allowed: numbers above 0 up to " +
                    exact_text(kMaxSeconds),
                Error::Kind::usage);
  }
  if (options.breakdown && (options.large || !options.model.empty()))
    return fail("--breakdown is of a forward pass: neither of --model nor with --large", Error::Kind::usage);
  std::vector<Experiment> experiments;
  if (options.model.empty()) {
    Result<std::vector<Experiment>> each = layers(options);
    if (!each) return tl::unexpected(each.error());
    experiments = *std::move(each);
  } else {
    Result<Experiment> model = model_with_text(options);
    if (!model) return tl::unexpected(model.error());
    experiments.push_back(*std::move(model));
  }
  const Result<BenchResults> results = measure(options, experiments);
  if (!results) return tl::unexpected(results.error());
  return CommandOutput{options.json ? bench_json(options, *results) : bench_text(options, *results), results->skipped};
}

}  // namespace

void add_bench_command(CommandLine& line) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App& command = line.add("bench", "Measure the limits of this machine, and how close attnscope comes to them",
                               [options] { return bench_command(*options); });
  command.add_flag("--json", options->json, "Print JSON");
  command.add_option("--threads", options->threads, "Number of threads (default: all processors)")->type_name("N");
  command.add_option("--seconds", options->seconds, "Time to measure each row; at least three runs")
      ->type_name("S")
      ->capture_default_str();
  command
      .add_option("--size", options->sizes, "Measure a forward pass of this size instead of the defaults; repeatable")
      ->type_name("TOKENS,WIDTH,HEADS")
      ->allow_extra_args(false);
  command.add_option("--mask", options->masks, "Only with this mask (default: both)")
      ->type_name("none|causal")
      ->check(CLI::IsMember({"none", "causal"}))
      ->allow_extra_args(false);
  command.add_option("--model", options->model, "Measure this model instead of attention alone")->type_name("DIR");
  command
      .add_option("--length", options->lengths, "With --model: tokens of its text; repeatable (default: 64, 512, 1024)")
      ->type_name("TOKENS")
      ->check(CLI::Range(Index{1}, Index{1} << 20U))
      ->allow_extra_args(false);
  command.add_flag("--breakdown", options->breakdown,
                   "Measure the parts of a forward pass, each against its own limit");
  command.add_flag("--large", options->large,
                   "Also measure first looks at the weights of 65,536 tokens; takes seconds");
}

}  // namespace attnscope
