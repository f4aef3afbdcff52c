// The operations that tell positions apart, for any box of their results: what a number becomes depends on where it
// stands.
#pragma once

#include "core/plan/operation.h"
#include "core/plan/region.h"

namespace attnscope {

/// `out` [the box `region` of a tensor with `axes`] from `in`, the box `source` of the input, which has the same axes;
/// see `regions_behind`.
void compute_in_place(const SinusoidOperation& operation, const Axes& axes, const Region& region, Tensor& out);
void compute_in_place(const RotateOperation& operation, const Axes& axes, const Region& region, const Region& source,
                      const Tensor& in, Tensor& out);
void compute_in_place(const DistanceBiasOperation& operation, const Region& region, const Tensor& in, Tensor& out);

}  // namespace attnscope
