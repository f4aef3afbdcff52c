#include "core/base/tensor.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace attnscope {

const Axis* find_axis(const Axes& axes, std::string_view name) {
  const auto found = std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == name; });
  return found == axes.end() ? nullptr : &*found;
}

Index element_count(const Axes& axes) {
  Index count = 1;
  for (const Axis& axis : axes) {
    // A later axis of size 0 still makes the count 0: saturating_product(max, 0) is 0.
    count = saturating_product(count, axis.size);
  }
  return count;
}

Index offset_in(const Axes& axes, std::span<const Index> index) {
  assert(index.size() == axes.size());
  Index offset = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    assert(index[i] >= 0 && index[i] < axes[i].size);
    offset = offset * axes[i].size + index[i];
  }
  return offset;
}

std::vector<Index> index_in(const Axes& axes, Index offset) {
  std::vector<Index> index(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    index[i] = offset % axes[i].size;
    offset /= axes[i].size;
  }
  return index;
}

Index saturating_product(Index a, Index b) {
  Index product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<Index>::max() : product;
}

Tensor::Tensor(Axes axes) : Tensor(std::move(axes), nullptr) { std::fill(values().begin(), values().end(), 0.0F); }

Tensor::Tensor(Axes axes, std::shared_ptr<MemoryStore> store)
    : axes_(std::make_shared<const Axes>(std::move(axes))),
      data_(static_cast<std::size_t>(element_count(*axes_)), std::move(store)) {}

std::shared_ptr<const Tensor> Tensor::part(std::shared_ptr<const Tensor> whole, Axes axes, Index offset) {
  const auto count = static_cast<std::size_t>(element_count(axes));
  const std::span<const float> numbers = whole->values().subspan(static_cast<std::size_t>(offset), count);
  return std::make_shared<const Tensor>(std::make_shared<const Axes>(std::move(axes)),
                                        Numbers(numbers, std::move(whole)));
}

Index Tensor::size(int axis) const {
  const int position = axis < 0 ? axis + rank() : axis;
  assert(position >= 0 && position < rank());
  return axes()[static_cast<std::size_t>(position)].size;
}

Index Tensor::stride(int axis) const {
  const int position = axis < 0 ? axis + rank() : axis;
  Index stride = 1;
  for (int faster = rank() - 1; faster > position; --faster) stride *= size(faster);
  return stride;
}

MatrixView Tensor::matrix(std::span<const Index> leading) const {
  if (rank() == 0) return {data_.values().data(), 1, 1, 1, 1};
  const Index columns = size(-1);
  const Index rows = rank() > 1 ? size(-2) : 1;
  assert(static_cast<int>(leading.size()) == (rank() > 2 ? rank() - 2 : 0));
  Index matrices_before = 0;
  for (std::size_t i = 0; i < leading.size(); ++i) matrices_before = matrices_before * axes()[i].size + leading[i];
  return {data_.values().data() + matrices_before * rows * columns, rows, columns, columns, 1};
}

std::string shape_text(const Axes& axes) {
  if (axes.empty()) return "scalar";
  std::string text;
  for (const Axis& axis : axes) text += (text.empty() ? "" : " × ") + std::to_string(axis.size);
  return text;
}

}  // namespace attnscope
