#include "core/trace/lazy_matrix.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <variant>

#include "core/base/stop.h"
#include "core/operations/import.h"
#include "core/operations/softmax.h"
#include "core/trace/resident_attention.h"

namespace attnscope {
namespace {

constexpr Index kOverviewSide = 1024;
// Cells computed at once: 16 MB.
constexpr Index kCellsAtOnce = Index{1} << 22U;
// Texel rows of the overview computed at once: some hundredths of a second for 65,536 keys.
constexpr Index kOverviewRowsAtOnce = 16;
// Rows of a sketch of anything but weights.
constexpr Index kSketchRows = 16;
// How often the overview announces its progress.
constexpr std::chrono::milliseconds kBetweenRevisions{150};
constexpr int kMaxBinLevel = std::countr_zero(static_cast<std::uint64_t>(kMaxBin));
// This many cells are computed in about a millisecond.
constexpr Index kQuickTileCells = 4096;

int overview_level(Index cells) {
  int level = 0;
  while (texels_at(cells, level) > kOverviewSide) ++level;
  return level;
}

/// Rows or columns of cells.
struct Cells {
  Index begin = 0;
  Index end = 0;
};

Cells cells_of(Index first, Index count, int level, Index all) {
  return {first << level, std::min((first + count) << level, all)};
}

}  // namespace

LazyMatrix::LazyMatrix(std::shared_ptr<const LazyTensors> lazy, MatrixPlace place, bool transposed)
    : lazy_(std::move(lazy)), place_(std::move(place)), transposed_(transposed) {
  const PlannedStep& step = lazy_->plan().steps[static_cast<std::size_t>(place_.step)];
  const Axes& axes = step.axes;
  rows_ = axes[place_.leading.size()].size;
  columns_ = 1;
  for (std::size_t axis = place_.leading.size() + 1; axis < axes.size(); ++axis) columns_ *= axes[axis].size;
  has_overview_ = !is<ImportOperation>(step.operation) || rows_ * columns_ > kCellsAtOnce;
  overview_part_.row_level = overview_level(rows_);
  overview_part_.column_level = overview_level(columns_);
  overview_part_.rows = texels_at(rows_, overview_part_.row_level);
  overview_part_.columns = texels_at(columns_, overview_part_.column_level);
  overview_ = lazy_->overview(place_);
}

bool LazyMatrix::same_as(const MatrixSource& other) const {
  const auto* matrix = dynamic_cast<const LazyMatrix*>(&other);
  return matrix != nullptr && matrix->overview_ == overview_ && matrix->transposed_ == transposed_;
}

double LazyMatrix::progress() const {
  // A matrix that cannot be read gets no further.
  if (!has_overview_ || failure_.any()) return 1;
  const std::lock_guard lock(overview_->mutex);
  return static_cast<double>(overview_->exact_rows) / static_cast<double>(std::max<Index>(1, overview_part_.rows));
}

std::vector<MatrixSource::RowRange> LazyMatrix::some_rows(float leave_out) const {
  const std::lock_guard computing(overview_->sampling);
  if (!overview_->sampled || overview_->left_out != leave_out) {
    overview_->rows = MatrixSource::some_rows(leave_out);
    overview_->left_out = leave_out;
    overview_->sampled = true;
  }
  return overview_->rows;
}

MatrixPart LazyMatrix::upright(const MatrixPart& part) const {
  if (!transposed_) return part;
  return {part.column_level, part.row_level, part.first_column, part.first_row, part.columns, part.rows};
}

bool LazyMatrix::is_above_overview(const MatrixPart& part) const {
  return has_overview_ && part.row_level >= overview_part_.row_level &&
         part.column_level >= overview_part_.column_level;
}

namespace {

void transpose(std::span<const float> from, Index rows, Index columns, std::span<float> to) {
  for (Index row = 0; row < rows; ++row) {
    for (Index column = 0; column < columns; ++column)
      to[static_cast<std::size_t>(column * rows + row)] = from[static_cast<std::size_t>(row * columns + column)];
  }
}

}  // namespace

bool LazyMatrix::read(const MatrixPart& asked, std::span<float> out, const StopToken& stop) const {
  const MatrixPart part = upright(asked);
  std::vector<float> turned(transposed_ ? out.size() : 0);
  const std::span<float> texels = transposed_ ? turned : out;
  if (is_above_overview(part)) {
    if (!make_overview(stop)) return false;
    pool_overview(part, texels);
  } else if (!compute(part, texels, stop)) {
    return false;
  }
  if (transposed_) transpose(turned, part.rows, part.columns, out);
  return true;
}

bool LazyMatrix::ready(const MatrixPart& asked) const {
  const MatrixPart part = upright(asked);
  if (is_above_overview(part)) {
    const std::lock_guard lock(overview_->mutex);
    return overview_->exact_rows == overview_part_.rows;
  }
  return saturating_product(part.rows << part.row_level, part.columns << part.column_level) <= kQuickTileCells;
}

bool LazyMatrix::coarse(const MatrixPart& asked, std::span<float> out) const {
  if (!has_overview_ || overview_->revision == 0) return false;
  const MatrixPart part = upright(asked);
  std::vector<float> turned(transposed_ ? out.size() : 0);
  const std::span<float> texels = transposed_ ? turned : out;
  if (is_above_overview(part)) {
    pool_overview(part, texels);
  } else {
    const std::lock_guard lock(overview_->mutex);
    for (Index row = 0; row < part.rows; ++row) {
      const Index from = ((part.first_row + row) << part.row_level) >> overview_part_.row_level;
      for (Index column = 0; column < part.columns; ++column) {
        const Index at = ((part.first_column + column) << part.column_level) >> overview_part_.column_level;
        texels[static_cast<std::size_t>(row * part.columns + column)] =
            overview_->texels[static_cast<std::size_t>(from * overview_part_.columns + at)];
      }
    }
  }
  if (transposed_) transpose(turned, part.rows, part.columns, out);
  return true;
}

void LazyMatrix::pool_overview(const MatrixPart& part, std::span<float> out) const {
  MatrixPart rest = part;
  rest.row_level -= overview_part_.row_level;
  rest.column_level -= overview_part_.column_level;
  const std::lock_guard lock(overview_->mutex);
  const Index columns = overview_part_.columns;
  pool_part({overview_->texels.data(), overview_part_.rows, columns, columns, 1}, rest, out);
}

std::shared_ptr<const ResidentAttention> LazyMatrix::attention() const {
  const PlannedStep& step = lazy_->plan().steps[static_cast<std::size_t>(place_.step)];
  if (!is<SoftmaxOperation>(step.operation)) return nullptr;
  return lazy_->attention(place_.step, place_.leading);
}

bool LazyMatrix::make_overview(const StopToken& stop) const {
  const std::lock_guard computing(overview_->computing);
  const auto count = static_cast<std::size_t>(overview_part_.rows * overview_part_.columns);
  Index done = 0;
  {
    const std::lock_guard lock(overview_->mutex);
    overview_->texels.resize(count);
    done = overview_->exact_rows;
  }
  std::vector<float> texels;
  auto told = std::chrono::steady_clock::now();
  while (done < overview_part_.rows) {
    const Index rows = std::min(kOverviewRowsAtOnce, overview_part_.rows - done);
    texels.resize(static_cast<std::size_t>(rows * overview_part_.columns));
    if (!overview_rows(done, texels, stop)) return false;
    {
      const std::lock_guard lock(overview_->mutex);
      std::copy(texels.begin(), texels.end(), overview_->texels.begin() + done * overview_part_.columns);
      done += rows;
      overview_->exact_rows = done;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - told < kBetweenRevisions && done < overview_part_.rows) continue;
    ++overview_->revision;
    told = now;
  }
  return true;
}

bool LazyMatrix::overview_rows(Index first, std::span<float> out, const StopToken& stop) const {
  if (const std::shared_ptr<const ResidentAttention> plain = attention()) return weights_rows(*plain, first, out, stop);
  MatrixPart part = overview_part_;
  part.first_row = first;
  part.rows = static_cast<Index>(out.size()) / part.columns;
  return compute(part, out, stop);
}

namespace {

/// Turns rows of largest logits into rows of largest weights: a weight grows with its logit.
void weigh(std::span<float> maxima, std::span<const SoftmaxStatistics> statistics, float temperature) {
  const std::size_t bins = maxima.size() / std::max<std::size_t>(1, statistics.size());
  for (std::size_t row = 0; row < statistics.size(); ++row) {
    const std::span<float> weights = maxima.subspan(row * bins, bins);
    softmax_part(weights, temperature, statistics[row], weights);
  }
}

}  // namespace

bool LazyMatrix::weights_rows(const ResidentAttention& attention, Index first, std::span<float> out,
                              const StopToken& stop) const {
  MatrixPart part = overview_part_;
  part.rows = static_cast<Index>(out.size()) / part.columns;
  const Cells cells = cells_of(first, part.rows, part.row_level, rows_);
  const int bin_level = std::min(part.column_level, kMaxBinLevel);
  const Index bins = attention.rows().bins(Index{1} << bin_level);
  std::vector<SoftmaxStatistics> statistics(static_cast<std::size_t>(cells.end - cells.begin));
  std::vector<float> maxima(statistics.size() * static_cast<std::size_t>(bins));
  attention.rows().rows(cells.begin, 1, Index{1} << bin_level, statistics, maxima, &lazy_->pool(),
                        [&] { return stop.stop_requested(); });
  if (stop.stop_requested()) return false;
  const Axes& axes = lazy_->plan().steps[static_cast<std::size_t>(place_.step)].axes;
  std::vector<Index> row(place_.leading);
  row.push_back(cells.begin);
  lazy_->remember(place_.step, offset_in({axes.begin(), axes.end() - 1}, row), statistics);
  weigh(maxima, statistics, attention.temperature());
  part.column_level -= bin_level;
  pool_part({maxima.data(), cells.end - cells.begin, bins, bins, 1}, part, out);
  return true;
}

bool LazyMatrix::sketch(const StopToken& stop) const {
  const std::lock_guard computing(overview_->computing);
  if (!needs_sketch()) return true;
  std::vector<float> texels(static_cast<std::size_t>(overview_part_.rows * overview_part_.columns));
  const std::shared_ptr<const ResidentAttention> plain = attention();
  if (!(plain != nullptr ? sketch_weights(*plain, texels, stop) : sketch_rows(texels, stop))) return false;
  const std::lock_guard lock(overview_->mutex);
  // Exact texels stay.
  const auto exact = static_cast<std::ptrdiff_t>(overview_->exact_rows * overview_part_.columns);
  std::copy_n(overview_->texels.begin(), exact, texels.begin());
  overview_->texels = std::move(texels);
  ++overview_->revision;
  return true;
}

bool LazyMatrix::sketch_weights(const ResidentAttention& attention, std::span<float> out, const StopToken& stop) const {
  const MatrixPart& part = overview_part_;
  const int bin_level = std::min(part.column_level, kMaxBinLevel);
  const Index bins = attention.rows().bins(Index{1} << bin_level);
  std::vector<SoftmaxStatistics> statistics(static_cast<std::size_t>(part.rows));
  std::vector<float> maxima(statistics.size() * static_cast<std::size_t>(bins));
  attention.rows().rows(0, Index{1} << part.row_level, Index{1} << bin_level, statistics, maxima, &lazy_->pool(),
                        [&] { return stop.stop_requested(); });
  if (stop.stop_requested()) return false;
  weigh(maxima, statistics, attention.temperature());
  pool_part({maxima.data(), part.rows, bins, bins, 1},
            {0, part.column_level - bin_level, 0, 0, part.rows, part.columns}, out);
  return true;
}

bool LazyMatrix::sketch_rows(std::span<float> out, const StopToken& stop) const {
  const MatrixPart& part = overview_part_;
  const Index samples = std::min(kSketchRows, part.rows);
  const auto row_at = [&](Index row) {
    return out.subspan(static_cast<std::size_t>(row * part.columns), static_cast<std::size_t>(part.columns));
  };
  for (Index sample = 0; sample < samples; ++sample) {
    const Index begin = sample * part.rows / samples;
    const Index end = (sample + 1) * part.rows / samples;
    const MatrixPart row = {0, part.column_level, begin << part.row_level, 0, 1, part.columns};
    if (!compute(row, row_at(begin), stop)) return false;
    for (Index other = begin + 1; other < end; ++other) std::ranges::copy(row_at(begin), row_at(other).begin());
  }
  return true;
}

bool LazyMatrix::compute(const MatrixPart& part, std::span<float> out, const StopToken& stop) const {
  const Axes& axes = lazy_->plan().steps[static_cast<std::size_t>(place_.step)].axes;
  const Cells columns = cells_of(part.first_column, part.columns, part.column_level, columns_);
  const Index width = columns.end - columns.begin;
  const std::size_t row_axis = place_.leading.size();
  // A box; if columns run over two axes, it has more columns at both ends.
  Region region = {place_.step, place_.leading, place_.leading};
  for (Index& end : region.end) ++end;
  region.begin.push_back(0);
  region.end.push_back(0);
  Index before = 0;
  if (place_.column_axes == 1) {
    region.begin.push_back(columns.begin);
    region.end.push_back(columns.end);
  } else if (place_.column_axes == 2) {
    const Index last = axes.back().size;
    region.begin.insert(region.begin.end(), {columns.begin / last, 0});
    region.end.insert(region.end.end(), {(columns.end - 1) / last + 1, last});
    before = columns.begin % last;
  }
  // Whole rows of texels if there is room for them, otherwise parts of one row.
  const Index row_cells = Index{1} << part.row_level;
  const Index rows_at_once = std::max<Index>(1, kCellsAtOnce / std::max<Index>(1, width));
  // For this part alone: others may be readable.
  ReadFailure failure;
  const StepContext context = {0, &lazy_->pool(), stop, &failure};
  std::vector<float> texels;
  for (Index row = 0; row < part.rows;) {
    const Index rows = std::clamp<Index>(rows_at_once / row_cells, 1, part.rows - row);
    const Cells cells = cells_of(part.first_row + row, rows, part.row_level, rows_);
    const std::span<float> target =
        out.subspan(static_cast<std::size_t>(row * part.columns), static_cast<std::size_t>(rows * part.columns));
    for (Index begin = cells.begin; begin < cells.end;) {
      const Index end = rows > 1 ? cells.end : std::min(cells.end, begin + rows_at_once);
      region.begin[row_axis] = begin;
      region.end[row_axis] = end;
      const std::shared_ptr<const Tensor> box = lazy_->numbers(region, context);
      if (const std::optional<std::string> message = failure.message()) failure_.note(*message);
      if (context.gives_up()) return false;
      const Index stride = box->count() / (end - begin);
      texels.resize(target.size());
      pool_part({box->values().data() + before, end - begin, width, stride, 1},
                {part.row_level, part.column_level, 0, 0, rows, part.columns}, texels);
      for (std::size_t i = 0; i < texels.size(); ++i)
        target[i] = begin == cells.begin ? texels[i] : larger_magnitude(target[i], texels[i]);
      begin = end;
    }
    row += rows;
  }
  return true;
}

}  // namespace attnscope
