#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/commands_experiment.h"
#include "app/commands_tables.h"
#include "core/metrics.h"
#include "core/text.h"
#include "io/json_value.h"

namespace attnscope {
namespace {

using nlohmann::ordered_json;

struct MetricsOptions : ExperimentOptions {
  Index item = 1;
  bool json = false;
};

/// The measures of one head, in the order of `measures()`.
using Row = std::vector<std::optional<double>>;

/// The heads of one attention.
struct Measured {
  std::string tensor;
  Index queries = 0;
  Index keys = 0;
  std::vector<Row> heads;
  Row uniform;                                 ///< the same of weights that are even under the mask
  std::vector<std::vector<double>> distances;  ///< of each head from each
};

Row measure(const HeadPattern& head) {
  Row row;
  for (const Measure& measure : measures()) row.push_back(measure.of(head));
  return row;
}

/// The places of the heads among the leading axes: all heads of one item of the batch.
std::vector<std::vector<Index>> places_of_heads(const Axes& axes, Index item) {
  std::vector<std::vector<Index>> places = {{}};
  for (std::size_t axis = 0; axis + 2 < axes.size(); ++axis) {
    const bool batch = axes[axis].name == "batch";
    std::vector<std::vector<Index>> more;
    for (const std::vector<Index>& place : places) {
      for (Index i = batch ? item : 0; i < (batch ? item + 1 : axes[axis].size); ++i) {
        more.push_back(place);
        more.back().push_back(i);
      }
    }
    places = std::move(more);
  }
  return places;
}

Result<Measured> measure_heads(const Trace& trace, int position, Index item) {
  const Step& step = trace.steps()[static_cast<std::size_t>(position)];
  const std::vector<std::vector<Index>> places = places_of_heads(step.axes, item);
  Measured measured = {step.name, step.axes[step.axes.size() - 2].size, step.axes.back().size, {}, {}, {}};
  const double bytes = 4.0 * static_cast<double>(places.size()) * static_cast<double>(measured.queries) *
                       static_cast<double>(measured.keys);
  if (const double budget = *memory_budget(); !step.tensor && bytes > budget) {
    return fail("measures of " + step.name + " need " + bytes_text(bytes) + "; allowed: " + bytes_text(budget) +
                "; ATTNSCOPE_MEMORY_MB sets the limit");
  }
  std::vector<std::shared_ptr<const Tensor>> numbers;
  std::vector<HeadPattern> patterns;
  for (const std::vector<Index>& place : places) {
    Region region = whole_region(position, step.axes);
    for (std::size_t axis = 0; axis < place.size(); ++axis) {
      region.begin[axis] = place[axis];
      region.end[axis] = place[axis] + 1;
    }
    numbers.push_back(trace.numbers(region));
    const std::vector<Index> first(place.size(), 0);
    patterns.push_back(head_pattern(trace, step, place, numbers.back()->matrix(first)));
    measured.heads.push_back(measure(patterns.back()));
  }
  const Tensor uniform = uniform_weights(patterns.front());
  HeadPattern even = patterns.front();
  even.weights = uniform.matrix({});
  measured.uniform = measure(even);
  for (const HeadPattern& one : patterns) {
    measured.distances.emplace_back();
    for (const HeadPattern& other : patterns)
      measured.distances.back().push_back(head_distance(one.weights, other.weights));
  }
  return measured;
}

std::string text_of(const std::optional<double>& value) { return value ? fixed_text(*value, 4) : "–"; }

std::string measured_text(const Measured& measured) {
  std::vector<std::string> titles = {""};
  for (std::size_t head = 0; head < measured.heads.size(); ++head)
    titles.push_back(measured.heads.size() == 1 ? "head" : "head " + std::to_string(head + 1));
  titles.emplace_back("uniform");
  std::vector<std::vector<std::string>> rows = {titles};
  for (std::size_t i = 0; i < measures().size(); ++i) {
    rows.push_back({std::string(measures()[i].title)});
    for (const Row& head : measured.heads) rows.back().push_back(text_of(head[i]));
    rows.back().push_back(text_of(measured.uniform[i]));
  }
  std::string text = measured.tensor + ": " + std::to_string(measured.queries) + " queries, " +
                     std::to_string(measured.keys) + " keys\n" + table_text(rows);
  if (measured.heads.size() < 2) return text;
  titles.pop_back();
  std::vector<std::vector<std::string>> distances = {titles};
  for (std::size_t head = 0; head < measured.heads.size(); ++head) {
    distances.push_back({titles[head + 1]});
    for (const double distance : measured.distances[head]) distances.back().push_back(fixed_text(distance, 4));
  }
  return text + "\nJensen–Shannon divergence of the heads, summed over the queries\n" + table_text(distances);
}

ordered_json row_json(const Row& row) {
  ordered_json values;
  for (std::size_t i = 0; i < row.size(); ++i)
    values[std::string(measures()[i].name)] = row[i] ? json_number(*row[i]) : ordered_json();
  return values;
}

ordered_json measured_json(const Measured& measured) {
  ordered_json heads = ordered_json::array();
  for (const Row& head : measured.heads) heads.push_back(row_json(head));
  ordered_json distances = ordered_json::array();
  for (const std::vector<double>& row : measured.distances) {
    distances.push_back(ordered_json::array());
    for (const double distance : row) distances.back().push_back(json_number(distance));
  }
  return {{"tensor", measured.tensor},
          {"heads", heads},
          {"uniform", row_json(measured.uniform)},
          {"distances", distances},
          {"queries", measured.queries},
          {"keys", measured.keys}};
}

/// What the measures are, for whoever reads the table.
std::string legend() {
  std::vector<std::vector<std::string>> rows;
  for (const Measure& measure : measures())
    rows.push_back({std::string(measure.title), std::string(measure.definition)});
  return table_text(rows);
}

Result<CommandOutput> metrics_command(const MetricsOptions& options) {
  const Result<std::shared_ptr<const Trace>> computed = compute_experiment(options);
  if (!computed) return tl::unexpected(computed.error());
  const Trace& trace = **computed;
  std::vector<std::string> texts;
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < trace.steps().size(); ++i) {
    const Step& step = trace.steps()[i];
    if (!std::holds_alternative<SoftmaxOperation>(step.operation)) continue;
    if (const Axis& first = step.axes.front(); first.name == "batch" && options.item > first.size) {
      return fail("--item " + std::to_string(options.item) + ": the batch has " + std::to_string(first.size),
                  Error::Kind::usage);
    }
    const Result<Measured> measured = measure_heads(trace, static_cast<int>(i), options.item - 1);
    if (!measured) return tl::unexpected(measured.error());
    if (options.json) {
      list.push_back(measured_json(*measured));
    } else {
      texts.push_back(measured_text(*measured));
    }
  }
  const std::string text = options.json ? pretty_json(list) + "\n" : join(texts, "\n") + "\n" + legend();
  return CommandOutput{text, {trace.warnings().begin(), trace.warnings().end()}};
}

}  // namespace

void add_metrics_command(CommandLine& line) {
  const auto options = std::make_shared<MetricsOptions>();
  CLI::App& command = line.add("metrics", "Measure what the heads do: entropy, previous token, induction, ...",
                               [options] { return metrics_command(*options); });
  add_experiment_options(command, *options);
  command.add_option("--item", options->item, "Which item of the batch, from 1")
      ->check(CLI::PositiveNumber)
      ->type_name("N")
      ->capture_default_str();
  command.add_flag("--json", options->json, "Print JSON; null where a measure does not apply");
}

}  // namespace attnscope
