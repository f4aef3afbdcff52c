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
  /// `at_once`: a small matrix in memory is divided now, and kept.
  explicit RowShares(std::shared_ptr<const MatrixSource> numbers, bool at_once = true);

  [[nodiscard]] Index rows() const override { return numbers_->rows(); }
  [[nodiscard]] Index columns() const override { return numbers_->columns(); }
  [[nodiscard]] std::optional<MatrixView> held() const override;
  bool read(const MatrixPart& part, std::span<float> out, const StopToken& stop) const override;
  [[nodiscard]] std::optional<std::string> failure() const override { return numbers_->failure(); }
  [[nodiscard]] bool ready(const MatrixPart& part) const override;
  bool sketch(const StopToken& stop) const override { return numbers_->sketch(stop); }
  [[nodiscard]] bool needs_sketch() const override { return shares_.empty() && numbers_->needs_sketch(); }
  /// Of the estimates of the numbers; so is what they are divided by.
  bool coarse(const MatrixPart& part, std::span<float> out) const override;
  [[nodiscard]] std::uint64_t revision() const override { return numbers_->revision(); }
  /// The share of the rows whose largest number is known.
  [[nodiscard]] double progress() const override;
  [[nodiscard]] bool same_as(const MatrixSource& other) const override;

 private:
  /// Numbers at row level 0, and the largest finite magnitude in each of their rows; false if stopped or not readable.
  bool read_rows(const MatrixPart& rows, std::vector<float>& texels, std::vector<float>& largest,
                 const StopToken& stop) const;
  /// The second of these alone.
  bool find_largest(Index first, Index count, std::vector<float>& largest, const StopToken& stop) const;
  /// The same as far as it is known; −1: not yet. Whether all are.
  bool look_up(Index first, Index count, std::vector<float>& largest) const;
  void keep(Index first, const std::vector<float>& largest) const;

  std::shared_ptr<const MatrixSource> numbers_;
  std::vector<float> shares_;  ///< of a small matrix
  mutable std::mutex finding_;
  mutable std::vector<float> largest_;  ///< of each row; −1: not known yet
  mutable Index known_ = 0;
};

}  // namespace attnscope
