#include "core/trace/step_parts.h"

#include <algorithm>
#include <utility>

namespace attnscope {

StepParts::StepParts(std::vector<Region> boxes, double work, double work_of_part, std::size_t axes)
    : left_(std::move(boxes)), work_of_part_(work_of_part), axes_(axes) {
  std::erase_if(left_, [](const Region& box) { return box.count() == 0; });
  std::reverse(left_.begin(), left_.end());
  for (const Region& box : left_) cells_ += static_cast<double>(box.count());
  work_of_cell_ = work / std::max(1.0, cells_);
}

bool StepParts::is_large(const Region& box) const {
  return static_cast<double>(box.count()) * work_of_cell_ > work_of_part_;
}

Region StepParts::next() {
  Region part = std::move(left_.back());
  left_.pop_back();
  // Along the first axis that has more than one place: parts are then as contiguous as they can be.
  for (std::size_t axis = 0; axis < axes_; ++axis) {
    while (part.size(axis) > 1 && is_large(part)) {
      left_.push_back(half_of(part, axis, true));
      part = half_of(part, axis, false);
    }
  }
  handed_out_ += static_cast<double>(part.count());
  return part;
}

double StepParts::share() const { return cells_ == 0 ? 1 : handed_out_ / cells_; }

}  // namespace attnscope
