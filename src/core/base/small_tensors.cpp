#include "core/base/small_tensors.h"

#include <cassert>

namespace attnscope {
namespace {

/// Every tensor begins on a cache line.
std::size_t room_for(Index count) {
  constexpr std::size_t kLine = 16;
  return (static_cast<std::size_t>(count) + kLine - 1) / kLine * kLine;
}

}  // namespace

void SmallTensors::expect(Index count) {
  assert(is_small(count) && together_ == nullptr);
  ++tensors_;
  numbers_ += room_for(count);
}

std::shared_ptr<Tensor> SmallTensors::make(std::shared_ptr<const Axes> axes, Index count,
                                           const std::shared_ptr<MemoryStore>& store) {
  if (together_ == nullptr) {
    together_ = std::make_shared<Together>();
    together_->numbers = Numbers(numbers_, store);
    together_->tensors.reserve(tensors_);
  }
  std::vector<Tensor>& tensors = together_->tensors;
  assert(tensors.size() < tensors.capacity());  // no tensor may move
  const std::span<float> numbers = together_->numbers.values().subspan(used_, static_cast<std::size_t>(count));
  used_ += room_for(count);
  return {together_, &tensors.emplace_back(std::move(axes), Numbers(numbers))};
}

}  // namespace attnscope
