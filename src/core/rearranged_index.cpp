#include "core/rearranged_index.h"

namespace attnscope {

RearrangedIndex::RearrangedIndex(const RearrangeOperation& operation, const Axes& out) {
  std::vector<Index> strides(operation.labels.size(), 0);
  Index stride = 1;
  for (auto group = operation.in.rbegin(); group != operation.in.rend(); ++group) {
    for (auto label = group->rbegin(); label != group->rend(); ++label) {
      strides[static_cast<std::size_t>(*label)] = stride;
      stride *= operation.sizes[static_cast<std::size_t>(*label)];
    }
  }
  for (std::size_t axis = out.size(); axis-- > 0;) {
    const std::vector<int>& group = operation.out[axis];
    for (auto label = group.rbegin(); label != group.rend(); ++label) {
      const auto at = static_cast<std::size_t>(*label);
      digits_.push_back({operation.sizes[at], strides[at]});
    }
  }
}

Index RearrangedIndex::source(Index offset) const {
  Index from = 0;
  for (const Digit& digit : digits_) {
    from += offset % digit.size * digit.input_stride;
    offset /= digit.size;
  }
  return from;
}

}  // namespace attnscope
