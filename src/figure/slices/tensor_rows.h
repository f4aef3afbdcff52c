// Vectors in a tensor: one for each position along an axis, whose elements follow one another along another axis.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

struct TensorRows {
  int step = -1;
  std::vector<Index> at;  ///< of the tensor; what it says along the two axes does not count
  std::size_t row_axis = 0;
  std::size_t dim_axis = 1;
  Index count = 0;
  Index dims = 0;

  /// The cell of an element of a row.
  [[nodiscard]] std::vector<Index> index(Index row, Index dim) const;
};

/// The numbers of these rows, ascending, [row, dim]; computed now where they are not in memory.
std::vector<double> numbers_of(const Trace& trace, const TensorRows& rows, std::span<const Index> which);

/// All rows, or so many that they have at most `most` numbers, at equal distances from the first one on.
std::vector<Index> spaced_rows(const TensorRows& rows, Index most);

/// "q[1, 0, 3] is NaN" for the first number that is not finite; nothing if all are.
std::optional<std::string> not_finite_text(const Trace& trace, const TensorRows& rows, std::span<const Index> which,
                                           std::span<const double> numbers);

}  // namespace attnscope
