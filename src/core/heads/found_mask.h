// The mask that imported weights show: weights that a mask took away are exactly 0.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

/// What the weights of all heads of one layer and batch item leave out.
struct FoundMask {
  /// Every weight above the diagonal is 0, and some weight on or below it is not, beside those of the first key.
  bool causal = false;
  std::vector<bool> padding;  ///< [key]: its weight is 0 in every head and query; empty: there is no such key
  /// Whether the padding is certain enough to leave it out as queries too: two keys or more are left, and most weights to
  /// them are not 0, as a softmax makes them. Heads made by hand leave out keys without a mask.
  bool is_soft = false;

  [[nodiscard]] bool any() const { return causal || !padding.empty(); }
  [[nodiscard]] bool keeps(Index query, Index key) const {
    return (!causal || key <= query) && (padding.empty() || !padding[static_cast<std::size_t>(key)]);
  }
  /// "causal mask, judging by weights of 0", "2 padding keys, judging by weights of 0"; empty if there is none. Where queries and
  /// keys are the same positions, "padding tokens".
  [[nodiscard]] std::string text(bool same_positions = false) const;

  friend bool operator==(const FoundMask&, const FoundMask&) = default;
};

/// Looks at weights row by row, head after head. Rows with numbers that are not finite say nothing. Nor do the equal
/// weights that a softmax leaves where a mask fills a whole row with one number: those of the first queries in every head,
/// to keys that no other query attends to, as where texts are padded at their beginning.
class MaskSearch {
 public:
  MaskSearch(Index queries, Index keys);

  void add(Index query, std::span<const float> row);
  [[nodiscard]] FoundMask found() const;

 private:
  /// How many queries at the beginning have equal weights in every head that say nothing.
  [[nodiscard]] Index filled_queries() const;
  [[nodiscard]] bool is_soft(const FoundMask& mask) const;

  bool square_;
  bool above_ = false;          ///< whether a weight above the diagonal is not 0, in rows of different weights
  bool below_ = false;          ///< whether one on or below it is not, beside those of the first key
  std::vector<unsigned> used_;  ///< [key]: not 0 if any of its weights is not, in rows of different weights
  struct Rows {
    bool equal = false;   ///< in some head all weights of the query are equal, and not 0
    Index different = 0;  ///< in how many heads they are not
    Index nonzero = 0;    ///< and how many of those weights are not 0
  };
  std::vector<Rows> rows_;  ///< [query]
};

/// Whether all numbers are finite.
bool all_finite(std::span<const float> numbers);

}  // namespace attnscope
