#include <algorithm>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/commands_changes.h"
#include "app/cli/commands_experiment.h"
#include "app/cli/found_heads.h"
#include "app/cli/measured_attentions.h"
#include "app/cli/metrics_options.h"
#include "app/cli/progress_line.h"
#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "core/heads/head_measures.h"
#include "core/heads/item_measures.h"
#include "core/heads/token_attention.h"
#include "figure/slices/selected.h"
#include "io/base/json_value.h"

namespace attnscope {
namespace {

// More attentions, and some of the heads, have no tables of distances and compositions as text: those would be longer than
// the table of heads.
constexpr std::ptrdiff_t kMaxDetailed = 4;

/// Fails if measuring would exceed the memory budget.
Result<void> check_memory(const Step& step) {
  // What the process takes anyway.
  constexpr double kAlways = 150e6;
  const double bytes = measuring_bytes(step);
  if (const double budget = *memory_budget(); bytes > budget + kAlways) {
    return fail("measures of " + step.name + " need " + bytes_text(bytes) + "; allowed: " + bytes_text(budget) +
                "; ATTNSCOPE_MEMORY_MB sets the limit");
  }
  return {};
}

/// An attention to measure.
struct Attention {
  int step = 0;
  std::optional<Index> layer = {};
};

/// The batch item, from 0; nothing for "all". Fails with a usage error if there is no such item.
Result<std::optional<Index>> selected_item(const MetricsOptions& options, Index items) {
  if (options.item == "all" && !options.rollout) return std::nullopt;
  if (options.item == "all")
    return fail("--rollout: follows one batch item; allowed with --item N", Error::Kind::usage);
  const std::optional<Index> item = parse_integer(options.item);
  if (!item) {
    return fail("--item: " + quoted_text(options.item) + " is not allowed; allowed: whole numbers from 1 to " +
                    std::to_string(items) + ", or all",
                Error::Kind::usage);
  }
  if (const Result<void> there = check_between("--item", *item, 1, items); !there) return tl::unexpected(there.error());
  return *item - 1;
}

/// Measures an attention in that batch item, or in all of them; nothing if its numbers cannot be read.
std::optional<MeasuredAttention> measured_attention(const Trace& trace, const Attention& attention,
                                                    const Measuring& measuring, bool all_items) {
  if (!all_items) {
    std::optional<HeadMeasures> measured = measure_heads(trace, attention.step, measuring);
    if (!measured) return std::nullopt;
    return MeasuredAttention{std::move(*measured), attention.layer};
  }
  std::optional<ItemMeasures> measured = measure_items(trace, attention.step, measuring);
  if (!measured) return std::nullopt;
  return MeasuredAttention{std::move(measured->mean), attention.layer, measured->items, std::move(measured->spread),
                           std::move(measured->uniform_spread)};
}

Result<std::vector<Attention>> selected_attentions(const Trace& trace, std::optional<Index> layer) {
  const std::vector<LayerAttention> layers = layer_attentions(trace);
  if (layer) {
    Index most = 0;
    for (const LayerAttention& each : layers) most = std::max(most, each.layer);
    if (const Result<void> there = check_between("--layer", *layer, 1, most); !there)
      return tl::unexpected(there.error());
  }
  std::vector<Attention> selected;
  for (const int step : attention_steps_of(trace)) {
    const auto its = std::ranges::find(layers, step, &LayerAttention::weights);
    Attention attention = {step};
    if (its != layers.end()) attention.layer = its->layer;
    if (!layer || attention.layer == layer) selected.push_back(attention);
  }
  return selected;
}

/// What is said beside the measures of an attention.
void add_warnings(const HeadMeasures& measured, bool detailed, std::vector<std::string>& warnings) {
  if (measured.left_out > 0) warnings.push_back(rows_left_out_text(measured.tensor, measured.left_out));
  if (const Index heads = std::ssize(measured.heads); detailed && heads > kMaxComparedHeads) {
    warnings.push_back(measured.tensor + ": " + grouped_text(heads) +
                       " heads are not compared with each other; allowed: " + grouped_text(kMaxComparedHeads));
  }
}

/// Whether to compute the effective rank; if it is left out, says so.
bool measures_rank(const Trace& trace, const std::vector<Attention>& attentions, const MetricsOptions& options,
                   std::vector<std::string>& warnings) {
  if (asks_for_rank(options)) return true;
  double operations = 0;
  for (const Attention& each : attentions) operations += rank_operations(trace.step(each.step).axes);
  if (operations <= kMaxRankOperations) return true;
  warnings.emplace_back(kRankLeftOut);
  return false;
}

/// An experiment on the model whose heads are to be found. It need not have a text.
Result<Experiment> experiment_to_test(const MetricsOptions& options) {
  Result<ExperimentSource> source = open_experiment(options);
  if (!source) return tl::unexpected(source.error());
  if (source->experiment.model == nullptr)
    return fail(
        "--find: the test needs a trained model, which reads random tokens; without --find, metrics measures what "
        "is there");
  if (const Result<void> changed = apply_changes(source->experiment, options); !changed)
    return tl::unexpected(changed.error());
  return std::move(source->experiment);
}

Result<CommandOutput> find_command(const MetricsOptions& options) {
  const Result<std::optional<std::size_t>> sort = sorting_measure(options.sort, finder_measures(), " with --find");
  if (!sort) return tl::unexpected(sort.error());
  if (const Result<void> top = check_top(options.top); !top) return tl::unexpected(top.error());
  const Result<double> budget = memory_budget();
  if (!budget) return tl::unexpected(budget.error());
  const Result<Experiment> experiment = experiment_to_test(options);
  if (!experiment) return tl::unexpected(experiment.error());
  const std::shared_ptr<const Model>& model = experiment->model;
  Finding finding = {
      .interventions = on_any_text(experiment->interventions), .edits = experiment->edits, .memory_budget = *budget};
  std::vector<std::string> warnings;
  if (finding.interventions.size() < experiment->interventions.size())
    warnings.emplace_back(
        "interventions at one position or key, and patched ones, depend on a text: the test leaves them out");
  Result<FoundHeads> found = [&] {
    const ProgressLine line;
    finding.progress = [&](int run, int runs) {
      line.show("finding heads: run " + std::to_string(run) + " of " + std::to_string(runs));
    };
    return find_heads(model, finding);
  }();
  if (!found) return tl::unexpected(found.error());
  if (options.layer) {
    if (const Result<void> there = check_between("--layer", *options.layer, 1, found->heads.back().layer); !there)
      return tl::unexpected(there.error());
    std::erase_if(found->heads, [&](const FoundHead& head) { return head.layer != *options.layer; });
  }
  rank_found_heads(*found, *sort, options.top.value_or(0));
  const std::string text = options.json  ? pretty_json(found_json(*model, *found)) + "\n"
                           : options.csv ? found_csv(*found)
                                         : found_text(*model, *found, *sort);
  return CommandOutput{text, std::move(warnings)};
}

std::string reason_without_rollout(const Trace& trace) {
  const std::vector<LayerAttention> layers = layer_attentions(trace);
  if (layers.size() < 2) return "it follows attention through several layers, and there is one";
  std::string reason = no_rollout(trace, layers.back().weights);
  return reason.empty() ? "there are too many tokens for it" : reason;
}

Result<CommandOutput> metrics_command(const MetricsOptions& options) {
  const Result<std::optional<std::size_t>> sort = sorting_measure(options.sort, measures());
  if (!sort) return tl::unexpected(sort.error());
  if (const Result<void> top = check_top(options.top); !top) return tl::unexpected(top.error());
  const Result<std::shared_ptr<const Trace>> computed = compute_experiment(options);
  if (!computed) return tl::unexpected(computed.error());
  const Trace& trace = **computed;
  if (const std::string none = no_attention(trace); !none.empty()) return fail(none);
  const Result<std::optional<Index>> item = selected_item(options, item_count(trace));
  if (!item) return tl::unexpected(item.error());
  const Result<std::vector<Attention>> selected = selected_attentions(trace, options.layer);
  if (!selected) return tl::unexpected(selected.error());
  std::vector<std::string> warnings = warnings_of(trace);
  const bool detailed = !options.csv && (options.json || (!options.top && std::ssize(*selected) <= kMaxDetailed));
  const Measuring measuring = {.item = item->value_or(0),
                               .rank = measures_rank(trace, *selected, options, warnings),
                               .distances = detailed,
                               .rollout = options.rollout};
  std::vector<MeasuredAttention> attentions;
  for (const Attention& each : *selected) {
    const Step& step = trace.step(each.step);
    if (const Result<void> room = check_memory(step); !room) return tl::unexpected(room.error());
    std::optional<MeasuredAttention> measured = measured_attention(trace, each, measuring, !*item);
    if (!measured) return fail(trace.failure().value_or("measuring " + step.name + " was stopped"));
    add_warnings(measured->measures, detailed, warnings);
    attentions.push_back(std::move(*measured));
  }
  const auto has_rollout = [](const MeasuredAttention& each) { return each.measures.rollout != nullptr; };
  if (options.rollout && std::ranges::none_of(attentions, has_rollout))
    warnings.push_back("--rollout: " + reason_without_rollout(trace));
  const HeadRanking ranking = ranked_heads(attentions, *sort, options.top.value_or(0));
  if (ranking.measure && !ranking.applies)
    warnings.push_back("--sort: " + options.sort + " does not apply to these heads");
  const std::string text = options.json  ? pretty_json(measured_json(attentions, ranking)) + "\n"
                           : options.csv ? measured_csv(attentions, ranking)
                                         : measured_text(attentions, ranking, detailed);
  if (const std::optional<std::string> failure = trace.failure()) return fail(*failure);
  return CommandOutput{text, std::move(warnings)};
}

}  // namespace

void add_metrics_command(CommandLine& line) {
  const auto options = std::make_shared<MetricsOptions>();
  CLI::App& command =
      line.add("metrics", "Measure what the heads do: entropy, previous token, induction, ...", [options] {
        if (options->find) return find_command(*options);
        return options->texts ? text_metrics(*options) : metrics_command(*options);
      });
  add_experiment_options(command, *options);
  command.add_option("--item", options->item, "Batch item, from 1, or all: their mean and standard deviation")
      ->type_name("N|all")
      ->capture_default_str();
  command.add_option("--layer", options->layer, "Only this layer, from 1")->type_name("N");
  command.add_option("--sort", options->sort, "Sort the heads of all layers by a measure, largest first")
      ->type_name("MEASURE");
  command.add_option("--top", options->top, "Only the first N heads")->type_name("N");
  command.add_flag("--effective-rank", options->rank, "Compute the effective rank however long that takes");
  command.add_flag("--rollout", options->rollout, "Attention rollout through the layers as well");
  CLI::Option* const json =
      command.add_flag("--json", options->json, "Print JSON, with null for measures that do not apply");
  CLI::Option* const csv =
      command.add_flag("--csv", options->csv, "Print CSV, with nothing for measures that do not apply");
  // A row of a table has no room for a matrix.
  csv->excludes(json)->excludes(command.get_option("--rollout"));
  CLI::Option* const texts = command.add_option(
      "--texts", options->texts,
      "Mean and spread over the texts of a file, one per line or a JSON list, which a trained model reads");
  texts->type_name("FILE");
  CLI::Option* const find = command.add_flag(
      "--find", options->find, "Find heads of a trained model by the standard test: random tokens, repeated");
  // The test has its own texts.
  for (const char* const other : {"--set", "--picture", "--labels", "--text", "--text2", "--tokens", "--tokens2",
                                  "--item", "--texts", "--effective-rank", "--rollout"})
    find->excludes(command.get_option(other));
  for (const char* const other : {"--picture", "--labels", "--text", "--tokens", "--item", "--rollout"})
    texts->excludes(command.get_option(other));
}

}  // namespace attnscope
