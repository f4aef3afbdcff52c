// The cluster map: how far the heads are apart, near ones together.
#pragma once

#include "core/heads/head_measures.h"
#include "figure/model/figure.h"

namespace attnscope {

/// The side of a map of so many heads where there are `room` units: whole units a cell, and no less than can be seen.
double head_map_side(Index heads, double room);

/// At `at`, where its title begins: a map of the Jensen–Shannon divergences [head, head] with sides as long as
/// `head_map_side` says, its colour bar, and of few heads what a cell says of its pair; a click chooses the row's head.
/// The colour bar keeps `margin` from the sides of the figure, whose width is known by now.
void add_head_map(Figure& figure, const HeadMeasures& heads, Point at, double side, double margin);

}  // namespace attnscope
