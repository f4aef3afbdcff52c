#include "app/cli/measured_attentions.h"

#include <algorithm>

#include "app/cli/commands_tables.h"
#include "core/base/text.h"
#include "io/base/json_value.h"

namespace attnscope {
namespace {

using nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;
using Attentions = std::vector<MeasuredAttention>;

const MeasureRow& spread_of(const MeasuredAttention& attention, std::size_t head) {
  static const MeasureRow none;
  return head < attention.spread.size() ? attention.spread[head] : none;
}

/// "512 queries, 512 keys; mean and spread (standard deviation) of 8 batch items; causal mask, judging by weights of 0"
std::string size_text(const MeasuredAttention& attention) {
  const HeadMeasures& measured = attention.measures;
  return std::to_string(measured.queries) + " queries, " + std::to_string(measured.keys) + " keys" +
         (attention.spread.empty() ? ""
                                   : "; mean and spread (standard deviation) of " + std::to_string(attention.items) +
                                         (attention.items == 1 ? " batch item" : " batch items")) +
         (measured.mask.empty() ? "" : "; " + measured.mask);
}

/// The sizes of all attentions, in one line if they are the same.
std::string sizes_text(const Attentions& attentions) {
  const auto is_like_first = [&](const MeasuredAttention& each) {
    return size_text(each) == size_text(attentions.front());
  };
  if (attentions.size() > 1 && std::ranges::all_of(attentions, is_like_first)) {
    return attentions.front().measures.tensor + " to " + attentions.back().measures.tensor + ", " +
           std::to_string(attentions.size()) + " in all: " + size_text(attentions.front()) + "\n";
  }
  std::string text;
  for (const MeasuredAttention& each : attentions) text += each.measures.tensor + ": " + size_text(each) + "\n";
  return text;
}

/// Composition with earlier layers.
std::string compositions_text(const HeadMeasures& measured) {
  std::string text;
  for (const HeadComposition& composed : measured.compositions) {
    for (std::size_t head = 0; head < composed.shares.size(); ++head) {
      Rows rows = {{"", "query", "key", "value"}};
      for (std::size_t earlier = 0; earlier < composed.shares[head].size(); ++earlier) {
        rows.push_back({"head " + std::to_string(earlier + 1)});
        for (const std::optional<double>& share : composed.shares[head][earlier])
          rows.back().push_back(table_value(share));
      }
      const std::string whose = composed.shares.size() == 1 ? "the head" : "head " + std::to_string(head + 1);
      text += "\nComposition of " + whose + " of " + measured.tensor + " with the heads of " + composed.earlier + "\n" +
              table_text(rows);
    }
  }
  return text;
}

std::string rollout_text(const Tensor& rollout) {
  Rows rows = {{"from"}};
  for (Index key = 0; key < rollout.size(1); ++key) rows.front().push_back(std::to_string(key + 1));
  for (Index query = 0; query < rollout.size(0); ++query) {
    rows.push_back({"to " + std::to_string(query + 1)});
    for (Index key = 0; key < rollout.size(1); ++key)
      rows.back().push_back(fixed_text(static_cast<double>(rollout.matrix({}).at(query, key)), 3));
  }
  return "\nRollout: information flow from input tokens to output tokens through all layers\n" + table_text(rows);
}

std::string distances_text(const HeadMeasures& measured) {
  if (measured.distances.size() < 2) return "";
  Rows rows = {{""}};
  for (std::size_t head = 0; head < measured.distances.size(); ++head) {
    const std::string title = "head " + std::to_string(head + 1);
    rows.front().push_back(title);
    rows.push_back({title});
    for (const double distance : measured.distances[head]) rows.back().push_back(fixed_text(distance, 4));
  }
  return "\n" + measured.tensor + ": Jensen–Shannon divergence of the heads, summed over the queries\n" +
         table_text(rows);
}

/// The spreads in place of the values.
Attentions spreads_of(const Attentions& attentions) {
  Attentions spreads;
  for (const MeasuredAttention& each : attentions) {
    MeasuredAttention& spread = spreads.emplace_back();
    spread.measures.tensor = each.measures.tensor;
    spread.measures.heads = each.spread;
    spread.measures.uniform = each.uniform_spread;
    spread.layer = each.layer;
  }
  return spreads;
}

/// The spreads stand after all values.
std::string csv_line(const MeasuredAttention& attention, const std::string& head, const MeasureRow& values,
                     const MeasureRow& spread) {
  std::string line = "\"" + attention.measures.tensor + "\"," +
                     (attention.layer ? std::to_string(*attention.layer) : "") + "," + head + "," +
                     std::to_string(attention.measures.queries) + "," + std::to_string(attention.measures.keys);
  for (const MeasureRow* const row : {&values, &spread}) {
    for (const std::optional<double>& value : *row) line += "," + (value ? exact_text(*value) : "");
  }
  return line + "\n";
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

ordered_json attention_json(const MeasuredAttention& attention, const ordered_json& heads) {
  const HeadMeasures& measured = attention.measures;
  ordered_json distances = ordered_json::array();
  for (const std::vector<double>& row : measured.distances) {
    distances.push_back(ordered_json::array());
    for (const double distance : row) distances.back().push_back(json_number(distance));
  }
  ordered_json json = {{"tensor", measured.tensor},
                       {"layer", attention.layer ? ordered_json(*attention.layer) : ordered_json()},
                       {"heads", heads},
                       {"uniform", row_json(measured.uniform)},
                       {"distances", distances},
                       {"queries", measured.queries},
                       {"keys", measured.keys}};
  if (!attention.spread.empty()) {
    json["items"] = attention.items;
    json["uniform_spread"] = row_json(attention.uniform_spread);
  }
  if (!measured.mask.empty()) json["mask"] = measured.mask;
  if (measured.left_out > 0) json["rows_left_out"] = measured.left_out;
  for (const HeadComposition& composed : measured.compositions)
    json["composition"].push_back(composition_json(composed));
  if (measured.rollout != nullptr) json["rollout"] = matrix_json(*measured.rollout);
  return json;
}

}  // namespace

std::string measured_text(const Attentions& attentions, const HeadRanking& ranking, bool detailed) {
  const bool has_spread = !attentions.front().spread.empty();
  const Attentions spreads = has_spread ? spreads_of(attentions) : Attentions();
  std::vector<TableRow> rows = {{.title = has_spread ? "mean" : "", .attentions = &attentions}};
  if (has_spread) rows.push_back({.title = "spread", .attentions = &spreads});
  std::string text = sizes_text(attentions) + "\n" + head_table_text(rows, ranking);
  for (const MeasuredAttention& each : attentions) {
    if (detailed) text += compositions_text(each.measures);
    if (each.measures.rollout != nullptr) text += rollout_text(*each.measures.rollout);
    if (detailed) text += distances_text(each.measures);
  }
  if (!detailed)
    text +=
        "\n--layer N, without --top, also shows how far the heads of a layer are apart; --json has that of all "
        "layers.\n";
  return text + "\n" + measure_legend();
}

std::string measured_csv(const Attentions& attentions, const HeadRanking& ranking) {
  std::string text = "tensor,layer,head,queries,keys";
  for (const Measure& measure : measures()) text += "," + std::string(measure.name);
  if (!attentions.front().spread.empty()) {
    for (const Measure& measure : measures()) text += "," + std::string(measure.name) + "_spread";
  }
  text += "\n";
  for (const PlacedHead& place : ranking.heads) {
    const MeasuredAttention& attention = attentions[place.attention];
    text += csv_line(attention, std::to_string(place.head + 1), attention.measures.heads[place.head],
                     spread_of(attention, place.head));
  }
  for (const MeasuredAttention& each : attentions)
    text += csv_line(each, "uniform", each.measures.uniform, each.uniform_spread);
  return text;
}

ordered_json measured_json(const Attentions& attentions, const HeadRanking& ranking) {
  std::vector<ordered_json> heads(attentions.size(), ordered_json::array());
  for (const PlacedHead& place : ranking.heads) {
    const MeasuredAttention& attention = attentions[place.attention];
    ordered_json head = {{"layer", attention.layer ? ordered_json(*attention.layer) : ordered_json()},
                         {"head", place.head + 1}};
    head.update(row_json(attention.measures.heads[place.head]));
    if (!attention.spread.empty()) head["spread"] = row_json(attention.spread[place.head]);
    heads[place.attention].push_back(std::move(head));
  }
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < attentions.size(); ++i) list.push_back(attention_json(attentions[i], heads[i]));
  return list;
}

}  // namespace attnscope
