// Figures laid out for a preset.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "io/figures/figure_file.h"

namespace attnscope {

struct FittedFigure {
  Figure figure;
  FigureFileOptions options;  ///< with the sizes that the preset gave them
};

/// The figure for a file with these options. In a preset it is laid out with the largest type at which all of it fits, and
/// no text is smaller than `kLeastPoints`: where labels would be, numbers are shown. Where that is impossible, an error says what has room for it: "the view flow
/// does not fit into 3.3 in at 6 pt: its smallest text would be 5.2 pt; the preset page has room". `view` names the view
/// there. Builds the figure a few times; without a preset, see `figure_for_file`.
Result<FittedFigure> fitted_figure(const BuildFigure& build, const FigureFileOptions& options, std::string_view view);

/// What text there is in a figure, and where.
struct TextExtents {
  double smallest = 0;  ///< size of type in the figure's unit; 0: no text
  bool inside = true;   ///< whether none leaves the figure
};
TextExtents text_extents(const Figure& figure);

/// The size of the smallest text in a file with these options, points; 0: no text.
double smallest_points(const Figure& figure, const FigureFileOptions& options);

}  // namespace attnscope
