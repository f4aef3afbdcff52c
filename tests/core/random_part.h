// Random parts of matrices, for the tests of what is read in parts.
#pragma once

#include <algorithm>
#include <random>

#include "core/matrix/pooling.h"

namespace attnscope::test {

/// A part of at most 9 × 9 texels of a matrix, at levels below 12.
inline MatrixPart random_part(std::mt19937& generator, Index rows, Index columns) {
  MatrixPart part;
  part.row_level = static_cast<int>(generator() % 12);
  part.column_level = static_cast<int>(generator() % 12);
  const auto place = [&](Index texels, Index& first, Index& count) {
    first = static_cast<Index>(generator()) % texels;
    count = 1 + static_cast<Index>(generator()) % std::min<Index>(9, texels - first);
  };
  place(texels_at(rows, part.row_level), part.first_row, part.rows);
  place(texels_at(columns, part.column_level), part.first_column, part.columns);
  return part;
}

}  // namespace attnscope::test
