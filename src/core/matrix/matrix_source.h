// Matrices that are looked at a rectangle at a time, whether all their numbers are in memory or not.
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

/// A matrix of rows() × columns() numbers that never change, read by rectangles at a resolution. All functions can be
/// called from any thread, several at once.
class MatrixSource {
 public:
  MatrixSource() = default;
  virtual ~MatrixSource() = default;
  MatrixSource(const MatrixSource&) = delete;
  MatrixSource& operator=(const MatrixSource&) = delete;

  [[nodiscard]] virtual Index rows() const = 0;
  [[nodiscard]] virtual Index columns() const = 0;
  [[nodiscard]] bool empty() const { return rows() <= 0 || columns() <= 0; }

  /// The numbers where they lie, if all are in memory; they stay as long as this does.
  [[nodiscard]] virtual std::optional<MatrixView> held() const { return std::nullopt; }

  /// Fills `out`, row-major, with the texels of `part`, which lies within the matrix: each is the value of largest
  /// magnitude among its cells, exactly. Takes as long as it takes; returns false, `out` then being anything, soon
  /// after `stop` was requested, and where numbers of the part cannot be read, which `failure` then says. What had been
  /// done by then may be kept, so that the same part comes sooner next time.
  virtual bool read(const MatrixPart& part, std::span<float> out, const StopToken& stop) const = 0;

  /// Why `read` failed without having been stopped, if it ever did: one line.
  [[nodiscard]] virtual std::optional<std::string> failure() const { return std::nullopt; }

  /// Whether `read` of `part` would return within about a millisecond.
  [[nodiscard]] virtual bool ready(const MatrixPart& part) const = 0;

  /// Makes `coarse` possible where that takes computing, about a hundredth of what reading everything takes. Returns
  /// false, with nothing done, soon after `stop` was requested, and where numbers cannot be read.
  virtual bool sketch(const StopToken& /*stop*/) const { return true; }
  /// Whether there is something for `sketch` to do.
  [[nodiscard]] virtual bool needs_sketch() const { return false; }

  /// A guess at the texels of `part`, to be shown until `read` has them: takes well below a microsecond for each, and
  /// may miss extremes. False where there is none.
  virtual bool coarse(const MatrixPart& /*part*/, std::span<float> /*out*/) const { return false; }

  /// Grows when `coarse` would give a better guess than before.
  [[nodiscard]] virtual std::uint64_t revision() const { return 0; }

  /// How much of its overview is exact by now, 0 to 1.
  [[nodiscard]] virtual double progress() const { return 1; }

  /// The least and the largest number of some rows from all over the matrix, `leave_out` and what is not finite left
  /// out; 0 counts in any case. Enough to know what is usual.
  struct RowRange {
    float low = 0;
    float high = 0;
  };
  [[nodiscard]] virtual std::vector<RowRange> some_rows(float leave_out) const;

  /// Whether this and `other` are certain to have the same numbers.
  [[nodiscard]] virtual bool same_as(const MatrixSource& other) const { return this == &other; }
};

/// The smallest level of the matrix that is at most `side` texels long and wide, all of it.
MatrixPart overview_part(const MatrixSource& source, Index side);

/// Whether both are certain to have the same numbers, as two have that show the same numbers in memory.
bool same_numbers(const MatrixSource& a, const MatrixSource& b);

/// A matrix that lies in a tensor. Its levels are pooled when the first of them is read, in one pass, and kept: a
/// twelfth of the matrix's own memory.
class ResidentMatrix final : public MatrixSource {
 public:
  /// `matrix`, of any strides, lies in `tensor`.
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
  mutable std::mutex pooling_;  ///< whoever comes second waits for the first to finish
  mutable std::vector<Level> levels_;
  mutable Index pooled_rows_ = 0;  ///< of the first level, by a pass that was stopped
  mutable std::atomic<bool> pooled_ = false;
};

}  // namespace attnscope
