// The directions in which the rows of a matrix are longest, in double precision.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

/// The first two right singular vectors of a matrix of finite `numbers`, [row, dim] with at least two dims: orthonormal,
/// in each of them the component of largest magnitude is positive. They keep all but 1e-6 of what the best plane keeps of
/// the squared length of the rows. Where rows have fewer directions, any others follow.
std::array<std::vector<double>, 2> singular_directions(std::span<const double> numbers, Index rows, Index dims);

}  // namespace attnscope
