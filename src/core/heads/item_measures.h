// The measures of heads over all items of a batch.
#pragma once

#include <optional>
#include <vector>

#include "core/heads/head_measures.h"

namespace attnscope {

/// Means over the items of a batch, and how far the items are spread around them.
struct ItemMeasures {
  /// Of each measure, the mean over the items that it applies to; of `received` and the distances, over all items.
  /// Without rollout. `mask` is that of every item, or says that they differ.
  HeadMeasures mean;
  /// [head][measure]: the standard deviation of the items, with n − 1 in the denominator; nothing for fewer than two.
  std::vector<MeasureRow> spread;
  MeasureRow uniform_spread;  ///< of uniform attention, which may differ with the mask of an item
  Index items = 0;
};

/// Measures the heads of the weights at step `position` in every item of the batch, one after the other; see
/// `measure_heads`. `measuring.item` does not matter.
std::optional<ItemMeasures> measure_items(const Trace& trace, int position, const Measuring& measuring);

}  // namespace attnscope
