#include "figure/blocks/found_table.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "core/heads/head_rows.h"
#include "figure/blocks/head_table.h"
#include "figure/slices/found_heads.h"

namespace attnscope {
namespace {

std::string measure_name(std::size_t measure) { return std::string(finder_measures()[measure].title); }

/// The rule by which heads are named.
std::string naming_rule() {
  return "A head is named after a measure of at least " + short_text(kNamedValue) + " that is at least " +
         short_text(kNamedMargin) + " above uniform attention\nand, if it is duplicate token or induction, above " +
         "shuffled tokens: the same places when the first copy is in another order.";
}

std::string note_on(const Trace& trace, const FoundHeads& found) {
  std::string note = std::to_string(found.tokens) + " tokens, twice";
  if (found.first_token) note += ", after the first token " + trace.experiment().model->token_text(*found.first_token);
  note += tested_with(trace);
  return note + "; means over " + std::to_string(kFinderSeeds) + " texts; marks on the bars: uniform attention";
}

/// A measure of a head with all that it is compared with.
std::string about(const FoundHead& head, const HeadTableRow& row, std::size_t measure) {
  const FoundValue& value = head.values[measure];
  std::string words = capitalized(measure_name(measure)) + " of " + row.layer + ", head " +
                      std::to_string(head.head + 1) + ": " + number_text(value.mean) + " ± " +
                      number_text(value.spread) + "\nuniform attention: " + number_text(value.uniform) +
                      "; shuffled tokens: " + number_text(value.shuffled);
  if (!head.without_first.empty()) {
    const FoundValue& without = head.without_first[measure];
    words += "\nwithout the first token: " + number_text(without.mean) + " ± " + number_text(without.spread);
  }
  return words;
}

HeadTableRow row_of(const FoundHeads& found, const FoundHead& head, const std::map<std::string, std::string>& titles) {
  const auto title = titles.find(head.tensor);
  HeadTableRow row = {head.tensor, title != titles.end() ? title->second : "layer " + std::to_string(head.layer),
                      head.layer - 1, head.head};
  for (const FoundValue& value : head.values)
    row.cells.push_back({std::isnan(value.mean) ? std::nullopt : std::optional(value.mean), value.uniform});
  if (!head.name) return row;
  row.name = measure_name(*head.name);
  if (const std::string_view replaced = replaced_in_test(found, head); !replaced.empty())
    row.name += " (" + std::string(replaced) + ")";
  return row;
}

}  // namespace

Index found_pages(const Trace& trace) {
  Index heads = 0;
  for (const LayerAttention& each : layer_attentions(trace)) {
    if (each.kind == AttentionKind::self || each.kind == AttentionKind::encoder)
      heads += heads_in(trace.step(each.weights).axes);
  }
  return head_table_pages(heads);
}

Figure found_figure(const Trace& trace, const FoundHeads& found, const ViewOptions& options) {
  std::map<std::string, std::string> titles;
  for (const LayerAttention& each : layer_attentions(trace)) titles[trace.step(each.weights).name] = title_of(each);
  HeadTable table = {.id = "found",
                     .title = "Every head on random tokens, repeated",
                     .note = note_on(trace, found),
                     .measures = finder_measures(),
                     .about_measures = "\nHere: of the queries in the second copy.",
                     .naming_rule = naming_rule(),
                     .none = "No head has a name.",
                     .is_share = true,
                     .only_named = options.choice("show") != "all",
                     .min_column = 72};
  while (finder_measures()[table.mapped].name != "induction") ++table.mapped;
  for (const FoundHead& head : found.heads) table.rows.push_back(row_of(found, head, titles));
  table.about = [&](const HeadTableRow& row, std::size_t measure) {
    return about(found.heads[static_cast<std::size_t>(&row - table.rows.data())], row, measure);
  };
  return head_table_figure(trace, table, options);
}

}  // namespace attnscope
