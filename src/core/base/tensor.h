// Dense float32 tensors with named axes.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/memory.h"

namespace attnscope {

using Index = std::int64_t;

/// One axis of a tensor: what it counts ("head", "query", "head·dim") and how many there are.
struct Axis {
  std::string name;
  Index size = 0;

  friend bool operator==(const Axis&, const Axis&) = default;
};

using Axes = std::vector<Axis>;

/// The axis of that name, or null.
const Axis* find_axis(const Axes& axes, std::string_view name);

/// Number of elements of a tensor with these axes. It saturates at the largest Index instead of overflowing: a size
/// from outside can be compared with a limit before any memory is taken.
Index element_count(const Axes& axes);

/// Position of the element at `index`, one number per axis, in the values of a tensor with these axes; and the inverse,
/// for an `offset` below `element_count`. All count from 0.
Index offset_in(const Axes& axes, std::span<const Index> index);
std::vector<Index> index_in(const Axes& axes, Index offset);

/// a · b for sizes (neither negative), saturating as `element_count` does.
Index saturating_product(Index a, Index b);

/// A rectangle of numbers somewhere in a tensor; does not own them. `data` points at row 0, column 0; the strides are
/// in elements, so a transposed matrix is the same view with rows and columns exchanged.
struct MatrixView {
  const float* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Index row_stride = 0;
  Index column_stride = 1;

  [[nodiscard]] float at(Index row, Index column) const { return data[row * row_stride + column * column_stride]; }
  [[nodiscard]] MatrixView transposed() const { return {data, columns, rows, column_stride, row_stride}; }
  [[nodiscard]] bool empty() const { return rows <= 0 || columns <= 0; }

  friend bool operator==(const MatrixView&, const MatrixView&) = default;
};

/// Dense float32 tensor, row-major (C order, last axis fastest), with named axes. A tensor is filled once, by the
/// operation that makes it, and is shared as `const` from then on.
///
/// A tensor with room leaves gaps between its rows, so that a later one can have longer axes in the same memory:
/// `first`, `place`, `at` and `matrix` look at its numbers where they are. `values` and what counts in it, `offset` and
/// `stride`, are without gaps: they copy such a tensor once.
class Tensor {
 public:
  Tensor() : Tensor(std::make_shared<const Axes>(), Numbers()) {}
  /// All zeros. The caller has checked the size (see `element_count`).
  explicit Tensor(Axes axes);
  /// With any content, in memory from `store`, which may be null.
  Tensor(Axes axes, std::shared_ptr<MemoryStore> store);
  /// With existing numbers, as many as the axes say.
  Tensor(std::shared_ptr<const Axes> axes, Numbers numbers) : axes_(std::move(axes)), data_(std::move(numbers)) {}
  /// A copy has no room.
  Tensor(const Tensor& other) : axes_(other.axes_), data_(other.copied_numbers()) {}
  Tensor(Tensor&& other) noexcept = default;
  Tensor& operator=(Tensor other) noexcept;
  ~Tensor() = default;

  /// With any content, in memory where each axis may become as long as `room` says.
  static std::shared_ptr<Tensor> with_room(std::shared_ptr<const Axes> axes, std::vector<Index> room,
                                           std::shared_ptr<MemoryStore> store);
  /// A tensor in the same memory whose axes have the same names and other sizes. Numbers that both have stay; the others
  /// have any content. Null where there is no room, or where a tensor that grew from this one has the numbers that would
  /// be added. One thread at a time.
  [[nodiscard]] std::shared_ptr<Tensor> grown(std::shared_ptr<const Axes> axes) const;

  /// The numbers of `whole` from position `offset` on, shared with it.
  static std::shared_ptr<const Tensor> part(std::shared_ptr<const Tensor> whole, Axes axes, Index offset);
  /// With room: the box of that shape whose first number is the one at `begin`, in the same memory. It does not grow.
  [[nodiscard]] std::shared_ptr<const Tensor> box(Axes axes, std::span<const Index> begin) const;

  [[nodiscard]] bool has_room() const { return growing_ != nullptr; }

  /// With room: `fill` writes the box from `begin` to before `end`, before anybody reads this tensor, or a box that has
  /// some of its numbers, or a tensor that grew from it. Until then they have any content. It may run on any thread that
  /// reads.
  void put_off(std::vector<Index> begin, std::vector<Index> end, std::function<void(Tensor& whole)> fill) const;

  [[nodiscard]] const Axes& axes() const { return *axes_; }
  [[nodiscard]] int rank() const { return static_cast<int>(axes().size()); }
  /// Size of axis `axis`; negative counts from the last.
  [[nodiscard]] Index size(int axis) const;
  [[nodiscard]] Index count() const {
    return growing_ ? element_count(axes()) : static_cast<Index>(data_.values().size());
  }
  /// Elements between neighbours along `axis`; negative counts from the last.
  [[nodiscard]] Index stride(int axis) const;

  [[nodiscard]] std::span<const float> values() const { return growing_ ? without_gaps() : data_.values(); }
  [[nodiscard]] std::span<float> values() {
    assert(!growing_);
    return data_.values();
  }

  /// The number at index 0, …, 0. Numbers along the last axis are neighbours.
  [[nodiscard]] const float* first() const;
  [[nodiscard]] float* first();
  /// Elements between `first` and the number at `index`.
  [[nodiscard]] Index place(std::span<const Index> index) const;
  /// Elements between neighbours along `axis`, from 0, where they are.
  [[nodiscard]] Index apart(std::size_t axis) const;

  /// The element at `index`, one number per axis.
  [[nodiscard]] float at(std::span<const Index> index) const { return first()[place(index)]; }
  /// Position of `index` in `values()`.
  [[nodiscard]] Index offset(std::span<const Index> index) const { return offset_in(axes(), index); }
  /// The inverse of `offset`.
  [[nodiscard]] std::vector<Index> index_at(Index offset) const { return index_in(axes(), offset); }

  /// The matrix spanned by the last two axes, the leading ones fixed to `leading`. A tensor of rank 1 is one row, a
  /// tensor of rank 0 is one cell.
  [[nodiscard]] MatrixView matrix(std::span<const Index> leading = {}) const;

 private:
  /// The memory of a tensor with room.
  struct Growing;

  /// Writes what has been put off, if anything has.
  void complete() const;
  /// Whether any of that is in the box of that shape from `begin` on.
  [[nodiscard]] bool has_put_off(const Axes& axes, std::span<const Index> begin) const;
  [[nodiscard]] std::span<const float> without_gaps() const;
  [[nodiscard]] Numbers copied_numbers() const;

  std::shared_ptr<const Axes> axes_;  ///< tensors of the same shape may share them
  Numbers data_;                      ///< empty with room
  std::shared_ptr<Growing> growing_;  ///< null: without room
};

/// "6 × 9", "4 × 6 × 7": the sizes of the axes, for people.
std::string shape_text(const Axes& axes);

}  // namespace attnscope
