#include "app/cli/measured_attentions.h"

#include <algorithm>
#include <set>

#include "app/cli/commands_tables.h"
#include "core/base/text.h"
#include "io/base/json_value.h"

namespace attnscope {
namespace {

using nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;
using Attentions = std::vector<MeasuredAttention>;

std::string text_of(const std::optional<double>& value) { return value ? fixed_text(*value, 4) : "–"; }

const MeasureRow& row_of(const Attentions& attentions, const PlacedHead& place) {
  return attentions[place.attention].measures.heads[place.head];
}

std::string layer_text(const MeasuredAttention& attention) {
  return attention.layer ? std::to_string(*attention.layer) : "–";
}

/// Whether layer numbers do not say which attention is meant.
bool needs_names(const Attentions& attentions) {
  std::set<std::optional<Index>> layers;
  for (const MeasuredAttention& each : attentions) layers.insert(each.layer);
  return layers.size() < attentions.size() || layers.contains(std::nullopt);
}

/// "normalized entropy" above each other.
void add_title(const std::string& title, Rows& header) {
  const std::size_t space = title.rfind(' ');
  header[0].push_back(space == std::string::npos ? "" : title.substr(0, space));
  header[1].push_back(space == std::string::npos ? title : title.substr(space + 1));
}

/// "512 queries, 512 keys; causal mask found in the weights"
std::string size_text(const HeadMeasures& measured) {
  return std::to_string(measured.queries) + " queries, " + std::to_string(measured.keys) + " keys" +
         (measured.mask.empty() ? "" : "; " + measured.mask);
}

/// The sizes of all attentions, in one line if they are the same.
std::string sizes_text(const Attentions& attentions) {
  const auto is_like_first = [&](const MeasuredAttention& each) {
    return size_text(each.measures) == size_text(attentions.front().measures);
  };
  if (attentions.size() > 1 && std::ranges::all_of(attentions, is_like_first)) {
    return attentions.front().measures.tensor + " to " + attentions.back().measures.tensor + ", " +
           std::to_string(attentions.size()) + " in all: " + size_text(attentions.front().measures) + "\n";
  }
  std::string text;
  for (const MeasuredAttention& each : attentions)
    text += each.measures.tensor + ": " + size_text(each.measures) + "\n";
  return text;
}

/// The table of the heads with a row for uniform attention: one for all attentions where it is the same.
class HeadTable {
 public:
  HeadTable(const Attentions& attentions, const HeadRanking& ranking)
      : attentions_(attentions), ranking_(ranking), named_(needs_names(attentions)) {}

  std::string text() {
    for (const std::string& title : titles()) add_title(title, rows_);
    if (ranking_.measure) add_title("", rows_);
    for (std::size_t i = 0; i < ranking_.heads.size(); ++i) add_head(i);
    const auto is_like_first = [&](const MeasuredAttention& each) {
      return each.measures.uniform == attentions_.front().measures.uniform;
    };
    if (std::ranges::all_of(attentions_, is_like_first)) {
      add({named_ ? std::vector<std::string>{"", ""} : std::vector<std::string>{""}}, "uniform",
          attentions_.front().measures.uniform);
    } else {
      for (const MeasuredAttention& each : attentions_) add(names_of(each), "uniform", each.measures.uniform);
    }
    return table_text(rows_);
  }

 private:
  [[nodiscard]] std::vector<std::string> titles() const {
    std::vector<std::string> titles = {"layer", "head"};
    if (named_) titles.insert(titles.begin(), "weights");
    for (const Measure& measure : measures()) titles.emplace_back(measure.title);
    return titles;
  }

  [[nodiscard]] std::vector<std::string> names_of(const MeasuredAttention& attention) const {
    if (!named_) return {layer_text(attention)};
    return {attention.measures.tensor, layer_text(attention)};
  }

  void add(std::vector<std::string> names, const std::string& head, const MeasureRow& values) {
    names.push_back(head);
    for (const std::optional<double>& value : values) names.push_back(text_of(value));
    rows_.push_back(std::move(names));
  }

  void add_head(std::size_t at) {
    const PlacedHead& place = ranking_.heads[at];
    const MeasuredAttention& attention = attentions_[place.attention];
    add(names_of(attention), "head " + std::to_string(place.head + 1), attention.measures.heads[place.head]);
    if (at < ranking_.winners) rows_.back().push_back("← largest " + std::string(measures()[*ranking_.measure].title));
  }

  const Attentions& attentions_;
  const HeadRanking& ranking_;
  bool named_;
  Rows rows_ = Rows(2);
};

/// Composition with earlier layers.
std::string compositions_text(const HeadMeasures& measured) {
  std::string text;
  for (const HeadComposition& composed : measured.compositions) {
    for (std::size_t head = 0; head < composed.shares.size(); ++head) {
      Rows rows = {{"", "query", "key", "value"}};
      for (std::size_t earlier = 0; earlier < composed.shares[head].size(); ++earlier) {
        rows.push_back({"head " + std::to_string(earlier + 1)});
        for (const std::optional<double>& share : composed.shares[head][earlier]) rows.back().push_back(text_of(share));
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

/// The definitions of the measures.
std::string legend() {
  Rows rows;
  for (const Measure& measure : measures())
    rows.push_back({std::string(measure.title), std::string(measure.definition)});
  return table_text(rows);
}

std::string csv_line(const MeasuredAttention& attention, const std::string& head, const MeasureRow& values) {
  std::string line = "\"" + attention.measures.tensor + "\"," +
                     (attention.layer ? std::to_string(*attention.layer) : "") + "," + head + "," +
                     std::to_string(attention.measures.queries) + "," + std::to_string(attention.measures.keys);
  for (const std::optional<double>& value : values) line += "," + (value ? exact_text(*value) : "");
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
  if (!measured.mask.empty()) json["mask"] = measured.mask;
  if (measured.left_out > 0) json["rows_left_out"] = measured.left_out;
  for (const HeadComposition& composed : measured.compositions)
    json["composition"].push_back(composition_json(composed));
  if (measured.rollout != nullptr) json["rollout"] = matrix_json(*measured.rollout);
  return json;
}

}  // namespace

HeadRanking ranked_heads(const Attentions& attentions, std::optional<std::size_t> measure, Index most) {
  HeadRanking ranking;
  ranking.measure = measure;
  for (std::size_t i = 0; i < attentions.size(); ++i) {
    for (std::size_t head = 0; head < attentions[i].measures.heads.size(); ++head) ranking.heads.push_back({i, head});
  }
  if (measure) {
    const auto value = [&](const PlacedHead& place) { return row_of(attentions, place)[*measure]; };
    // No value is less than any.
    std::ranges::stable_sort(ranking.heads, [&](const auto& a, const auto& b) { return value(a) > value(b); });
    ranking.applies = !ranking.heads.empty() && value(ranking.heads.front());
    const auto is_largest = [&](const PlacedHead& place) {
      return value(place) && text_of(value(place)) == text_of(value(ranking.heads.front()));
    };
    const auto smaller = std::ranges::find_if_not(ranking.heads, is_largest);
    if (smaller != ranking.heads.end() && value(*smaller))
      ranking.winners = static_cast<std::size_t>(smaller - ranking.heads.begin());
  }
  if (most > 0 && most < std::ssize(ranking.heads)) ranking.heads.resize(static_cast<std::size_t>(most));
  return ranking;
}

std::string measured_text(const Attentions& attentions, const HeadRanking& ranking, bool detailed) {
  std::string text = sizes_text(attentions) + "\n" + HeadTable(attentions, ranking).text();
  for (const MeasuredAttention& each : attentions) {
    if (detailed) text += compositions_text(each.measures);
    if (each.measures.rollout != nullptr) text += rollout_text(*each.measures.rollout);
    if (detailed) text += distances_text(each.measures);
  }
  if (!detailed)
    text += "\n--layer N also shows how far the heads of a layer are apart; --json has that of all layers.\n";
  return text + "\n" + legend();
}

std::string measured_csv(const Attentions& attentions, const HeadRanking& ranking) {
  std::string text = "tensor,layer,head,queries,keys";
  for (const Measure& measure : measures()) text += "," + std::string(measure.name);
  text += "\n";
  for (const PlacedHead& place : ranking.heads)
    text += csv_line(attentions[place.attention], std::to_string(place.head + 1), row_of(attentions, place));
  for (const MeasuredAttention& each : attentions) text += csv_line(each, "uniform", each.measures.uniform);
  return text;
}

ordered_json measured_json(const Attentions& attentions, const HeadRanking& ranking) {
  std::vector<ordered_json> heads(attentions.size(), ordered_json::array());
  for (const PlacedHead& place : ranking.heads) {
    const MeasuredAttention& attention = attentions[place.attention];
    ordered_json head = {{"layer", attention.layer ? ordered_json(*attention.layer) : ordered_json()},
                         {"head", place.head + 1}};
    head.update(row_json(attention.measures.heads[place.head]));
    heads[place.attention].push_back(std::move(head));
  }
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < attentions.size(); ++i) list.push_back(attention_json(attentions[i], heads[i]));
  return list;
}

}  // namespace attnscope
