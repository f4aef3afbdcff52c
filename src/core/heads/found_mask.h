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

  [[nodiscard]] bool any() const { return causal || !padding.empty(); }
  [[nodiscard]] bool keeps(Index query, Index key) const {
    return (!causal || key <= query) && (padding.empty() || !padding[static_cast<std::size_t>(key)]);
  }
  /// "causal mask found in the weights", "2 padding keys found in the weights"; empty if there is none.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const FoundMask&, const FoundMask&) = default;
};

/// Looks at weights row by row, head after head. Rows with numbers that are not finite say nothing.
class MaskSearch {
 public:
  MaskSearch(Index queries, Index keys);

  void add(Index query, std::span<const float> row);
  [[nodiscard]] FoundMask found() const;

 private:
  bool square_;
  bool above_ = false;          ///< whether a weight above the diagonal is not 0
  bool below_ = false;          ///< whether one on or below it is not, beside those of the first key
  bool any_ = false;            ///< whether any row was finite
  std::vector<unsigned> used_;  ///< [key]: not 0 if any of its weights is not
};

/// Whether all numbers are finite.
bool all_finite(std::span<const float> numbers);

}  // namespace attnscope
