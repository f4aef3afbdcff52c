#include "app/cli/text_averages.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "io/base/json_value.h"

namespace attnscope {
namespace {

using nlohmann::ordered_json;

struct NamedNumber {
  const char* suffix;  ///< in CSV, after the name of the measure
  const char* key;     ///< in JSON
  double MeasureAverage::*number;
};
constexpr std::array<NamedNumber, 4> kNumbers = {{{"", "mean", &MeasureAverage::mean},
                                                  {"_spread", "spread", &MeasureAverage::spread},
                                                  {"_smallest", "smallest", &MeasureAverage::smallest},
                                                  {"_largest", "largest", &MeasureAverage::largest}}};

/// One number of each average, as `number` gives it, in place of the measures.
template <typename Number>
std::vector<MeasuredAttention> each_number(const TextStudy& study, const Number& number) {
  const auto row_of = [&](const MeasureAverages& averages) {
    MeasureRow row;
    for (const MeasureAverage& each : averages) {
      const double value = number(each);
      row.push_back(std::isnan(value) ? std::nullopt : std::optional(value));
    }
    return row;
  };
  std::vector<MeasuredAttention> attentions;
  for (const AttentionAverages& each : study.attentions) {
    MeasuredAttention& attention = attentions.emplace_back();
    attention.measures.tensor = each.tensor;
    attention.layer = each.layer;
    for (const MeasureAverages& head : each.heads) attention.measures.heads.push_back(row_of(head));
    attention.measures.uniform = row_of(each.uniform);
  }
  return attentions;
}

/// Whether a measure that any head has lacks a number for some of the texts.
bool misses_texts(const StudiedTexts& texts) {
  const auto misses = [&](const MeasureAverages& averages) {
    return std::ranges::any_of(averages, [&](const MeasureAverage& each) { return each.count % texts.count != 0; });
  };
  return std::ranges::any_of(texts.study.attentions, [&](const AttentionAverages& each) {
    return misses(each.uniform) || std::ranges::any_of(each.heads, misses);
  });
}

/// "200 texts of 5 to 31 tokens".
std::string texts_summary(const StudiedTexts& texts) {
  const Index fewest = texts.checked.fewest_tokens;
  const Index most = texts.checked.most_tokens;
  return grouped_text(texts.count) + (texts.count == 1 ? " text of " : " texts of ") +
         (fewest == most ? "" : grouped_text(fewest) + " to ") + grouped_text(most) +
         (most == 1 ? " token" : " tokens");
}

std::string averages_line(const AttentionAverages& attention, const std::string& head,
                          const MeasureAverages& averages) {
  std::string line = "\"" + attention.tensor + "\"," + std::to_string(attention.layer) + "," + head;
  for (const MeasureAverage& each : averages) {
    for (const NamedNumber& number : kNumbers)
      line += "," + (std::isnan(each.*number.number) ? "" : exact_text(each.*number.number));
    line += "," + std::to_string(each.count);
  }
  return line + "\n";
}

ordered_json averages_row_json(const MeasureAverages& averages) {
  ordered_json measured;
  for (std::size_t i = 0; i < averages.size(); ++i) {
    ordered_json& json = measured[std::string(measures()[i].name)];
    for (const NamedNumber& number : kNumbers) {
      const double value = averages[i].*number.number;
      json[number.key] = std::isnan(value) ? ordered_json() : json_number(value);
    }
    json["texts"] = averages[i].count;
  }
  return measured;
}

}  // namespace

std::vector<MeasuredAttention> mean_measures(const TextStudy& study) {
  return each_number(study, [](const MeasureAverage& each) { return each.mean; });
}

std::string averages_text(const StudiedTexts& texts, const HeadRanking& ranking) {
  const std::vector<MeasuredAttention> means = mean_measures(texts.study);
  const std::vector<MeasuredAttention> spreads =
      each_number(texts.study, [](const MeasureAverage& each) { return each.spread; });
  const std::vector<MeasuredAttention> counts =
      each_number(texts.study, [](const MeasureAverage& each) { return static_cast<double>(each.count); });
  std::vector<TableRow> rows = {{"mean", &means}, {"spread", &spreads}};
  if (misses_texts(texts)) rows.push_back({"texts", &counts, 0});
  return texts_summary(texts) + "; mean over the texts and spread (standard deviation)" +
         (rows.size() > 2 ? ", and the texts that have a number" : "") + "\n\n" + head_table_text(rows, ranking) +
         "\n" + measure_legend();
}

std::string averages_csv(const StudiedTexts& texts, const HeadRanking& ranking) {
  std::string text = "tensor,layer,head";
  for (const Measure& measure : measures()) {
    for (const NamedNumber& number : kNumbers) text += "," + std::string(measure.name) + number.suffix;
    text += "," + std::string(measure.name) + "_texts";
  }
  text += "\n";
  for (const PlacedHead& place : ranking.heads) {
    const AttentionAverages& attention = texts.study.attentions[place.attention];
    text += averages_line(attention, std::to_string(place.head + 1), attention.heads[place.head]);
  }
  for (const AttentionAverages& each : texts.study.attentions) text += averages_line(each, "uniform", each.uniform);
  return text;
}

ordered_json averages_json(const StudiedTexts& texts, const HeadRanking& ranking) {
  ordered_json heads = ordered_json::array();
  for (const PlacedHead& place : ranking.heads) {
    const AttentionAverages& attention = texts.study.attentions[place.attention];
    heads.push_back({{"tensor", attention.tensor},
                     {"layer", attention.layer},
                     {"head", place.head + 1},
                     {"measures", averages_row_json(attention.heads[place.head])}});
  }
  ordered_json uniform = ordered_json::array();
  for (const AttentionAverages& each : texts.study.attentions)
    uniform.push_back({{"tensor", each.tensor}, {"layer", each.layer}, {"measures", averages_row_json(each.uniform)}});
  return {{"texts", texts.count},
          {"fewest_tokens", texts.checked.fewest_tokens},
          {"most_tokens", texts.checked.most_tokens},
          {"heads", std::move(heads)},
          {"uniform", std::move(uniform)}};
}

}  // namespace attnscope
