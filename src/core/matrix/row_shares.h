// A matrix with each row on a scale of its own.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/matrix/matrix_source.h"

namespace attnscope {

/// Numbers of a matrix, each divided by the largest finite magnitude in its row: the largest of every row becomes 1 or
/// −1. A row of zeros stays as it is, and so do NaN and ±∞. Of numbers that rounding makes x and −x the texel of a part
/// is the one of the larger number.
class RowShares final : public MatrixSource {
 public:
  explicit RowShares(std::shared_ptr<const MatrixSource> numbers);

  [[nodiscard]] Index rows() const override { return numbers_->rows(); }
  [[nodiscard]] Index columns() const override { return numbers_->columns(); }
  /// Small matrices in memory are divided at once.
  [[nodiscard]] std::optional<MatrixView> held() const override;
  bool read(const MatrixPart& part, std::span<float> out, const StopToken& stop) const override;
  [[nodiscard]] std::optional<std::string> failure() const override { return numbers_->failure(); }
  [[nodiscard]] bool ready(const MatrixPart& part) const override;
  /// The share of the rows whose largest number is known.
  [[nodiscard]] double progress() const override;
  [[nodiscard]] bool same_as(const MatrixSource& other) const override;

 private:
  /// The largest finite magnitude in each of `count` rows; false if stopped or not readable.
  bool find_largest(Index first, Index count, std::vector<float>& largest, const StopToken& stop) const;

  std::shared_ptr<const MatrixSource> numbers_;
  std::vector<float> shares_;  ///< of a small matrix
  mutable std::mutex finding_;
  mutable std::vector<float> largest_;  ///< of each row; −1: not known yet
  mutable Index known_ = 0;
};

}  // namespace attnscope
