#include "core/trace/grown_tensor.h"

#include <algorithm>
#include <utility>

namespace attnscope {
namespace {

/// The size to which an axis of tokens may grow before its tensor is copied, with room for `most` or at least half as
/// many. Tensors run out of room one after another: else a token now and then would have to wait until all of them are
/// copied.
Index with_room_for_more(Index tokens, Index most, std::size_t step) {
  // The tensors of a layer, which follow each other, are far apart.
  constexpr Index kApart = 29;
  return tokens + most / 2 + static_cast<Index>(step) * kApart % (most / 2 + 1);
}

/// Sizes of the memory of a tensor with room.
std::vector<Index> sizes_with_room(const PlannedStep& step, std::size_t number, const KnownRows& known) {
  std::vector<Index> sizes;
  for (const Axis& axis : step.axes) sizes.push_back(axis.size);
  Index& rows = sizes[static_cast<std::size_t>(known.axis)];
  if (known.square) {
    // Gaps behind all rows take memory, because huge pages have some of them each.
    const Index most = std::clamp<Index>(rows / 16 * 5, 8, 160);
    rows = with_room_for_more(rows, most, number);
    sizes.back() = with_room_for_more(sizes.back(), most, number);
  } else {
    // Memory behind the last row takes none before it is written: rows are copied about once, however long the text.
    rows = with_room_for_more(rows, std::clamp<Index>(rows, 8, 1024), number);
  }
  return sizes;
}

/// Where the known numbers lie: those below these sizes along every axis.
std::vector<Index> known_sizes(const PlannedStep& step, const KnownRows& known) {
  std::vector<Index> sizes;
  for (const Axis& axis : step.axes) sizes.push_back(axis.size);
  sizes[static_cast<std::size_t>(known.axis)] = known.rows;
  if (known.square) sizes.back() = known.rows;
  return sizes;
}

/// Copies numbers below the sizes `known`, and sets those behind them along the last axis, up to `room`, to `beyond`,
/// if there is such a number.
class Copying {
 public:
  Copying(const Tensor& old, Tensor& made, const std::vector<Index>& known, Index room, std::optional<float> beyond)
      : old_(old), made_(made), lines_(known), room_(room), beyond_(beyond) {}

  void run(ThreadPool* pool) const {
    constexpr Index kBlocks = 64;
    Index count = 1;
    for (std::size_t axis = 0; axis + 1 < lines_.size(); ++axis) count *= lines_[axis];
    run_blocks(pool, static_cast<double>(count * lines_.back()), kBlocks, [&](Index block) {
      for (Index line = count * block / kBlocks; line < count * (block + 1) / kBlocks; ++line) write(line);
    });
  }

 private:
  /// A line along the last axis.
  void write(Index line) const {
    Index from = 0;
    Index to = 0;
    for (std::size_t axis = lines_.size() - 1; axis-- > 0; line /= lines_[axis]) {
      const Index at = line % lines_[axis];
      from += at * old_.apart(axis);
      to += at * made_.apart(axis);
    }
    float* const out = made_.first() + to;
    std::copy_n(old_.first() + from, lines_.back(), out);
    if (beyond_) std::fill(out + lines_.back(), out + room_, *beyond_);
  }

  const Tensor& old_;
  Tensor& made_;
  const std::vector<Index>& lines_;  ///< sizes of what is copied
  Index room_;
  std::optional<float> beyond_;
};

}  // namespace

std::shared_ptr<Tensor> grown_tensor(const std::shared_ptr<const Plan>& plan, std::size_t step, const KnownRows& known,
                                     const Tensor& old, const RunMemory& memory) {
  const PlannedStep& planned = plan->steps[step];
  std::shared_ptr<const Axes> axes(plan, &planned.axes);
  const auto axis = static_cast<std::size_t>(known.axis);
  // What is known there must not be written again: the last trace may still be shown.
  if (known.rows == std::min(planned.axes[axis].size, old.axes()[axis].size)) {
    if (std::shared_ptr<Tensor> grown = old.grown(axes)) return grown;
  }
  const Index count = element_count(planned.axes);
  const std::vector<Index> sizes = known_sizes(planned, known);
  std::shared_ptr<Tensor> made;
  if (SmallTensors::is_small(count)) {
    made = memory.small.make(std::move(axes), count, memory.store);
    Copying(old, *made, sizes, 0, std::nullopt).run(nullptr);
  } else {
    const std::vector<Index> room = sizes_with_room(planned, step, known);
    made = Tensor::with_room(std::move(axes), room, memory.store);
    Copying(old, *made, sizes, room.back(), known.later_keys).run(memory.pool);
  }
  return made;
}

}  // namespace attnscope
