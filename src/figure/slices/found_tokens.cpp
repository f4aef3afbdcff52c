#include "figure/slices/found_tokens.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "figure/slices/matrix.h"
#include "figure/slices/token_names.h"

namespace attnscope {
namespace {

class TokenSearchIn {
 public:
  TokenSearchIn(const Trace& trace, const IsWanted& is_wanted, Index position)
      : trace_(trace), is_wanted_(is_wanted), position_(position) {}

  void add(const TargetMark& target) {
    if (!target.token) return;
    const auto& [position, name] = *target.token;
    if (position == position_ || is_wanted_(position, name)) add(position, name, target.box);
  }

  void add(const HeatmapMark& mark) {
    if (mark.empty()) return;
    const std::size_t rank = mark.axes.size();
    const bool of_tokens = mark.step >= 0 && rank >= 2 && mark.column_axes == 1 && mark.pixels_across == 0;
    const auto row = [&](Index position, const std::string& name) {
      const double height = mark.box.height / static_cast<double>(mark.rows());
      add(position, name, {mark.box.x, mark.box.y + static_cast<double>(position) * height, mark.box.width, height});
    };
    const auto column = [&](Index position, const std::string& name) {
      const double width = mark.box.width / static_cast<double>(mark.columns());
      add(position, name, {mark.box.x + static_cast<double>(position) * width, mark.box.y, width, mark.box.height});
    };
    if (!of_tokens) {
      add_labels(mark.row_labels, row);
      add_labels(mark.column_labels, column);
      return;
    }
    for (const auto& [position, name] : wanted(mark, rank - (mark.transposed ? 1 : 2))) row(position, name);
    for (const auto& [position, name] : wanted(mark, rank - (mark.transposed ? 2 : 1))) column(position, name);
  }

  std::vector<FoundToken> take() {
    std::vector<FoundToken> all;
    all.reserve(found_.size());
    for (auto& [token, places] : found_) all.push_back({token.first, token.second, std::move(places)});
    return all;
  }

 private:
  using Named = std::pair<Index, std::string>;

  /// The wanted tokens along an axis of the mark. Many marks have the same axes.
  const std::vector<Named>& wanted(const HeatmapMark& mark, std::size_t axis_number) {
    const Index item = batch_item(mark.axes, mark.leading);
    const Axis& axis = mark.axes[axis_number];
    const std::string& tensor = trace_.step(mark.step).name;
    // All layers of a model have the tokens of one text.
    const ModelText* const text = counted_text(trace_.experiment(), tensor, axis);
    const auto [entry, is_new] =
        known_.try_emplace({text, text != nullptr ? -1 : mark.step, axis.name, axis.size, item});
    std::vector<Named>& known = entry->second;
    if (!is_new || !counts_tokens(axis)) return known;
    const TokenNames names(trace_, tensor, axis, item);
    const auto ask = [&](Index i) {
      const std::string name = names.of(i).value_or(position_number(i));
      if (i == position_ || is_wanted_(i, name)) known.emplace_back(i, name);
    };
    for (Index i = 0; i < std::min(axis.size, kMostSearched); ++i) ask(i);
    if (position_ >= kMostSearched && position_ < axis.size) ask(position_);
    return known;
  }

  /// What a figure writes beside rows or columns. Numbers there count something else.
  template <typename Add>
  void add_labels(const Labels& labels, const Add& add_place) {
    if (labels.are_counted()) return;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto position = static_cast<Index>(i);
      if (is_wanted_(position, labels[i])) add_place(position, labels[i]);
    }
  }

  void add(Index position, const std::string& name, const Rect& place) {
    if (places_ >= kMostPlaces) return;
    ++places_;
    found_[{position, name}].push_back(place);
  }

  const Trace& trace_;
  const IsWanted& is_wanted_;
  Index position_;
  using TokenAxis = std::tuple<const ModelText*, int, std::string, Index, Index>;
  std::map<TokenAxis, std::vector<Named>> known_;  ///< by text or step, axis and item
  std::map<Named, std::vector<Rect>> found_;
  Index places_ = 0;
};

}  // namespace

Point FoundToken::center(double width) const {
  const Rect& first = places.front();
  const bool is_row = first.width > first.height;
  if (is_row && places.size() > 1) {
    const Rect& second = places[1];
    const bool same_matrix = second.y <= first.y && second.bottom() >= first.bottom() && second.x >= first.x &&
                             second.right() <= first.right();
    if (same_matrix) return {second.center().x, first.center().y};
  }
  return {first.x + std::min(first.width, width) / 2, first.center().y};
}

std::vector<FoundToken> find_tokens(const Figure& figure, const Trace& trace, const IsWanted& is_wanted,
                                    Index position) {
  TokenSearchIn search(trace, is_wanted, position);
  for (const HeatmapMark& mark : figure.heatmaps) search.add(mark);
  for (const TargetMark& target : figure.targets) search.add(target);
  return search.take();
}

bool has_more_tokens(const Figure& figure) {
  return std::ranges::any_of(figure.heatmaps, [](const HeatmapMark& mark) {
    return mark.step >= 0 && std::max(mark.rows(), mark.columns()) > kMostSearched;
  });
}

}  // namespace attnscope
