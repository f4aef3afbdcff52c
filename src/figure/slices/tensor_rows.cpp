#include "figure/slices/tensor_rows.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace attnscope {

std::vector<Index> TensorRows::index(Index row, Index dim) const {
  std::vector<Index> cell = at;
  cell[row_axis] = row;
  cell[dim_axis] = dim;
  return cell;
}

namespace {

/// Adds the rows from `begin` to `end`, [row, dim].
void add_rows(const Trace& trace, const TensorRows& rows, Index begin, Index end, std::vector<double>& numbers) {
  Region region = single_cell(rows.step, rows.index(begin, 0));
  region.end[rows.row_axis] = end;
  region.end[rows.dim_axis] = rows.dims;
  const std::shared_ptr<const Tensor> part = trace.numbers(region);
  const auto values = part->values();
  if (rows.row_axis < rows.dim_axis) {
    numbers.insert(numbers.end(), values.begin(), values.end());
    return;
  }
  for (Index row = 0; row < end - begin; ++row) {
    for (Index dim = 0; dim < rows.dims; ++dim)
      numbers.push_back(static_cast<double>(values[static_cast<std::size_t>(dim * (end - begin) + row)]));
  }
}

}  // namespace

std::vector<double> numbers_of(const Trace& trace, const TensorRows& rows, std::span<const Index> which) {
  std::vector<double> numbers;
  numbers.reserve(which.size() * static_cast<std::size_t>(rows.dims));
  // Neighbours together: most often that is all of them.
  for (std::size_t first = 0; first < which.size();) {
    std::size_t last = first + 1;
    while (last < which.size() && which[last] == which[last - 1] + 1) ++last;
    add_rows(trace, rows, which[first], which[last - 1] + 1, numbers);
    first = last;
  }
  return numbers;
}

std::vector<Index> spaced_rows(const TensorRows& rows, Index most) {
  const Index fitting = std::max<Index>(2, most / std::max<Index>(1, rows.dims));
  const Index step = std::max<Index>(1, (rows.count + fitting - 1) / fitting);
  std::vector<Index> which(static_cast<std::size_t>((rows.count + step - 1) / step));
  for (std::size_t i = 0; i < which.size(); ++i) which[i] = static_cast<Index>(i) * step;
  return which;
}

std::optional<std::string> not_finite_text(const Trace& trace, const TensorRows& rows, std::span<const Index> which,
                                           std::span<const double> numbers) {
  const auto found = std::find_if(numbers.begin(), numbers.end(), [](double each) { return !std::isfinite(each); });
  if (found == numbers.end()) return std::nullopt;
  const Index at = found - numbers.begin();
  return trace.step(rows.step).name +
         index_text(rows.index(which[static_cast<std::size_t>(at / rows.dims)], at % rows.dims)) + " is " +
         number_text(*found);
}

}  // namespace attnscope
