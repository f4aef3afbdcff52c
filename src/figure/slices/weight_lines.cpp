#include "figure/slices/weight_lines.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/plan/region.h"
#include "figure/layout/page.h"
#include "figure/slices/matrix.h"

namespace attnscope {
namespace {

constexpr Index kMaxTokens = 64;
constexpr Index kMaxHeads = 32;
constexpr double kMaxStrands = 40000;

/// All of them, or the block of `most` that contains `chosen`.
IndexWindow window_around(Index of, Index most, Index chosen) {
  const Index first = std::clamp<Index>(chosen, 0, of - 1) / most * most;
  return {first, std::min(most, of - first), of};
}

/// On each side.
Index most_tokens(Index heads) {
  return std::min(kMaxTokens, static_cast<Index>(std::sqrt(kMaxStrands / static_cast<double>(heads))));
}

Index most_tokens(const Trace& trace, const ParameterValues& options) {
  const auto heads = options.find("heads");
  const bool has_all = heads != options.end() && heads->second == ParameterValue(std::string("all"));
  return most_tokens(has_all ? std::min(kMaxHeads, option_limit(trace, "head", options)) : 1);
}

}  // namespace

Index ShownKeys::place(Index key) const {
  const auto found = std::ranges::lower_bound(keys, key);
  return found != keys.end() && *found == key ? found - keys.begin() : -1;
}

std::string IndexWindow::text(const std::string& what) const {
  return what + " " + grouped_text(first + 1) + " to " + grouped_text(end()) + " of " + grouped_text(of);
}

WeightLines weight_lines(const Trace& trace, const ViewOptions& options) {
  WeightLines lines;
  lines.of = selected_attention(trace, options.values);
  const Step& step = *lines.of.weights;
  lines.step = static_cast<int>(&step - trace.steps().data());
  const Slice slice = selected_slice(trace, options.values);
  lines.item = slice.item;
  lines.head = slice.head;
  const Index heads = option_limit(trace, "head", options.values);
  const bool all = options.choice("heads") == "all";
  lines.heads = all ? window_around(heads, kMaxHeads, slice.head) : IndexWindow{slice.head, 1, heads};
  const Index queries = step.axes[step.axes.size() - 2].size;
  const Index keys = step.axes.back().size;
  lines.query = std::min(options.integer("query"), queries) - 1;
  lines.mass = options.real("mass");
  const Index most = most_tokens(lines.heads.count);
  const Index first = lines.query >= 0 ? lines.query : (options.integer("page") - 1) * most;
  lines.queries = window_around(queries, most, first);
  const IndexWindow window = window_around(keys, most, queries == keys ? lines.queries.first : 0);
  lines.keys.of = keys;
  lines.keys.keys.resize(static_cast<std::size_t>(window.count));
  std::iota(lines.keys.keys.begin(), lines.keys.keys.end(), window.first);
  return lines;
}

Index line_pages(const Trace& trace, const ParameterValues& options) {
  const Axes& axes = selected_attention(trace, options).weights->axes;
  return page_count(axes[axes.size() - 2].size, most_tokens(trace, options));
}

bool leaves_out_keys(const Trace& trace, const ParameterValues& options) {
  return selected_attention(trace, options).weights->axes.back().size > most_tokens(trace, options);
}

WeightRows::WeightRows(const Trace& trace, const WeightLines& lines, const StopToken& stop)
    : heads_(lines.heads), queries_(lines.queries), keys_(lines.keys.of) {
  const Step& step = trace.step(lines.step);
  for (Index head = heads_.first; head < heads_.end() && !stop.stop_requested(); ++head) {
    const std::vector<Index> leading = leading_index(step.axes, 2, head, lines.item);
    Region region = region_within(lines.step, step.axes, leading);
    region.begin[leading.size()] = queries_.first;
    region.end[leading.size()] = queries_.end();
    numbers_.push_back(trace.numbers(region, {trace.experiment().seed, nullptr, stop}));
  }
}

std::span<const float> WeightRows::row(Index head, Index query) const {
  const Tensor& numbers = *numbers_[static_cast<std::size_t>(head - heads_.first)];
  return numbers.values().subspan(static_cast<std::size_t>((query - queries_.first) * keys_),
                                  static_cast<std::size_t>(keys_));
}

ShownKeys strongest_keys(const WeightLines& lines, const WeightRows& rows) {
  std::vector<float> largest(static_cast<std::size_t>(lines.keys.of), 0);
  for (Index head = lines.heads.first; head < lines.heads.end(); ++head) {
    for (Index query = lines.queries.first; query < lines.queries.end(); ++query) {
      if (!lines.shows_query(query)) continue;
      const std::span<const float> row = rows.row(head, query);
      for (std::size_t key = 0; key < row.size(); ++key) largest[key] = std::max(largest[key], row[key]);
    }
  }
  ShownKeys shown = lines.keys;
  std::vector<Index> order(largest.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto stronger = [&](Index a, Index b) {
    const float of_a = largest[static_cast<std::size_t>(a)];
    const float of_b = largest[static_cast<std::size_t>(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  };
  std::ranges::partial_sort(order, order.begin() + shown.count(), stronger);
  shown.keys.assign(order.begin(), order.begin() + shown.count());
  std::ranges::sort(shown.keys);
  return shown;
}

std::shared_ptr<const WeightRows> weight_rows(const Trace& trace, const WeightLines& lines,
                                              const ViewOptions& options) {
  const auto make = [&]() -> std::shared_ptr<const WeightRows> {
    auto rows = std::make_shared<const WeightRows>(trace, lines, options.stop);
    return options.stop.stop_requested() ? nullptr : rows;
  };
  const bool held = trace.step(lines.step).tensor != nullptr;
  if (held || options.cache == nullptr) return make();
  const auto key = std::make_tuple(trace.lazy(), lines.step, lines.item, lines.heads.first, lines.heads.count,
                                   lines.queries.first, lines.queries.count);
  return options.cache->find_or_make<WeightRows>(key, make);
}

}  // namespace attnscope
