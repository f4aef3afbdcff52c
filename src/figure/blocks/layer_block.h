// What a later layer has of the earlier ones: which of their heads its heads read, and what reaches each token.
#pragma once

#include <string>
#include <vector>

#include "core/heads/head_measures.h"
#include "figure/model/figure.h"

namespace attnscope {

/// The size of the table that `add_composition` makes.
double composition_width();
double composition_height(const HeadMeasures& heads);

/// At `at`, where its title begins: how much of what each earlier head wrote reaches the queries, keys and values of
/// `head`, from 0.
void add_composition(Figure& figure, const HeadMeasures& heads, Index head, Point at);

/// At `at`, where its title begins: `heads.rollout`, which is not null, with sides of `side` at most, its labels
/// included, and its colour bar, which keeps `margin` from the sides of the figure.
void add_rollout(Figure& figure, const HeadMeasures& heads, const Labels& labels, Point at, double side, double margin);

}  // namespace attnscope
