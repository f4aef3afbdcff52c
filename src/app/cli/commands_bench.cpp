#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/commands_tables.h"
#include "core/base/text.h"
#include "core/kernels/isa/instruction_set.h"
#include "core/models/models.h"
#include "core/plan/validate.h"
#include "core/studies/benchmark.h"
#include "io/base/json_value.h"
#include "io/models/model_file.h"

namespace attnscope {
namespace {

using nlohmann::ordered_json;

constexpr Index kMaxThreads = 1024;
constexpr double kMaxSeconds = 3600;

struct BenchOptions {
  bool json = false;
  bool large = false;
  Index threads = std::max(1U, std::thread::hardware_concurrency());
  double seconds = 0.5;
  std::vector<std::string> sizes = {"256,256,4", "512,512,8", "1024,768,12", "2048,768,12", "4096,1024,16"};
  std::vector<std::string> masks = {"none", "causal"};
  std::string model;
  std::vector<Index> lengths = {64, 512, 1024};
};

/// One line of the table.
struct BenchRow {
  std::string work;
  ordered_json sizes;  ///< what the work was done on, by name
  double flops = 0;    ///< of matrix products
  Timing timing;
  double bytes = 0;  ///< that have to be read from memory, where that is the limit

  /// The time below which it cannot be done, in seconds.
  [[nodiscard]] double limit(const MachineLimits& limits) const {
    return std::max(flops / limits.flops, bytes / limits.read_bytes);
  }
};

struct BenchResults {
  MachineLimits limits;
  std::vector<BenchRow> rows;
  std::vector<std::string> skipped;  ///< why
};

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

/// Whether there is memory for the experiment; otherwise `row` is noted as skipped.
bool has_memory(const Plan& planned, const std::string& row, BenchResults& results) {
  // Leaves some memory for everything else.
  constexpr double kAround = 1.1;
  const std::optional<double> available = available_memory();
  if (!available || planned.cost.bytes * kAround <= *available) return true;
  results.skipped.push_back(row + " is skipped: it needs " + bytes_text(planned.cost.bytes) + ", and " +
                            bytes_text(*available) + " are available");
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
    if (const Result<void> done = measure_forward(benchmark, experiment, results); !done)
      return tl::unexpected(done.error());
  }
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

std::string bench_json(const BenchOptions& options, const BenchResults& results) {
  const MachineLimits& limits = results.limits;
  ordered_json json = {{"instructions", kernels().name},
                       {"threads", options.threads},
                       {"limits",
                        {{"thread_gflops", limits.thread_flops / 1e9},
                         {"gflops", limits.flops / 1e9},
                         {"read_gb_per_s", limits.read_bytes / 1e9},
                         {"write_gb_per_s", limits.write_bytes / 1e9},
                         {"copy_gb_per_s", limits.copy_bytes / 1e9}}}};
  json["rows"] = ordered_json::array();
  for (const BenchRow& row : results.rows) {
    ordered_json entry = {{"work", row.work}};
    entry.update(row.sizes);
    entry["limit_ms"] = row.limit(limits) * 1e3;
    entry["best_ms"] = row.timing.best * 1e3;
    entry["median_ms"] = row.timing.median * 1e3;
    entry["runs"] = row.timing.runs;
    entry["gflops"] = row.flops / row.timing.best / 1e9;
    entry["share"] = row.limit(limits) / row.timing.best;
    json["rows"].push_back(std::move(entry));
  }
  json["skipped"] = results.skipped;
  return pretty_json(json) + "\n";
}

std::string bench_notes(const BenchOptions& options) {
  if (!options.model.empty())
    return "model: from weights in memory, keeping every tensor.\n"
           "one more token: of a text that grows; its limit is at least the time to read the weights once.\n";
  std::string notes =
      "forward: stacked-multihead from existing inputs and weights, keeping every tensor.\n"
      "new seed, new tokens: worked-example, including its random numbers.\n";
  if (options.large)
    notes +=
        "sketch, tile, overview: first looks at weights too large for memory; next tile: of the same rows.\n"
        "Always on all processors.\n";
  return notes;
}

std::string bench_text(const BenchOptions& options, const BenchResults& results) {
  const MachineLimits& limits = results.limits;
  const auto billions = [](double per_second, const char* unit) { return number_text(per_second / 1e9) + " " + unit; };
  const auto milliseconds = [](double seconds) { return number_text(seconds * 1e3, 3); };
  std::vector<std::vector<std::string>> machine = {
      {"multiply-adds, one thread", billions(limits.thread_flops, "GFLOP/s")},
      {"multiply-adds, all threads", billions(limits.flops, "GFLOP/s")},
      {"reading from memory", billions(limits.read_bytes, "GB/s")},
      {"writing to memory", billions(limits.write_bytes, "GB/s")},
      {"copying in memory", billions(limits.copy_bytes, "GB/s, read and written")}};
  const std::vector<std::string> sizes = options.model.empty()
                                             ? std::vector<std::string>{"tokens", "width", "heads", "mask"}
                                             : std::vector<std::string>{"tokens"};
  std::vector<std::vector<std::string>> rows = {{"work"}};
  rows[0].insert(rows[0].end(), sizes.begin(), sizes.end());
  for (const char* const title : {"limit ms", "best ms", "median ms", "GFLOP/s", "of limit"}) rows[0].push_back(title);
  for (const BenchRow& row : results.rows) {
    const double limit = row.limit(limits);
    std::vector<std::string>& cells = rows.emplace_back(1, row.work);
    for (const std::string& size : sizes)
      cells.push_back(row.sizes[size].is_string() ? row.sizes[size].get<std::string>() : row.sizes[size].dump());
    for (const double seconds : {limit, row.timing.best, row.timing.median}) cells.push_back(milliseconds(seconds));
    cells.push_back(number_text(row.flops / row.timing.best / 1e9, 3));
    cells.push_back(fixed_text(limit / row.timing.best * 100, 1) + " %");
  }
  return "Limits of this machine: " + std::string(kernels().name) + ", threads: " + std::to_string(options.threads) +
         "\n" + table_text(machine) + "\nWhat attnscope achieves\n" + table_text(rows) +
         "\nThe limit is the time all threads need for the matrix products alone, masked scores included.\n" +
         bench_notes(options);
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
  command.add_flag("--large", options->large,
                   "Also measure first looks at the weights of 65,536 tokens; takes seconds");
}

}  // namespace attnscope
