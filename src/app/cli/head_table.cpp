#include "app/cli/head_table.h"

#include <algorithm>
#include <set>

#include "app/cli/commands_tables.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

using Cells = std::vector<std::string>;

const MeasureRow& row_of(const std::vector<MeasuredAttention>& attentions, const PlacedHead& place) {
  return attentions[place.attention].measures.heads[place.head];
}

/// Whether layer numbers do not say which attention is meant.
bool needs_names(const std::vector<MeasuredAttention>& attentions) {
  std::set<std::optional<Index>> layers;
  for (const MeasuredAttention& each : attentions) layers.insert(each.layer);
  return layers.size() < attentions.size() || layers.contains(std::nullopt);
}

class HeadTable {
 public:
  HeadTable(std::span<const TableRow> rows, const HeadRanking& ranking)
      : rows_(rows), ranking_(ranking), named_(needs_names(attentions())) {}

  std::string text() {
    for (const std::string& title : titles()) add_title(title);
    if (ranking_.measure) add_title("");
    for (std::size_t i = 0; i < ranking_.heads.size(); ++i) add_head(i);
    const auto is_like_first = [&](std::size_t attention) {
      return std::ranges::all_of(rows_, [&](const TableRow& row) {
        return (*row.attentions)[attention].measures.uniform == row.attentions->front().measures.uniform;
      });
    };
    bool is_one = true;
    for (std::size_t i = 0; i < attentions().size(); ++i) is_one = is_one && is_like_first(i);
    for (std::size_t i = 0; i < (is_one ? 1 : attentions().size()); ++i) {
      const auto uniform = [&](const TableRow& row) { return (*row.attentions)[i].measures.uniform; };
      add(is_one ? Cells(named_ ? 2 : 1) : names_of(attentions()[i]), "uniform", uniform);
    }
    return table_text(lines_);
  }

 private:
  /// Which attentions there are: those of all rows are the same.
  [[nodiscard]] const std::vector<MeasuredAttention>& attentions() const { return *rows_.front().attentions; }

  [[nodiscard]] Cells titles() const {
    Cells titles = {"layer", "head"};
    if (named_) titles.insert(titles.begin(), "weights");
    if (rows_.size() > 1) titles.emplace_back();
    for (const Measure& measure : measures()) titles.emplace_back(measure.title);
    return titles;
  }

  /// "normalized entropy" above each other.
  void add_title(const std::string& title) {
    const std::size_t space = title.rfind(' ');
    lines_[0].push_back(space == std::string::npos ? "" : title.substr(0, space));
    lines_[1].push_back(space == std::string::npos ? title : title.substr(space + 1));
  }

  [[nodiscard]] Cells names_of(const MeasuredAttention& attention) const {
    const std::string layer = attention.layer ? std::to_string(*attention.layer) : "–";
    return named_ ? Cells{attention.measures.tensor, layer} : Cells{layer};
  }

  /// Adds the rows of one head; `values` finds its values in a row.
  template <typename Values>
  void add(Cells names, const std::string& head, const Values& values) {
    names.push_back(head);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Cells& line = lines_.emplace_back(i == 0 ? names : Cells(names.size()));
      if (rows_.size() > 1) line.push_back(rows_[i].title);
      for (const std::optional<double>& value : values(rows_[i])) line.push_back(table_value(value, rows_[i].decimals));
    }
  }

  void add_head(std::size_t at) {
    const PlacedHead& place = ranking_.heads[at];
    const std::size_t line = lines_.size();
    add(names_of(attentions()[place.attention]), "head " + std::to_string(place.head + 1),
        [&](const TableRow& row) { return row_of(*row.attentions, place); });
    if (at < ranking_.winners) lines_[line].push_back("← largest " + std::string(measures()[*ranking_.measure].title));
  }

  std::span<const TableRow> rows_;
  const HeadRanking& ranking_;
  bool named_;
  std::vector<Cells> lines_ = std::vector<Cells>(2);
};

}  // namespace

HeadRanking ranked_heads(const std::vector<MeasuredAttention>& attentions, std::optional<std::size_t> measure,
                         Index most) {
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
      return value(place) && table_value(value(place)) == table_value(value(ranking.heads.front()));
    };
    const auto smaller = std::ranges::find_if_not(ranking.heads, is_largest);
    if (smaller != ranking.heads.end() && value(*smaller))
      ranking.winners = static_cast<std::size_t>(smaller - ranking.heads.begin());
  }
  if (most > 0 && most < std::ssize(ranking.heads)) ranking.heads.resize(static_cast<std::size_t>(most));
  return ranking;
}

std::string head_table_text(std::span<const TableRow> rows, const HeadRanking& ranking) {
  return HeadTable(rows, ranking).text();
}

std::string table_value(const std::optional<double>& value, int decimals) {
  return value ? fixed_text(*value, decimals) : "–";
}

std::string measure_legend() {
  std::vector<Cells> rows;
  for (const Measure& measure : measures())
    rows.push_back({std::string(measure.title), std::string(measure.definition)});
  return table_text(rows);
}

}  // namespace attnscope
