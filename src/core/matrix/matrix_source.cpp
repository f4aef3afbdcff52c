#include "core/matrix/matrix_source.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/stop.h"

namespace attnscope {
namespace {

// The finest cached level: finer ones take more memory, and reading cells is as fast.
constexpr int kFirstLevel = 2;
// Shorter levels are faster to pool again than to cache.
constexpr Index kShortLevel = 128;
// The number of cells read in about 1 ms.
constexpr Index kQuickCells = Index{1} << 20;
// Rows of the first level between two checks for a stop: about 1 ms for 4096 columns.
constexpr Index kBandRows = 64;

Index cells_of(const MatrixPart& part) {
  return saturating_product(part.rows << part.row_level, part.columns << part.column_level);
}

std::span<float> rows_of(std::vector<float>& texels, Index columns, Index first, Index count) {
  return std::span(texels).subspan(static_cast<std::size_t>(first * columns),
                                   static_cast<std::size_t>(count * columns));
}

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

MatrixSource::MatrixSource() : number_(next_number()) {}

MatrixPart overview_part(const MatrixSource& source, Index side) {
  MatrixPart part;
  while (texels_at(source.rows(), part.row_level) > side) ++part.row_level;
  while (texels_at(source.columns(), part.column_level) > side) ++part.column_level;
  part.rows = texels_at(source.rows(), part.row_level);
  part.columns = texels_at(source.columns(), part.column_level);
  return part;
}

std::vector<MatrixSource::RowRange> MatrixSource::some_rows(float leave_out) const {
  std::vector<RowRange> ranges;
  if (empty()) return ranges;
  // Rows that must be computed first are expensive: few must suffice.
  const Index count = std::min<Index>(held() ? 64 : 8, rows());
  // The beginning of a very long row must suffice.
  constexpr Index kLongest = Index{1} << 22U;
  const Index length = std::min(columns(), kLongest);
  std::vector<float> row(static_cast<std::size_t>(length));
  for (Index i = 0; i < count; ++i) {
    if (!read({0, 0, i * rows() / count, 0, 1, length}, row, {})) continue;
    RowRange range;
    for (const float number : row) {
      if (!std::isfinite(number) || number == leave_out) continue;
      range.low = std::min(range.low, number);
      range.high = std::max(range.high, number);
    }
    ranges.push_back(range);
  }
  return ranges;
}

bool same_numbers(const MatrixSource& a, const MatrixSource& b) {
  if (&a == &b) return true;
  const std::optional<MatrixView> held = a.held();
  return (held.has_value() && held == b.held()) || a.same_as(b);
}

ResidentMatrix::ResidentMatrix(std::shared_ptr<const Tensor> tensor, const MatrixView& matrix)
    : tensor_(std::move(tensor)), matrix_(matrix) {}

bool ResidentMatrix::needs_levels(const MatrixPart& part) const {
  return std::min(part.row_level, part.column_level) >= kFirstLevel && cells_of(part) > kQuickCells / 16;
}

bool ResidentMatrix::ready(const MatrixPart& part) const {
  return needs_levels(part) ? pooled_.load() : cells_of(part) <= kQuickCells;
}

bool ResidentMatrix::pool_levels(const StopToken& stop) const {
  if (pooled_) return true;
  const std::scoped_lock lock(pooling_);
  if (levels_.empty()) {
    int level = kFirstLevel;
    do {
      levels_.push_back({texels_at(matrix_.rows, level), texels_at(matrix_.columns, level), {}});
      ++level;
    } while (std::max(levels_.back().rows, levels_.back().columns) > kShortLevel);
    for (Level& each : levels_) each.texels.resize(static_cast<std::size_t>(each.rows * each.columns));
  }
  Level& first = levels_.front();
  while (pooled_rows_ < first.rows) {
    if (stop.stop_requested()) return false;
    const Index rows = std::min(kBandRows, first.rows - pooled_rows_);
    pool_part(matrix_, {kFirstLevel, kFirstLevel, pooled_rows_, 0, rows, first.columns},
              rows_of(first.texels, first.columns, pooled_rows_, rows));
    pooled_rows_ += rows;
  }
  if (pooled_) return true;
  for (std::size_t i = 1; i < levels_.size(); ++i) {
    pool_part(levels_[i - 1].view(), {1, 1, 0, 0, levels_[i].rows, levels_[i].columns}, levels_[i].texels);
  }
  pooled_ = true;
  return true;
}

bool ResidentMatrix::read(const MatrixPart& part, std::span<float> out, const StopToken& stop) const {
  assert(part.first_row >= 0 && part.first_row + part.rows <= texels_at(rows(), part.row_level));
  assert(part.first_column >= 0 && part.first_column + part.columns <= texels_at(columns(), part.column_level));
  if (!needs_levels(part)) {
    pool_part(matrix_, part, out);
    return !stop.stop_requested();
  }
  if (!pool_levels(stop)) return false;
  const int level = std::min({part.row_level, part.column_level, kFirstLevel + static_cast<int>(levels_.size()) - 1});
  MatrixPart rest = part;
  rest.row_level -= level;
  rest.column_level -= level;
  pool_part(levels_[static_cast<std::size_t>(level - kFirstLevel)].view(), rest, out);
  return true;
}

bool ResidentMatrix::coarse(const MatrixPart& part, std::span<float> out) const {
  auto texel = out.begin();
  for (Index row = part.first_row; row < part.first_row + part.rows; ++row) {
    for (Index column = part.first_column; column < part.first_column + part.columns; ++column) {
      *texel++ = matrix_.at(row << part.row_level, column << part.column_level);
    }
  }
  return true;
}

}  // namespace attnscope
