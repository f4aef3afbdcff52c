#include "core/base/tensor.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <limits>
#include <mutex>
#include <utility>

#include "core/base/memory_size.h"

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

/// Numbers that are written when somebody reads them.
struct PutOff {
  std::shared_ptr<const Axes> axes;  ///< of the tensor
  std::vector<Index> begin, end;
  std::function<void(Tensor&)> fill;
};

/// Memory that tensors which follow each other share.
struct SharedRoom {
  Numbers numbers;
  std::vector<Index> room;   ///< per axis: the size it may have
  std::vector<Index> apart;  ///< per axis: elements between neighbours
  std::vector<Index> used;   ///< per axis: the size of the largest tensor in it

  std::atomic<bool> is_incomplete = false;
  std::mutex mutex;  ///< of what follows, and of what it writes
  std::vector<PutOff> put_off;
};

struct Tensor::Growing {
  std::shared_ptr<SharedRoom> shared;
  Index begin = 0;  ///< where the first number lies in it
  bool is_box = false;
  std::once_flag copied;
  Numbers without_gaps;
};

Tensor::Tensor(Axes axes) : Tensor(std::move(axes), nullptr) { std::fill(values().begin(), values().end(), 0.0F); }

Tensor::Tensor(Axes axes, std::shared_ptr<MemoryStore> store)
    : axes_(std::make_shared<const Axes>(std::move(axes))),
      data_(memory_size(static_cast<std::uint64_t>(element_count(*axes_))), std::move(store)) {}

Tensor& Tensor::operator=(Tensor other) noexcept {
  std::swap(axes_, other.axes_);
  std::swap(data_, other.data_);
  std::swap(growing_, other.growing_);
  return *this;
}

std::shared_ptr<Tensor> Tensor::with_room(std::shared_ptr<const Axes> axes, std::vector<Index> room,
                                          std::shared_ptr<MemoryStore> store) {
  auto shared = std::make_shared<SharedRoom>();
  shared->apart.resize(room.size());
  Index count = 1;
  for (std::size_t axis = room.size(); axis-- > 0;) {
    assert(room[axis] >= (*axes)[axis].size);
    shared->apart[axis] = count;
    count = saturating_product(count, room[axis]);
  }
  shared->numbers = Numbers(memory_size(static_cast<std::uint64_t>(count)), std::move(store));
  for (const Axis& axis : *axes) shared->used.push_back(axis.size);
  shared->room = std::move(room);
  auto tensor = std::make_shared<Tensor>(std::move(axes), Numbers());
  tensor->growing_ = std::make_shared<Growing>();
  tensor->growing_->shared = std::move(shared);
  return tensor;
}

std::shared_ptr<Tensor> Tensor::grown(std::shared_ptr<const Axes> axes) const {
  if (!growing_ || growing_->is_box) return nullptr;
  SharedRoom& shared = *growing_->shared;
  bool is_larger = false;
  bool is_largest = true;
  for (std::size_t axis = 0; axis < axes->size(); ++axis) {
    const Index size = (*axes)[axis].size;
    if (size > shared.room[axis]) return nullptr;
    is_larger = is_larger || size > this->axes()[axis].size;
    is_largest = is_largest && this->axes()[axis].size == shared.used[axis];
  }
  if (is_larger && !is_largest) return nullptr;
  for (std::size_t axis = 0; axis < axes->size(); ++axis)
    shared.used[axis] = std::max(shared.used[axis], (*axes)[axis].size);
  auto tensor = std::make_shared<Tensor>(std::move(axes), Numbers());
  tensor->growing_ = std::make_shared<Growing>();
  tensor->growing_->shared = growing_->shared;
  return tensor;
}

void Tensor::put_off(std::vector<Index> begin, std::vector<Index> end, std::function<void(Tensor& whole)> fill) const {
  SharedRoom& shared = *growing_->shared;
  const std::lock_guard lock(shared.mutex);
  shared.put_off.push_back({axes_, std::move(begin), std::move(end), std::move(fill)});
  shared.is_incomplete = true;
}

void Tensor::complete() const {
  SharedRoom& shared = *growing_->shared;
  if (!shared.is_incomplete) return;
  const std::lock_guard lock(shared.mutex);
  for (const PutOff& each : shared.put_off) {
    Tensor whole(each.axes, Numbers());
    whole.growing_ = std::make_shared<Growing>();
    whole.growing_->shared = growing_->shared;
    each.fill(whole);
  }
  shared.put_off.clear();
  shared.is_incomplete = false;
}

bool Tensor::has_put_off(const Axes& axes, std::span<const Index> begin) const {
  SharedRoom& shared = *growing_->shared;
  if (growing_->is_box || !shared.is_incomplete) return false;
  const std::lock_guard lock(shared.mutex);
  return std::ranges::any_of(shared.put_off, [&](const PutOff& each) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      if (begin[axis] >= each.end[axis] || begin[axis] + axes[axis].size <= each.begin[axis]) return false;
    }
    return true;
  });
}

std::shared_ptr<const Tensor> Tensor::box(Axes axes, std::span<const Index> begin) const {
  if (has_put_off(axes, begin)) complete();
  auto tensor = std::make_shared<Tensor>(std::make_shared<const Axes>(std::move(axes)), Numbers());
  tensor->growing_ = std::make_shared<Growing>();
  tensor->growing_->shared = growing_->shared;
  tensor->growing_->begin = growing_->begin + place(begin);
  tensor->growing_->is_box = true;
  return tensor;
}

const float* Tensor::first() const {
  if (!growing_) return data_.values().data();
  // A box was complete when it was made.
  if (!growing_->is_box) complete();
  return std::as_const(growing_->shared->numbers).values().data() + growing_->begin;
}

float* Tensor::first() {
  if (!growing_) return data_.values().data();
  return growing_->shared->numbers.values().data() + growing_->begin;
}

Index Tensor::place(std::span<const Index> index) const {
  if (!growing_) return offset(index);
  Index place = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * growing_->shared->apart[axis];
  return place;
}

Index Tensor::apart(std::size_t axis) const {
  return growing_ ? growing_->shared->apart[axis] : stride(static_cast<int>(axis));
}

Numbers Tensor::copied_numbers() const {
  if (!growing_) return data_;
  Numbers copy(static_cast<std::size_t>(count()), nullptr);
  const auto length = rank() == 0 ? std::size_t{1} : static_cast<std::size_t>(size(-1));
  for (std::size_t at = 0; at < copy.values().size(); at += length) {
    const float* const from = first() + place(index_at(static_cast<Index>(at)));
    std::copy_n(from, length, copy.values().data() + at);
  }
  return copy;
}

std::span<const float> Tensor::without_gaps() const {
  const std::vector<Index>& apart = growing_->shared->apart;
  bool gaps = false;
  for (std::size_t axis = 0; axis < apart.size(); ++axis)
    gaps = gaps || (apart[axis] != stride(static_cast<int>(axis)) && axes()[axis].size > 1);
  if (!gaps) return {first(), static_cast<std::size_t>(count())};
  std::call_once(growing_->copied, [this] { growing_->without_gaps = copied_numbers(); });
  return std::as_const(growing_->without_gaps).values();
}

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
  if (rank() == 0) return {first(), 1, 1, 1, 1};
  const Index columns = size(-1);
  const Index rows = rank() > 1 ? size(-2) : 1;
  assert(static_cast<int>(leading.size()) == (rank() > 2 ? rank() - 2 : 0));
  Index before = 0;
  for (std::size_t i = 0; i < leading.size(); ++i) before += leading[i] * apart(i);
  const Index row = rank() > 1 ? apart(static_cast<std::size_t>(rank()) - 2) : columns;
  return {first() + before, rows, columns, row, 1};
}

std::string shape_text(const Axes& axes) {
  if (axes.empty()) return "scalar";
  std::string text;
  for (const Axis& axis : axes) text += (text.empty() ? "" : " × ") + std::to_string(axis.size);
  return text;
}

}  // namespace attnscope
