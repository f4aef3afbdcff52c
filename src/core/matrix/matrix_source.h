// Matrices that are read one rectangle at a time, in memory or computed on demand.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/stop.h"
#include "core/base/tensor.h"
#include "core/matrix/pooling.h"

namespace attnscope {

/// An immutable matrix of rows() × columns() numbers, read in rectangles at any resolution. All functions may be called
/// from several threads at once.
class MatrixSource {
 public:
  MatrixSource();
  virtual ~MatrixSource() = default;
  MatrixSource(const MatrixSource&) = delete;
  MatrixSource& operator=(const MatrixSource&) = delete;

  [[nodiscard]] virtual Index rows() const = 0;
  [[nodiscard]] virtual Index columns() const = 0;
  [[nodiscard]] bool empty() const { return rows() <= 0 || columns() <= 0; }

  /// The numbers in memory, if all of them are; valid as long as this object.
  [[nodiscard]] virtual std::optional<MatrixView> held() const { return std::nullopt; }

  /// Fills `out`, row-major, with the texels of `part`, which lies within the matrix: each is exactly the value of
  /// largest magnitude among its cells. May take long. Returns false, with `out` unspecified, soon after `stop` is
  /// requested, or if numbers of the part cannot be read (see `failure`). Finished work may be cached for the next
  /// call.
  virtual bool read(const MatrixPart& part, std::span<float> out, const StopToken& stop) const = 0;

  /// Why `read` failed without being stopped, in one line; nothing if it never did.
  [[nodiscard]] virtual std::optional<std::string> failure() const { return std::nullopt; }

  /// Whether `read` of `part` takes less than about 1 ms.
  [[nodiscard]] virtual bool ready(const MatrixPart& part) const = 0;

  /// Prepares `coarse`; takes about 1 % of the time of reading everything. Returns false, with nothing done, soon after
  /// `stop` is requested, or if numbers cannot be read.
  virtual bool sketch(const StopToken& /*stop*/) const { return true; }
  /// Whether `sketch` has anything to do.
  [[nodiscard]] virtual bool needs_sketch() const { return false; }

  /// An estimate of the texels of `part`, to show until `read` has finished. Takes well below 1 µs per texel and may
  /// miss extremes. False if there is none.
  virtual bool coarse(const MatrixPart& /*part*/, std::span<float> /*out*/) const { return false; }

  /// Grows when `coarse` would give a better estimate than before.
  [[nodiscard]] virtual std::uint64_t revision() const { return 0; }

  /// The fraction of the overview that is exact, 0 to 1.
  [[nodiscard]] virtual double progress() const { return 1; }

  /// The smallest and largest number in a sample of rows from all over the matrix, without `leave_out` and values that
  /// are not finite; the range always includes 0. An estimate of the typical range.
  struct RowRange {
    float low = 0;
    float high = 0;
  };
  [[nodiscard]] virtual std::vector<RowRange> some_rows(float leave_out) const;

  /// Whether this and `other` certainly have the same numbers.
  [[nodiscard]] virtual bool same_as(const MatrixSource& other) const { return this == &other; }

  /// Different for every matrix of this run of the program, also for one at the address of another that is gone.
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  std::uint64_t number_;
};

/// The whole matrix at the finest level with at most `side` texels each way.
MatrixPart overview_part(const MatrixSource& source, Index side);

/// Whether both certainly have the same numbers, for instance because they refer to the same memory.
bool same_numbers(const MatrixSource& a, const MatrixSource& b);

/// A matrix in a tensor. All levels are pooled in one pass on first use and kept; they take 1/12 of the memory of the
/// matrix.
class ResidentMatrix final : public MatrixSource {
 public:
  /// `matrix`, with any strides, is part of `tensor`.
  ResidentMatrix(std::shared_ptr<const Tensor> tensor, const MatrixView& matrix);

  [[nodiscard]] Index rows() const override { return matrix_.rows; }
  [[nodiscard]] Index columns() const override { return matrix_.columns; }
  [[nodiscard]] std::optional<MatrixView> held() const override { return matrix_; }
  bool read(const MatrixPart& part, std::span<float> out, const StopToken& stop) const override;
  [[nodiscard]] bool ready(const MatrixPart& part) const override;
  bool coarse(const MatrixPart& part, std::span<float> out) const override;

 private:
  /// The matrix pooled 2^level : 1 both ways.
  struct Level {
    Index rows = 0;
    Index columns = 0;
    std::vector<float> texels;
    [[nodiscard]] MatrixView view() const { return {texels.data(), rows, columns, columns, 1}; }
  };

  bool pool_levels(const StopToken& stop) const;
  [[nodiscard]] bool needs_levels(const MatrixPart& part) const;

  std::shared_ptr<const Tensor> tensor_;
  MatrixView matrix_;
  mutable std::mutex pooling_;  ///< held while pooling; others wait
  mutable std::vector<Level> levels_;
  mutable Index pooled_rows_ = 0;  ///< finished rows of the first level, if the pass was stopped
  mutable std::atomic<bool> pooled_ = false;
};

}  // namespace attnscope
