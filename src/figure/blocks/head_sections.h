// Sections of heads below each other, such as self- and cross-attention: the matrices of each in a grid.
#pragma once

#include <string>
#include <vector>

#include "core/base/stop.h"
#include "figure/layout/grid.h"
#include "figure/model/figure.h"

namespace attnscope {

/// The weights of all heads of one attention. They have the same labels.
struct HeadSection {
  std::string tensor;
  std::string title;
  std::vector<HeatmapMark> heads;
  std::vector<std::string> names;  ///< of the heads
  double widest_name = 0;          ///< logical pixels
  bool switchable = false;         ///< whether heads can be switched off
  bool has_heads = true;           ///< otherwise a single matrix without a title
  double name_height = 20;         ///< above a matrix
};

/// Beside which matrices labels stand.
enum class LabelPlaces {
  everywhere,
  outside,  ///< left of the first matrix of each row, above the first row of a section
  numbers,  ///< the same, with room for numbers only
  nowhere
};

struct SectionGrids {
  std::vector<PanelShape> shapes;                ///< of the sections' panels
  std::vector<Grid> grids;                       ///< of the sections; heads align across them
  LabelPlaces places = LabelPlaces::everywhere;  ///< of labels
  double left = 0;                               ///< of the grids, for labels outside
  std::vector<double> top;                       ///< above each grid, for labels outside

  [[nodiscard]] double width() const;
  /// Of the grids with the labels above them.
  [[nodiscard]] double height() const;
  /// The corner of a head's matrix, from that of its section's grid with the labels beside and above it.
  [[nodiscard]] Point matrix(std::size_t section, std::size_t head) const;
};

/// The room for grids, logical pixels, without titles and gaps; a height of 0 is any.
struct SectionRoom {
  double width = 0;
  double height = 0;
  StopToken stop;
};

/// The largest cells that fit: in a window; in a file, whose height is free, as many heads side by side as are readable.
/// Labels stand beside every matrix if all have room there, otherwise outside the grid. If they have no room there either,
/// and cells without them become much larger, numbers replace them, or nothing where numbers do not fit. A matrix without
/// labels beside it has them hidden in its mark.
SectionGrids arrange_sections(std::vector<HeadSection>& sections, const SectionRoom& room);

}  // namespace attnscope
