// How a later layer depends on earlier ones: which of their heads its heads read, and what reaches each token.
#pragma once

#include <string>
#include <vector>

#include "core/heads/head_measures.h"
#include "figure/model/figure.h"

namespace attnscope {

/// The size of the table of `add_composition`.
double composition_width();
double composition_height(const HeadMeasures& heads);

/// Adds the table of how much of each earlier head's output the queries, keys and values of `head` (from 0) read. Its
/// title begins at `at`.
void add_composition(Figure& figure, const HeadMeasures& heads, Index head, Point at);

/// Adds `heads.rollout`, which is not null, no larger than `side` with its labels, and a colour bar, which keeps
/// `margin` from the sides of the figure. The title begins at `at`.
void add_rollout(Figure& figure, const HeadMeasures& heads, const Labels& labels, Point at, double side, double margin);

}  // namespace attnscope
