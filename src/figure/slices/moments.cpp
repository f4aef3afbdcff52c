#include "figure/slices/moments.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "core/base/text.h"
#include "figure/slices/head_vectors.h"
#include "figure/slices/selected.h"

namespace attnscope {
namespace {

// So many moments at most does a sum of many terms take: what is the same again and again goes by in groups.
constexpr Index kMostOfOnePart = 16;
constexpr Index kMostOfPair = 32;

using Part = Moment::Part;

/// Adds the moments of a part with `count` terms, from the one after `done` on.
void append_moments(std::vector<Moment>& list, Part part, Index done, Index count, Index most) {
  const Index left = count - done;
  const Index groups = std::min(left, most);
  for (Index i = 1; i <= groups; ++i) list.push_back({part, done + left * i / groups});
}

}  // namespace

const Moment& PlayedQuery::moment(Index number) const {
  return moments[static_cast<std::size_t>(std::clamp<Index>(number, 1, std::ssize(moments)) - 1)];
}

std::vector<double> PlayedQuery::row(const Trace& trace, const Step& step) const {
  return row_numbers(trace, static_cast<int>(&step - trace.steps().data()), numbers.at);
}

std::vector<double> PlayedQuery::value(const Trace& trace, Index key) const {
  return numbers_of(trace, *values, std::span(&key, 1));
}

Parameter moment_option() {
  return integer_parameter("moment", "Moment", "How far one query's attention is computed; 0: to its end.", 0, 0, 60);
}

Parameter query_option() {
  return integer_parameter("query", "Query", "The query whose attention is played.", 1, 1, 10);
}

Index chosen_moment(const ParameterValues& options) {
  const auto found = options.find("moment");
  return found == options.end() ? 0 : std::get<Index>(found->second);
}

std::vector<Moment> moments_of(const Trace& trace, const Step& weights, bool of_pair) {
  const std::optional<DotProduct> product = dot_product(trace, weights.name);
  if (!product) return {};
  const AttentionParts parts = attention_parts(trace, weights);
  std::vector<Moment> list;
  append_moments(list, Part::products, 0, product->dims, of_pair ? kMostOfPair : kMostOfOnePart);
  list.push_back({Part::scores, 1});
  // Of one pair, the other keys follow at once, with the last step before the softmax.
  const bool follows = of_pair && (parts.biased != nullptr || parts.masked != nullptr);
  if (!follows) append_moments(list, Part::scores, 1, product->keys, of_pair ? 1 : kMostOfOnePart);
  if (parts.biased != nullptr) list.push_back({Part::biased, 1});
  if (parts.masked != nullptr) list.push_back({Part::masked, 1});
  list.push_back({Part::powers, 1});
  list.push_back({Part::weights, 1});
  if (of_pair) return list;
  if (parts.dropped != nullptr) list.push_back({Part::dropped, 1});
  const std::vector<Index> first(weights.axes.size(), 0);
  if (!value_rows(trace, *product, first)) return list;
  append_moments(list, Part::values, 0, product->keys, kMostOfOnePart);
  if (parts.merged != nullptr) list.push_back({Part::merged, 1});
  if (parts.output != nullptr) list.push_back({Part::output, 1});
  return list;
}

std::optional<PlayedQuery> played_query(const Trace& trace, const ViewOptions& options) {
  const SelectedAttention shown = shown_attention(trace, options.values);
  if (shown.weights == nullptr) return std::nullopt;
  PlayedQuery played;
  played.moments = moments_of(trace, *shown.weights, false);
  if (played.moments.empty()) return std::nullopt;
  ViewOptions first = options;
  first.values["key"] = Index{1};
  played.parts = attention_parts(trace, *shown.weights);
  played.numbers = dot_numbers(trace, *dot_product(trace, shown.weights->name), first);
  played.values = value_rows(trace, played.numbers.product, played.numbers.at);
  return played;
}

std::vector<std::string> played_tensors(const Trace& trace, const ViewOptions& options) {
  const Index number = chosen_moment(options.values);
  const std::optional<PlayedQuery> played = number > 0 ? played_query(trace, options) : std::nullopt;
  if (!played) return {};
  const AttentionParts& parts = played->parts;
  const Moment::Part part = played->moment(number).part;
  if (part >= Moment::Part::merged) return {(parts.output != nullptr ? parts.output : parts.merged)->name};
  // Behind a mask or a bias, weights are not made from the scores at once.
  std::vector<std::string> names = {parts.scores->name, parts.weights->name};
  for (const Step* const head : parts.heads) names.push_back(head->name);
  return names;
}

std::vector<double> blended_values(const Trace& trace, const PlayedQuery& played, Index keys) {
  const std::vector<double> factors = played.row(trace, played.factors());
  std::vector<Index> which(static_cast<std::size_t>(keys));
  std::iota(which.begin(), which.end(), Index{0});
  const std::vector<double> rows = numbers_of(trace, *played.values, which);
  const auto dims = static_cast<std::size_t>(played.values->dims);
  std::vector<double> sums(dims, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) sums[i % dims] += factors[i / dims] * rows[i];
  return sums;
}

std::optional<Region> query_row(const PlayedQuery& played, const Trace& trace, const Step& step) {
  const Axes& scores = played.parts.scores->axes;
  Region region = whole_region(static_cast<int>(&step - trace.steps().data()), step.axes);
  bool has_queries = false;
  for (std::size_t i = 0; i + 1 < scores.size(); ++i) {
    const bool of_queries = i + 2 == scores.size();
    for (std::size_t axis = 0; axis < step.axes.size(); ++axis) {
      // Behind the heads, queries are tokens again.
      const std::string& name = step.axes[axis].name;
      const bool same = name == scores[i].name || (of_queries && name == "token" && scores[i].name == "query");
      if (!same || step.axes[axis].size != scores[i].size) continue;
      region.begin[axis] = played.numbers.at[i];
      region.end[axis] = region.begin[axis] + 1;
      has_queries = has_queries || of_queries;
    }
  }
  return has_queries ? std::optional(std::move(region)) : std::nullopt;
}

namespace {

std::string after_softmax_text(const PlayedQuery& played, Part part) {
  switch (part) {
    case Part::dropped: return "dropout sets some weights to 0 and divides the others by the share that is kept";
    case Part::values: return "the values of the keys, each times its weight, add up to the output of the head";
    case Part::merged: return "the outputs of all heads stand side by side";
    case Part::output:
      return played.parts.merged != nullptr ? "the last projection mixes the outputs of the heads"
                                            : "the last projection makes the output";
    default: return "softmax, second half: each power is divided by the sum, so that the weights sum to 1";
  }
}

}  // namespace

std::string moment_text(const PlayedQuery& played, const Moment& moment) {
  const DotNumbers& n = played.numbers;
  const bool scaled = !n.product.product->divisor_text.empty();
  switch (moment.part) {
    case Part::products: return "the products of the query's and the first key's elements are added up";
    case Part::scores:
      if (moment.done > 1) return "the scores of the other keys come about in the same way";
      return scaled ? "the sum divided by " + n.product.product->divisor_text + " is the score"
                    : "the sum is the score";
    case Part::biased: return "each score loses a penalty that grows with the distance of its key";
    case Part::masked: {
      const auto hidden = std::count(n.masked.begin(), n.masked.end(), true);
      if (hidden == 0) return "the mask hides no key from this query";
      return "the mask hides " + grouped_text(hidden) + (hidden == 1 ? " key" : " keys") + " from this query";
    }
    case Part::powers: {
      const double temperature = n.product.temperature;
      return "softmax, first half: e to the power of each score" +
             (temperature == 1 ? "" : " divided by the temperature " + exact_text(temperature)) +
             ", and the sum of these powers";
    }
    default: return after_softmax_text(played, moment.part);
  }
}

}  // namespace attnscope
