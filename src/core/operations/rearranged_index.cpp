#include "core/operations/rearranged_index.h"

#include <cassert>

namespace attnscope {

RearrangedIndex::RearrangedIndex(const RearrangeOperation& operation, const Axes& out) {
  std::vector<Index> strides(operation.labels.size(), 0);
  Index stride = 1;
  for (std::size_t axis = operation.in.size(); axis-- > 0;) {
    const std::vector<int>& group = operation.in[axis];
    for (std::size_t i = group.size(); i-- > 0;) {
      const auto label = static_cast<std::size_t>(group[i]);
      strides[label] = stride;
      stride *= operation.sizes[label];
    }
  }
  std::vector<bool> stands(operation.labels.size(), true);
  for (std::size_t axis = out.size(); axis-- > 0;) {
    const std::vector<int>& group = operation.out[axis];
    for (std::size_t i = group.size(); i-- > 0;) {
      const auto label = static_cast<std::size_t>(group[i]);
      digits_.push_back({operation.sizes[label], strides[label]});
      stands[label] = false;
    }
  }
  for (std::size_t label = 0; label < stands.size(); ++label) {
    if (stands[label]) start_ += operation.at[label] * strides[label];
  }
}

Index RearrangedIndex::source(Index offset) const {
  Index from = start_;
  for (const Digit& digit : digits_) {
    from += offset % digit.size * digit.input_stride;
    offset /= digit.size;
  }
  return from;
}

RearrangedRuns::RearrangedRuns(const RearrangedIndex& map, Index run) : source_(map.start_) {
  if (map.digits_.empty()) return;
  slower_ = std::span(map.digits_).subspan(1);
  assert(slower_.size() <= kMaxDigits);
  for (std::size_t i = 0; i < slower_.size(); ++i) {
    at_[i] = run % slower_[i].size;
    run /= slower_[i].size;
    source_ += at_[i] * slower_[i].input_stride;
  }
}

void RearrangedRuns::next() {
  for (std::size_t i = 0; i < slower_.size(); ++i) {
    source_ += slower_[i].input_stride;
    if (++at_[i] < slower_[i].size) return;
    source_ -= slower_[i].size * slower_[i].input_stride;
    at_[i] = 0;
  }
}

}  // namespace attnscope
