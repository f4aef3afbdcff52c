#include "app/cli/found_heads.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/commands_tables.h"
#include "core/base/text.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"

namespace attnscope {
namespace {

using nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string cell_text(double value) { return std::isnan(value) ? "–" : fixed_text(value, 4); }

std::string title_of(std::size_t measure) { return std::string(finder_measures()[measure].title); }

/// The table: one row of values for each head.
class FoundTable {
 public:
  FoundTable(const FoundHeads& found, std::optional<std::size_t> measure) : found_(found), measure_(measure) {}

  std::string text() {
    for (const char* const title : {"layer", "head", "name", "measure", "value", "spread"}) add_title("", title);
    add_title("over", "uniform");
    add_title("over", "shuffled");
    if (found_.first_token) {
      add_title("without", "first");
      add_title("", "spread");
    }
    for (const Measure& measure : finder_measures()) {
      const std::string title(measure.title);
      const std::size_t space = title.rfind(' ');
      add_title(space == std::string::npos ? "" : title.substr(0, space),
                space == std::string::npos ? title : title.substr(space + 1));
    }
    for (const FoundHead& head : found_.heads) add(head);
    return table_text(rows_);
  }

 private:
  void add_title(const std::string& first, const std::string& second) {
    rows_[0].push_back(first);
    rows_[1].push_back(second);
  }

  void add(const FoundHead& head) {
    const std::size_t shown = measure_.value_or(head.name.value_or(largest_measure(head)));
    const FoundValue& value = head.values[shown];
    std::string name = head.name ? title_of(*head.name) : "–";
    if (const std::string_view replaced = replaced_in_test(found_, head); !replaced.empty())
      name += " (" + std::string(replaced) + ")";
    std::vector<std::string>& row = rows_.emplace_back();
    row = {std::to_string(head.layer),
           "head " + std::to_string(head.head + 1),
           std::move(name),
           title_of(shown),
           cell_text(value.mean),
           cell_text(value.spread),
           cell_text(value.over_uniform()),
           cell_text(value.over_shuffled())};
    if (!head.without_first.empty()) {
      row.push_back(cell_text(head.without_first[shown].mean));
      row.push_back(cell_text(head.without_first[shown].spread));
    }
    for (const FoundValue& each : head.values) row.push_back(cell_text(each.mean));
  }

  const FoundHeads& found_;
  std::optional<std::size_t> measure_;
  Rows rows_ = Rows(2);
};

/// "25 random tokens, repeated, after the first token <s>".
std::string texts_text(const Model& model, const FoundHeads& found) {
  std::string text = std::to_string(found.tokens) + " random tokens, repeated";
  if (found.first_token) text += ", after the first token " + printable(model.token_text(*found.first_token));
  constexpr std::size_t kMostNamed = 8;
  if (!found.interventions.empty()) text += "; with " + parts_text(found.interventions, kMostNamed);
  return text + edits_text(found.edits);
}

/// What the columns mean.
std::string found_legend(const FoundHeads& found) {
  Rows rows;
  for (const Measure& measure : finder_measures())
    rows.push_back({std::string(measure.title), std::string(measure.definition)});
  rows.push_back({"spread", "Standard deviation over the texts."});
  rows.push_back({"over uniform", "Minus the value of uniform attention under the same mask."});
  rows.push_back({"over shuffled",
                  "Minus the value at the same places when the first copy is in another order: about 0 "
                  "where a head follows positions, not tokens."});
  if (found.first_token) rows.push_back({"without first", "The value without the first token."});
  return table_text(rows) +
         "\nMeasures are means over the queries in the second copy. There, induction is the prefix matching score of\n"
         "Olsson et al. 2022. A head is named after a measure of at least " +
         short_text(kNamedValue) + " that is at least " + short_text(kNamedMargin) +
         " over uniform and,\nif it is duplicate token or induction, over shuffled.\n";
}

ordered_json values_json(const std::vector<FoundValue>& values) {
  ordered_json json;
  for (std::size_t i = 0; i < values.size(); ++i) {
    json[std::string(finder_measures()[i].name)] = {{"value", json_number(values[i].mean)},
                                                    {"spread", json_number(values[i].spread)},
                                                    {"uniform", json_number(values[i].uniform)},
                                                    {"shuffled", json_number(values[i].shuffled)}};
  }
  return json;
}

ordered_json name_json(const FoundHead& head) {
  return head.name ? ordered_json(finder_measures()[*head.name].name) : ordered_json();
}

}  // namespace

void rank_found_heads(FoundHeads& found, std::optional<std::size_t> measure, Index most) {
  if (measure) {
    const auto value = [&](const FoundHead& head) {
      const double mean = head.values[*measure].mean;
      return std::isnan(mean) ? -1 : mean;
    };
    std::ranges::stable_sort(found.heads, [&](const auto& a, const auto& b) { return value(a) > value(b); });
  }
  if (most > 0 && most < std::ssize(found.heads)) found.heads.resize(static_cast<std::size_t>(most));
}

std::string found_text(const Model& model, const FoundHeads& found, std::optional<std::size_t> measure) {
  return texts_text(model, found) + "; means over " + std::to_string(kFinderSeeds) + " texts" +
         (found.encoder ? "; heads of the encoder" : "") + "\n\n" + FoundTable(found, measure).text() + "\n" +
         found_legend(found);
}

std::string found_csv(const FoundHeads& found) {
  std::string text = "tensor,layer,head,name";
  for (const Measure& measure : finder_measures()) {
    for (const char* const column : {"", "_spread", "_uniform", "_shuffled", "_without_first", "_without_first_spread"})
      text += "," + std::string(measure.name) + column;
  }
  text += "\n";
  const auto number = [](double value) { return "," + (std::isnan(value) ? "" : exact_text(value)); };
  for (const FoundHead& head : found.heads) {
    text += "\"" + head.tensor + "\"," + std::to_string(head.layer) + "," + std::to_string(head.head + 1) + "," +
            (head.name ? std::string(finder_measures()[*head.name].name) : "");
    for (std::size_t i = 0; i < head.values.size(); ++i) {
      const FoundValue& value = head.values[i];
      text += number(value.mean) + number(value.spread) + number(value.uniform) + number(value.shuffled);
      text +=
          head.without_first.empty() ? ",," : number(head.without_first[i].mean) + number(head.without_first[i].spread);
    }
    text += "\n";
  }
  return text;
}

ordered_json found_json(const Model& model, const FoundHeads& found) {
  ordered_json heads = ordered_json::array();
  for (const FoundHead& head : found.heads) {
    ordered_json json = {{"tensor", head.tensor},
                         {"layer", head.layer},
                         {"head", head.head + 1},
                         {"name", name_json(head)},
                         {"measures", values_json(head.values)}};
    if (!head.without_first.empty()) json["without_first_token"] = values_json(head.without_first);
    heads.push_back(std::move(json));
  }
  ordered_json first;
  if (found.first_token) first = {{"id", *found.first_token}, {"text", model.token_text(*found.first_token)}};
  ordered_json interventions = ordered_json::array();
  for (const Intervention& each : found.interventions)
    interventions.push_back(part_name(each) + " " + std::string(kind_name(each.kind)));
  return {{"random_tokens", found.tokens},
          {"texts", kFinderSeeds},
          {"first_token", std::move(first)},
          {"interventions", std::move(interventions)},
          {"heads", std::move(heads)}};
}

}  // namespace attnscope
