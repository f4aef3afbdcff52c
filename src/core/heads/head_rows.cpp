#include "core/heads/head_rows.h"

#include "core/plan/plan.h"

namespace attnscope {

Index heads_in(const Axes& axes) {
  const Axis* const axis = find_axis(axes, "head");
  return axis != nullptr ? axis->size : 1;
}

HeadRows::HeadRows(const Trace& trace, int position, Index item, const StopToken& stop)
    : trace_(trace), position_(position), item_(item), context_{trace.experiment().seed, nullptr, stop, &failure_} {
  const Index all = saturating_product(heads(), saturating_product(queries(), keys()));
  if (step().tensor == nullptr && all > kWeightsAtOnce) return;
  for (Index head = 0; head < heads() && !ended(); ++head) held_.push_back(block(head, 0, queries(), 0, keys()));
}

std::span<const float> HeadRows::row(Index head, Index query) const {
  const auto width = static_cast<std::size_t>(keys());
  return held_[static_cast<std::size_t>(head)]->values().subspan(static_cast<std::size_t>(query) * width, width);
}

std::shared_ptr<const Tensor> HeadRows::block(Index head, Index first, Index count, Index key, Index width) const {
  Region region = region_within(position_, step().axes, leading(head));
  const std::size_t axis = step().axes.size() - 2;
  region.begin[axis] = first;
  region.end[axis] = first + count;
  region.begin[axis + 1] = key;
  region.end[axis + 1] = key + width;
  return trace_.numbers(region, context_);
}

}  // namespace attnscope
