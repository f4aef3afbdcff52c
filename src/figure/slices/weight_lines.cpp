#include "figure/slices/weight_lines.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/plan/region.h"
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

}  // namespace

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
  const auto side = static_cast<Index>(std::sqrt(kMaxStrands / static_cast<double>(lines.heads.count)));
  const Index most = std::min(kMaxTokens, side);
  lines.queries = window_around(queries, most, lines.query);
  lines.keys = window_around(keys, most, queries == keys ? lines.query : 0);
  return lines;
}

WeightRows::WeightRows(const Trace& trace, const WeightLines& lines, const StopToken& stop)
    : heads_(lines.heads), queries_(lines.queries), keys_(lines.keys.of) {
  const Step& step = trace.steps()[static_cast<std::size_t>(lines.step)];
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

std::shared_ptr<const WeightRows> weight_rows(const Trace& trace, const WeightLines& lines,
                                              const ViewOptions& options) {
  const auto make = [&]() -> std::shared_ptr<const WeightRows> {
    auto rows = std::make_shared<const WeightRows>(trace, lines, options.stop);
    return options.stop.stop_requested() ? nullptr : rows;
  };
  const bool held = trace.steps()[static_cast<std::size_t>(lines.step)].tensor != nullptr;
  if (held || options.cache == nullptr) return make();
  const auto key = std::make_tuple(trace.lazy(), lines.step, lines.item, lines.heads.first, lines.heads.count,
                                   lines.queries.first, lines.queries.count);
  return options.cache->find_or_make<WeightRows>(key, make);
}

}  // namespace attnscope
