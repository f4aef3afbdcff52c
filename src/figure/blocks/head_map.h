// The map of distances between heads, with similar heads next to each other.
#pragma once

#include "core/heads/head_measures.h"
#include "figure/model/figure.h"

namespace attnscope {

/// The side of a map of that many heads in `room` units: whole units per cell, at least as many as are visible.
double head_map_side(Index heads, double room);

/// The width of the map's title.
double head_map_title_width();

/// Adds a map of the Jensen–Shannon divergences [head, head] with the side of `head_map_side`, its colour bar, and for
/// few heads a tooltip for each cell; a click selects the head of the row. The title begins at `at`. The colour bar
/// keeps `margin` from the sides of the figure, whose width is known by then.
void add_head_map(Figure& figure, const HeadMeasures& heads, Point at, double side, double margin);

}  // namespace attnscope
