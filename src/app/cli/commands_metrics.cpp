#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/commands_experiment.h"
#include "app/cli/commands_tables.h"
#include "core/base/text.h"
#include "core/heads/head_measures.h"
#include "figure/slices/selected.h"
#include "io/base/json_value.h"

namespace attnscope {
namespace {

using nlohmann::ordered_json;

struct MetricsOptions : ExperimentOptions {
  Index item = 1;
  bool json = false;
};

std::string text_of(const std::optional<double>& value) { return value ? fixed_text(*value, 4) : "–"; }

/// For a later layer: composition with earlier layers, and rollout.
std::string layers_text(const HeadMeasures& measured) {
  std::string text;
  for (const HeadComposition& composed : measured.compositions) {
    for (std::size_t head = 0; head < composed.shares.size(); ++head) {
      std::vector<std::vector<std::string>> rows = {{"", "query", "key", "value"}};
      for (std::size_t earlier = 0; earlier < composed.shares[head].size(); ++earlier) {
        rows.push_back({"head " + std::to_string(earlier + 1)});
        for (const std::optional<double>& share : composed.shares[head][earlier]) rows.back().push_back(text_of(share));
      }
      const std::string whose = composed.shares.size() == 1 ? "the head" : "head " + std::to_string(head + 1);
      text += "\nComposition of " + whose + " with the heads of " + composed.earlier + "\n" + table_text(rows);
    }
  }
  if (measured.rollout == nullptr) return text;
  const Tensor& rollout = *measured.rollout;
  std::vector<std::vector<std::string>> rows = {{"from"}};
  for (Index key = 0; key < rollout.size(1); ++key) rows.front().push_back(std::to_string(key + 1));
  for (Index query = 0; query < rollout.size(0); ++query) {
    rows.push_back({"to " + std::to_string(query + 1)});
    for (Index key = 0; key < rollout.size(1); ++key)
      rows.back().push_back(fixed_text(static_cast<double>(rollout.matrix({}).at(query, key)), 3));
  }
  return text + "\nRollout: information flow from input tokens to output tokens through all layers\n" +
         table_text(rows);
}

std::string measured_text(const HeadMeasures& measured) {
  std::vector<std::string> titles = {""};
  for (std::size_t head = 0; head < measured.heads.size(); ++head)
    titles.push_back(measured.heads.size() == 1 ? "head" : "head " + std::to_string(head + 1));
  titles.emplace_back("uniform");
  std::vector<std::vector<std::string>> rows = {titles};
  for (std::size_t i = 0; i < measures().size(); ++i) {
    rows.push_back({std::string(measures()[i].title)});
    for (const MeasureRow& head : measured.heads) rows.back().push_back(text_of(head[i]));
    rows.back().push_back(text_of(measured.uniform[i]));
  }
  std::string text = measured.tensor + ": " + std::to_string(measured.queries) + " queries, " +
                     std::to_string(measured.keys) + " keys\n" + table_text(rows);
  text += layers_text(measured);
  if (measured.distances.size() < 2) return text;
  titles.pop_back();
  std::vector<std::vector<std::string>> distances = {titles};
  for (std::size_t head = 0; head < measured.heads.size(); ++head) {
    distances.push_back({titles[head + 1]});
    for (const double distance : measured.distances[head]) distances.back().push_back(fixed_text(distance, 4));
  }
  return text + "\nJensen–Shannon divergence of the heads, summed over the queries\n" + table_text(distances);
}

ordered_json row_json(const MeasureRow& row) {
  ordered_json values;
  for (std::size_t i = 0; i < row.size(); ++i)
    values[std::string(measures()[i].name)] = row[i] ? json_number(*row[i]) : ordered_json();
  return values;
}

ordered_json composition_json(const HeadComposition& composed) {
  ordered_json json = {{"earlier", composed.earlier}, {"heads", ordered_json::array()}};
  for (const auto& head : composed.shares) {
    ordered_json row = ordered_json::array();
    for (const auto& shares : head) {
      const auto number = [&](Composition through) {
        const std::optional<double>& share = shares[static_cast<std::size_t>(through)];
        return share ? json_number(*share) : ordered_json();
      };
      row.push_back({{"query", number(Composition::query)},
                     {"key", number(Composition::key)},
                     {"value", number(Composition::value)}});
    }
    json["heads"].push_back(row);
  }
  return json;
}

ordered_json matrix_json(const Tensor& matrix) {
  ordered_json rows = ordered_json::array();
  for (Index row = 0; row < matrix.size(0); ++row) {
    rows.push_back(ordered_json::array());
    for (Index column = 0; column < matrix.size(1); ++column)
      rows.back().push_back(json_number(static_cast<double>(matrix.matrix({}).at(row, column))));
  }
  return rows;
}

ordered_json measured_json(const HeadMeasures& measured) {
  ordered_json heads = ordered_json::array();
  for (const MeasureRow& head : measured.heads) heads.push_back(row_json(head));
  ordered_json distances = ordered_json::array();
  for (const std::vector<double>& row : measured.distances) {
    distances.push_back(ordered_json::array());
    for (const double distance : row) distances.back().push_back(json_number(distance));
  }
  ordered_json json = {{"tensor", measured.tensor},
                       {"heads", heads},
                       {"uniform", row_json(measured.uniform)},
                       {"distances", distances},
                       {"queries", measured.queries},
                       {"keys", measured.keys}};
  for (const HeadComposition& composed : measured.compositions)
    json["composition"].push_back(composition_json(composed));
  if (measured.rollout != nullptr) json["rollout"] = matrix_json(*measured.rollout);
  return json;
}

/// The definitions of the measures.
std::string legend() {
  std::vector<std::vector<std::string>> rows;
  for (const Measure& measure : measures())
    rows.push_back({std::string(measure.title), std::string(measure.definition)});
  return table_text(rows);
}

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

Result<CommandOutput> metrics_command(const MetricsOptions& options) {
  const Result<std::shared_ptr<const Trace>> computed = compute_experiment(options);
  if (!computed) return tl::unexpected(computed.error());
  const Trace& trace = **computed;
  if (const std::string none = no_attention(trace); !none.empty()) return fail(none);
  if (options.item < 1 || options.item > item_count(trace)) {
    return fail("--item: " + std::to_string(options.item) + " is not allowed; allowed: whole numbers from 1 to " +
                    std::to_string(item_count(trace)),
                Error::Kind::usage);
  }
  std::vector<std::string> warnings(trace.warnings().begin(), trace.warnings().end());
  std::vector<std::string> texts;
  ordered_json list = ordered_json::array();
  for (const int position : attention_steps_of(trace)) {
    const Step& step = trace.steps()[static_cast<std::size_t>(position)];
    if (const Result<void> room = check_memory(step); !room) return tl::unexpected(room.error());
    const std::optional<HeadMeasures> measured = measure_heads(trace, position, options.item - 1);
    if (!measured) return fail(trace.failure().value_or("measuring " + step.name + " was stopped"));
    if (const Index heads = std::ssize(measured->heads); heads > kMaxComparedHeads) {
      warnings.push_back(step.name + ": " + grouped_text(heads) +
                         " heads are not compared with each other; allowed: " + grouped_text(kMaxComparedHeads));
    }
    if (options.json) {
      list.push_back(measured_json(*measured));
    } else {
      texts.push_back(measured_text(*measured));
    }
  }
  const std::string text = options.json ? pretty_json(list) + "\n" : join(texts, "\n") + "\n" + legend();
  if (const std::optional<std::string> failure = trace.failure()) return fail(*failure);
  return CommandOutput{text, std::move(warnings)};
}

}  // namespace

void add_metrics_command(CommandLine& line) {
  const auto options = std::make_shared<MetricsOptions>();
  CLI::App& command = line.add("metrics", "Measure what the heads do: entropy, previous token, induction, ...",
                               [options] { return metrics_command(*options); });
  add_experiment_options(command, *options);
  command.add_option("--item", options->item, "Batch item, from 1")->type_name("N")->capture_default_str();
  command.add_flag("--json", options->json, "Print JSON, with null for measures that do not apply");
}

}  // namespace attnscope
