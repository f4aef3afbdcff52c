// Arrows in a plane: axes of equal scale through 0, and labels at the tips that do not touch.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "figure/layout/chart.h"
#include "figure/model/figure.h"

namespace attnscope {

/// A place in the plane: across, up.
using PlanePoint = std::array<double, 2>;

struct PanelArrow {
  std::string id;
  PlanePoint from = {0, 0};
  PlanePoint to = {0, 0};
  Shade shade;
  double width = 1.5;
  bool dashed = false;
  bool head = true;
  std::string label = {};  ///< markup at the tip; empty: none
  Ink label_ink = Ink::dim;
  std::optional<TargetMark> target = {};  ///< at the tip; the panel sets its place
};

/// The angle at 0 between the directions of two points.
struct PanelAngle {
  PlanePoint from = {1, 0};
  PlanePoint to = {1, 0};
  std::string label;
};

struct ArrowPanel {
  std::string id;
  std::string title;
  std::string caption;
  std::array<std::string, 2> axes;        ///< their titles: across, up
  std::array<std::string, 2> axes_about;  ///< their tooltips; empty: none
  bool symmetric = false;                 ///< 0 is in the middle; otherwise where the arrows leave it
  std::vector<PanelArrow> arrows;         ///< in the order of painting; the last ones get their labels first
  std::optional<PanelAngle> angle;
  std::vector<LegendEntry> legend;
};

/// The room left of the box of the arrows, and right of it.
inline constexpr double kPanelLeft = 48;
inline constexpr double kPanelRight = 12;

/// The heights of what is above that box and below it, in a panel `width` wide.
double panel_head(const ArrowPanel& panel, double width);
double panel_foot(const ArrowPanel& panel, double width);

/// Adds the panel: its title begins at `corner`, and the square box of the arrows is `head` below that.
void add_arrow_panel(Figure& figure, const ArrowPanel& panel, Point corner, double width, double head, double side);

}  // namespace attnscope
