#include "core/matrix/row_shares.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

namespace attnscope {
namespace {

// Larger matrices are divided as they are read.
constexpr Index kCellsDividedAtOnce = Index{512} * 512;
// Cells of whole rows between two checks for a stop.
constexpr Index kBandCells = Index{1} << 20U;
constexpr float kUnknown = -1;

/// NaN and ±∞ stay because what they are divided by is finite.
float share_of(float number, float largest) { return largest > 0 ? number / largest : number; }

float finite_magnitude(float number) { return std::isfinite(number) ? std::abs(number) : 0; }

/// The rows that the texels of a part cover.
std::pair<Index, Index> covered_rows(const MatrixPart& part, Index rows) {
  return {part.first_row << part.row_level, std::min((part.first_row + part.rows) << part.row_level, rows)};
}

}  // namespace

RowShares::RowShares(std::shared_ptr<const MatrixSource> numbers) : numbers_(std::move(numbers)) {
  const std::optional<MatrixView> view = numbers_->held();
  if (!view || empty() || saturating_product(view->rows, view->columns) > kCellsDividedAtOnce) return;
  shares_.reserve(static_cast<std::size_t>(view->rows * view->columns));
  for (Index row = 0; row < view->rows; ++row) {
    float largest = 0;
    for (Index column = 0; column < view->columns; ++column)
      largest = std::max(largest, finite_magnitude(view->at(row, column)));
    for (Index column = 0; column < view->columns; ++column)
      shares_.push_back(share_of(view->at(row, column), largest));
  }
}

std::optional<MatrixView> RowShares::held() const {
  if (shares_.empty()) return std::nullopt;
  return MatrixView{shares_.data(), rows(), columns(), columns(), 1};
}

bool RowShares::find_largest(Index first, Index count, std::vector<float>& largest, const StopToken& stop) const {
  const auto at = [](Index row) { return static_cast<std::size_t>(row); };
  {
    const std::scoped_lock lock(finding_);
    if (largest_.empty()) largest_.assign(at(rows()), kUnknown);
    largest.assign(largest_.begin() + first, largest_.begin() + first + count);
  }
  if (std::ranges::find(largest, kUnknown) == largest.end()) return true;
  // One texel covers a row: where it is finite it has the row's largest magnitude.
  const auto level = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(columns() - 1)));
  if (!numbers_->read({0, level, first, 0, count, 1}, largest, stop)) return false;
  std::vector<float> row;
  for (Index i = 0; i < count; ++i) {
    float& its = largest[at(i)];
    if (std::isfinite(its)) {
      its = std::abs(its);
      continue;
    }
    row.resize(at(columns()));
    if (!numbers_->read({0, 0, first + i, 0, 1, columns()}, row, stop)) return false;
    its = 0;
    for (const float number : row) its = std::max(its, finite_magnitude(number));
  }
  const std::scoped_lock lock(finding_);
  for (Index i = 0; i < count; ++i) {
    float& known = largest_[at(first + i)];
    if (known == kUnknown) ++known_;
    known = largest[at(i)];
  }
  return true;
}

bool RowShares::read(const MatrixPart& part, std::span<float> out, const StopToken& stop) const {
  if (const std::optional<MatrixView> view = held()) {
    pool_part(*view, part, out);
    return !stop.stop_requested();
  }
  // Every other number is larger.
  std::ranges::fill(out, -0.0F);
  const auto [begin, end] = covered_rows(part, rows());
  const Index band = std::max<Index>(1, kBandCells / columns());
  std::vector<float> largest;
  std::vector<float> texels;
  for (Index first = begin; first < end; first += band) {
    const Index count = std::min(band, end - first);
    if (stop.stop_requested() || !find_largest(first, count, largest, stop)) return false;
    texels.resize(static_cast<std::size_t>(count * part.columns));
    if (!numbers_->read({0, part.column_level, first, part.first_column, count, part.columns}, texels, stop))
      return false;
    auto texel = texels.begin();
    for (Index i = 0; i < count; ++i) {
      const Index row = ((first + i) >> part.row_level) - part.first_row;
      auto shown = out.begin() + row * part.columns;
      for (Index column = 0; column < part.columns; ++column, ++shown)
        *shown = larger_magnitude(*shown, share_of(*texel++, largest[static_cast<std::size_t>(i)]));
    }
  }
  return true;
}

bool RowShares::ready(const MatrixPart& part) const {
  if (!shares_.empty()) return true;
  const auto [begin, end] = covered_rows(part, rows());
  return numbers_->ready({0, 0, begin, 0, end - begin, columns()});
}

double RowShares::progress() const {
  if (!shares_.empty() || failure()) return 1;
  const std::scoped_lock lock(finding_);
  return static_cast<double>(known_) / static_cast<double>(std::max<Index>(1, rows()));
}

bool RowShares::same_as(const MatrixSource& other) const {
  const auto* shares = dynamic_cast<const RowShares*>(&other);
  return shares != nullptr && same_numbers(*shares->numbers_, *numbers_);
}

}  // namespace attnscope
