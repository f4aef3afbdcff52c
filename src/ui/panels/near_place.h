// Where in a figure the matrices are that a class has to read.
#pragma once

#include <span>
#include <string>

#include "core/trace/trace.h"
#include "figure/model/figure.h"

namespace attnscope::ui {

/// The panel that shows the figure.
struct NearPanel {
  double fit = 1;   ///< pixels per unit of the figure when all of it is in view
  double unit = 1;  ///< pixels per logical pixel
  double width = 0;
  double height = 0;  ///< both in pixels
};

/// What to look at: how much larger than when all of the figure is in view, and around which of its points.
struct NearPlace {
  double zoom = 1;
  Point center;
};

/// Whether the matrix has numbers that its figure computed and is about, such as a difference: not those of a tensor, of a
/// picture, or of a moment that is played.
bool has_own_numbers(const HeatmapMark& mark);

/// The first matrix of the first of the tensors that the figure shows; null: it shows none of them.
const HeatmapMark* first_matrix_of(const Figure& figure, const Trace& trace, std::span<const std::string> tensors);

/// Letters get their full size, and the matrix of the first of the tensors a length that a class can read from the last
/// row, a smaller one where more of the tensors or all of the figure is in view then, or where the figure has matrices with
/// numbers of its own, such as a difference; of a tensor with several matrices, such as one for each head, all stay in
/// view. Headings stay in view, and so do as many of the tensors that those are computed from and of those computed from them
/// as there is room for; what is left of the room is given to what comes before. Where the figure has none of the
/// tensors, only letters count.
NearPlace place_near(const Figure& figure, const Trace& trace, std::span<const std::string> tensors,
                     const NearPanel& panel);

}  // namespace attnscope::ui
