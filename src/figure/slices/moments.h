// The computation of one query's attention, moment by moment: for figures that show it being done.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/region.h"
#include "figure/slices/attention_parts.h"
#include "figure/slices/dot_numbers.h"
#include "figure/slices/tensor_rows.h"

namespace attnscope {

/// What has just been computed.
struct Moment {
  enum class Part {
    products,  ///< of the elements of the query and of the first key, added up
    scores,
    biased,
    masked,
    powers,  ///< of e, the first half of the softmax
    weights,
    dropped,
    values,  ///< times their weights, added up
    merged,  ///< the outputs of all heads
    output
  };

  Part part = Part::products;
  Index done = 0;  ///< products: terms of the sum; scores and values: keys; 1 for the others

  friend bool operator==(const Moment&, const Moment&) = default;
};

/// An attention of one query that can be shown moment by moment.
struct PlayedQuery {
  AttentionParts parts;
  DotNumbers numbers;                ///< of the first key
  std::optional<TensorRows> values;  ///< nothing: the trace has none, and no moments of them
  std::vector<Moment> moments;

  [[nodiscard]] const Moment& moment(Index number) const;
  /// The numbers of tensor `step` in the query's row, one for each key.
  [[nodiscard]] std::vector<double> row(const Trace& trace, const Step& step) const;
  /// The value of key `key`, [dim].
  [[nodiscard]] std::vector<double> value(const Trace& trace, Index key) const;
  /// What the weighted values are multiplied by: the weights, or what dropout left of them.
  [[nodiscard]] const Step& factors() const { return parts.dropped != nullptr ? *parts.dropped : *parts.weights; }
};

/// The option `moment` of a view: 0 is all of it. And `query`, the one that is played.
Parameter moment_option();
Parameter query_option();

/// The moment that the options choose; 0: none.
Index chosen_moment(const ParameterValues& options);

/// The moments of the attention with these weights; empty where scores are not dot products. From the products to the
/// output, or `of_pair`: to the weight of one key.
std::vector<Moment> moments_of(const Trace& trace, const Step& weights, bool of_pair);

/// What the options choose: `attention`, `layer`, `head`, `item`, `stage` and `query`. Nothing where there are no moments.
std::optional<PlayedQuery> played_query(const Trace& trace, const ViewOptions& options);

/// The tensors whose matrices show the moment that the options choose, for a figure of these alone: the attention, at last
/// the heads together and the output. Empty where there are no moments.
std::vector<std::string> played_tensors(const Trace& trace, const ViewOptions& options);

/// The weighted values of the first keys, added up: [dim].
std::vector<double> blended_values(const Trace& trace, const PlayedQuery& played, Index keys);

/// The query's row of a tensor, of its head and item; nothing where the tensor has no axis of queries.
std::optional<Region> query_row(const PlayedQuery& played, const Trace& trace, const Step& step);

/// What happens at a moment, in a sentence.
std::string moment_text(const PlayedQuery& played, const Moment& moment);

}  // namespace attnscope
