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
// Texels of a row that say how large its numbers are about.
constexpr Index kCoarseTexels = 256;
constexpr float kUnknown = -1;

/// NaN and ±∞ stay because what they are divided by is finite.
float share_of(float number, float largest) { return largest > 0 ? number / largest : number; }

float finite_magnitude(float number) { return std::isfinite(number) ? std::abs(number) : 0; }

/// The rows that the texels of a part cover.
std::pair<Index, Index> covered_rows(const MatrixPart& part, Index rows) {
  return {part.first_row << part.row_level, std::min((part.first_row + part.rows) << part.row_level, rows)};
}

}  // namespace

RowShares::RowShares(std::shared_ptr<const MatrixSource> numbers, bool at_once) : numbers_(std::move(numbers)) {
  const std::optional<MatrixView> view = numbers_->held();
  if (!at_once || !view || empty() || saturating_product(view->rows, view->columns) > kCellsDividedAtOnce) return;
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

bool RowShares::look_up(Index first, Index count, std::vector<float>& largest) const {
  const std::scoped_lock lock(finding_);
  if (largest_.empty()) largest_.assign(static_cast<std::size_t>(rows()), kUnknown);
  largest.assign(largest_.begin() + first, largest_.begin() + first + count);
  return std::ranges::find(largest, kUnknown) == largest.end();
}

void RowShares::keep(Index first, const std::vector<float>& largest) const {
  const std::scoped_lock lock(finding_);
  for (std::size_t i = 0; i < largest.size(); ++i) {
    float& known = largest_[static_cast<std::size_t>(first) + i];
    if (known == kUnknown) ++known_;
    known = largest[i];
  }
}

bool RowShares::find_largest(Index first, Index count, std::vector<float>& largest, const StopToken& stop) const {
  if (look_up(first, count, largest)) return true;
  // One texel covers a row: where it is finite it has the row's largest magnitude.
  const auto level = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(columns() - 1)));
  if (!numbers_->read({0, level, first, 0, count, 1}, largest, stop)) return false;
  std::vector<float> row;
  for (Index i = 0; i < count; ++i) {
    float& its = largest[static_cast<std::size_t>(i)];
    if (std::isfinite(its)) {
      its = std::abs(its);
      continue;
    }
    row.resize(static_cast<std::size_t>(columns()));
    if (!numbers_->read({0, 0, first + i, 0, 1, columns()}, row, stop)) return false;
    its = 0;
    for (const float number : row) its = std::max(its, finite_magnitude(number));
  }
  keep(first, largest);
  return true;
}

bool RowShares::read_rows(const MatrixPart& part, std::vector<float>& texels, std::vector<float>& largest,
                          const StopToken& stop) const {
  texels.resize(static_cast<std::size_t>(part.rows * part.columns));
  if (!numbers_->read(part, texels, stop)) return false;
  const bool are_whole = part.first_column == 0 && (part.columns << part.column_level) >= columns();
  const bool finite = std::ranges::all_of(texels, [](float texel) { return std::isfinite(texel); });
  if (!are_whole || !finite) return find_largest(part.first_row, part.rows, largest, stop);
  // Computing the rows again would take as long as this did.
  if (look_up(part.first_row, part.rows, largest)) return true;
  for (Index row = 0; row < part.rows; ++row) {
    const auto begin = texels.begin() + row * part.columns;
    float& its = largest[static_cast<std::size_t>(row)];
    its = 0;
    for (auto texel = begin; texel != begin + part.columns; ++texel) its = std::max(its, std::abs(*texel));
  }
  keep(part.first_row, largest);
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
    if (stop.stop_requested()) return false;
    if (!read_rows({0, part.column_level, first, part.first_column, count, part.columns}, texels, largest, stop))
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
  std::vector<float> largest;
  const bool known = look_up(begin, end - begin, largest);
  return known ? numbers_->ready({0, part.column_level, begin, part.first_column, end - begin, part.columns})
               : numbers_->ready({0, 0, begin, 0, end - begin, columns()});
}

bool RowShares::coarse(const MatrixPart& part, std::span<float> out) const {
  if (!shares_.empty()) return false;
  // A row of some hundred texels is enough for an estimate.
  MatrixPart rows = part;
  rows.first_column = 0;
  while (texels_at(columns(), rows.column_level) > kCoarseTexels) ++rows.column_level;
  rows.columns = texels_at(columns(), rows.column_level);
  std::vector<float> texels(static_cast<std::size_t>(rows.rows * rows.columns));
  if (!numbers_->coarse(part, out) || !numbers_->coarse(rows, texels)) return false;
  for (Index row = 0; row < part.rows; ++row) {
    float largest = 0;
    for (Index i = 0; i < rows.columns; ++i)
      largest = std::max(largest, finite_magnitude(texels[static_cast<std::size_t>(row * rows.columns + i)]));
    for (float& number :
         out.subspan(static_cast<std::size_t>(row * part.columns), static_cast<std::size_t>(part.columns)))
      number = share_of(number, std::max(largest, finite_magnitude(number)));
  }
  return true;
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
