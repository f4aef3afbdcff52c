// A moment of one query's attention in a figure of its matrices: what is not computed yet is empty, what is being
// computed and what it is made of is framed, and the arithmetic stands below.
#pragma once

#include "figure/model/figure.h"
#include "figure/slices/moments.h"

namespace attnscope {

/// The height of the lines below the matrices, for a figure of that width: the same at all moments.
double moment_height(const Trace& trace, const PlayedQuery& played, double width);

/// Makes `figure`, whose matrices are of the finished attention, one of moment `number`, and `moment_height` higher.
void show_moment(Figure& figure, const Trace& trace, const PlayedQuery& played, Index number);

}  // namespace attnscope
