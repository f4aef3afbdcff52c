// Matrices of tensors that are not resident, for figures.
#pragma once

#include <memory>
#include <vector>

#include "core/base/stop.h"
#include "core/matrix/matrix_overview.h"
#include "core/matrix/matrix_source.h"
#include "core/trace/lazy_tensors.h"

namespace attnscope {

/// A matrix that is computed as it is read. It keeps an overview of at most 1024 × 1024 texels, shared by all that show
/// the same matrix: the first reading takes as long as computing the whole matrix, later ones are quick. Before that, a
/// sketch shows one exact row for each row of the overview. Imported matrices that can be read quickly have no
/// overview: they are read again.
class LazyMatrix final : public MatrixSource {
 public:
  /// `transposed`: with rows and columns exchanged.
  LazyMatrix(std::shared_ptr<const LazyTensors> lazy, MatrixPlace place, bool transposed);

  [[nodiscard]] Index rows() const override { return transposed_ ? columns_ : rows_; }
  [[nodiscard]] Index columns() const override { return transposed_ ? rows_ : columns_; }
  bool read(const MatrixPart& part, std::span<float> out, const StopToken& stop) const override;
  [[nodiscard]] bool ready(const MatrixPart& part) const override;
  [[nodiscard]] std::optional<std::string> failure() const override { return failure_.message(); }
  bool sketch(const StopToken& stop) const override;
  /// Not again if numbers could not be read.
  [[nodiscard]] bool needs_sketch() const override {
    return has_overview_ && overview_->revision == 0 && !failure_.any();
  }
  bool coarse(const MatrixPart& part, std::span<float> out) const override;
  [[nodiscard]] std::uint64_t revision() const override { return overview_->revision; }
  [[nodiscard]] double progress() const override;
  [[nodiscard]] std::vector<RowRange> some_rows(float leave_out) const override;
  [[nodiscard]] bool same_as(const MatrixSource& other) const override;

 private:
  [[nodiscard]] MatrixPart upright(const MatrixPart& part) const;
  [[nodiscard]] bool is_above_overview(const MatrixPart& part) const;
  /// `part` from the overview, whether its texels are exact or not.
  void pool_overview(const MatrixPart& part, std::span<float> out) const;
  bool make_overview(const StopToken& stop) const;
  /// Texel rows of the overview, starting at `first`.
  bool overview_rows(Index first, std::span<float> out, const StopToken& stop) const;
  bool weights_rows(const ResidentAttention& attention, Index first, std::span<float> out, const StopToken& stop) const;
  bool sketch_weights(const ResidentAttention& attention, std::span<float> out, const StopToken& stop) const;
  bool sketch_rows(std::span<float> out, const StopToken& stop) const;
  [[nodiscard]] std::shared_ptr<const ResidentAttention> attention() const;
  /// The texels of a part, computed from the cells.
  bool compute(const MatrixPart& part, std::span<float> out, const StopToken& stop) const;

  std::shared_ptr<const LazyTensors> lazy_;
  MatrixPlace place_;
  bool transposed_ = false;
  Index rows_ = 0;  ///< before it is transposed, as for all that follows
  Index columns_ = 0;
  bool has_overview_ = true;
  MatrixPart overview_part_;
  std::shared_ptr<MatrixOverview> overview_;
  mutable ReadFailure failure_;
};

}  // namespace attnscope
