#include "figure/blocks/head_sections.h"

#include <algorithm>
#include <numeric>

#include "figure/model/label_painter.h"
#include "figure/slices/matrix.h"

namespace attnscope {
namespace {

// Between matrices, with labels and without.
constexpr double kLabelledGap = 22;
constexpr double kBareGap = 10;
// The smallest height of a matrix.
constexpr double kLeastExtent = 16;
// Cells that are this much larger are worth more than some of the labels.
constexpr double kWorthLabels = 1.2;
constexpr double kLargestCell = 48;

/// Sections with labels in given places, and perhaps room for the states of heads behind their names.
class SectionLayout {
 public:
  SectionLayout(const std::vector<HeadSection>& sections, const SectionRoom& room, LabelPlaces labels, bool states)
      : sections_(sections), room_(room) {
    made_.places = labels;
    shape_panels(states);
  }

  SectionGrids arrange() {
    const double labels_above = std::accumulate(made_.top.begin(), made_.top.end(), 0.0);
    const double width = std::max(1.0, room_.width - made_.left);
    const double height = room_.height > 0 ? std::max(1.0, room_.height - labels_above) : 0;
    made_.grids = height > 0 ? fit_into(width, height) : fit_page(width, labels_above);
    return std::move(made_);
  }

 private:
  /// Heads align across sections: all leave the same room for labels.
  void shape_panels(bool states) {
    double labels = 0;
    for (const HeadSection& section : sections_)
      labels = std::max(labels, row_label_width(placed(section.heads.front().row_labels)));
    const bool everywhere = made_.places == LabelPlaces::everywhere;
    made_.left = everywhere ? 0 : labels;
    const double left = everywhere ? labels : 0;
    for (const HeadSection& section : sections_) {
      const HeatmapMark& first = section.heads.front();
      // Room for turned labels, as the width of the cells is not known yet.
      const double above = column_label_height(placed(first.column_labels), 0);
      made_.top.push_back(everywhere ? 0 : above);
      const double top = (section.has_heads ? section.name_height : 0) + (everywhere ? above : 0);
      const bool has_state = section.switchable && everywhere && states;
      const double name =
          section.widest_name + (has_state ? text_width(", off", TypeSize::kBody, FontWeight::semibold) : 0);
      const double gap = everywhere ? kLabelledGap : kBareGap;
      made_.shapes.push_back({first.rows(), first.columns(), left, top, gap, left + name, kLargestCell, 2});
    }
  }

  /// As they stand in those places.
  [[nodiscard]] Labels placed(Labels labels) const {
    if (made_.places == LabelPlaces::numbers) labels.show(Labels::Shown::numbers);
    if (made_.places == LabelPlaces::nowhere) labels.show(Labels::Shown::none);
    return labels;
  }

  /// The sections with `across` heads side by side and cells of one size: the largest that fits.
  [[nodiscard]] std::vector<Grid> arrange(Index across, double width, double height) const {
    Index longest = 1;  // matrix, in cells
    for (const PanelShape& shape : made_.shapes) longest = std::max(longest, shape.rows);
    for (double largest = kLargestCell;; largest = largest > 4 ? largest - 1 : largest * 0.9) {
      std::vector<Grid> grids;
      double total = 0;
      double smallest = largest;
      for (std::size_t i = 0; i < sections_.size(); ++i) {
        PanelShape shape = made_.shapes[i];
        shape.largest_cell = largest;
        grids.push_back(arrange_grid(static_cast<Index>(sections_[i].heads.size()), across, shape, width, 0));
        total += grids.back().height();
        smallest = std::min(smallest, grids.back().cell_width);
      }
      double widest = 0;
      for (const Grid& grid : grids) widest = std::max(widest, grid.panel_width);
      for (Grid& grid : grids) grid.panel_width = widest;
      const bool same_size = smallest == largest || largest < 1;
      const bool least = largest * static_cast<double>(longest) < kLeastExtent;
      if ((same_size && (height <= 0 || total <= height)) || least) return grids;
    }
  }

  [[nodiscard]] std::vector<Grid> fit_page(double width, double labels_above) const {
    const Index across = fit_grid(heads(), made_.shapes.front(), width, 0).across;
    std::vector<Grid> grids = arrange(across, width, 0);
    double total = labels_above;
    for (const Grid& grid : grids) total += grid.height();
    // A window can be too narrow for any page.
    const double page = page_height(room_.width);
    return total <= page || page <= labels_above ? grids : fit_into(width, page - labels_above);
  }

  [[nodiscard]] std::vector<Grid> fit_into(double width, double height) const {
    std::vector<Grid> best = arrange(1, width, height);
    double largest = shown_cell(best, width, height);
    for (Index across = 2; across <= heads(); ++across) {
      if (room_.stop.stop_requested()) break;
      std::vector<Grid> grids = arrange(across, width, height);
      const double cell = shown_cell(grids, width, height);
      if (cell < largest) continue;
      largest = cell;
      best = std::move(grids);
    }
    return best;
  }

  /// The width of a cell where all grids are made smaller until they fit.
  [[nodiscard]] static double shown_cell(const std::vector<Grid>& grids, double width, double height) {
    double widest = 0;
    double total = 0;
    for (const Grid& grid : grids) {
      widest = std::max(widest, grid.width());
      total += grid.height();
    }
    return grids.front().cell_width * std::min({1.0, width / widest, height / total});
  }

  [[nodiscard]] Index heads() const { return static_cast<Index>(sections_.front().heads.size()); }

  const std::vector<HeadSection>& sections_;
  const SectionRoom& room_;
  SectionGrids made_;
};

/// Whether words beside the cells of some section are too many for all of them.
bool leaves_labels_out(const std::vector<HeadSection>& sections, const std::vector<Grid>& grids) {
  const auto left_out = [](const Labels& labels, double cell) {
    return !labels.empty() && !labels.are_counted() && cell < kLeastLabelled;
  };
  for (std::size_t i = 0; i < grids.size(); ++i) {
    const HeatmapMark& first = sections[i].heads.front();
    if (left_out(first.row_labels, grids[i].cell_height) || left_out(first.column_labels, grids[i].cell_width))
      return true;
  }
  return false;
}

bool fits(const SectionGrids& made, const SectionRoom& room) {
  return made.width() <= room.width && (room.height <= 0 || made.height() <= room.height);
}

/// The width of a cell where the whole is made smaller until it fits.
double seen_cell(const SectionGrids& made, const SectionRoom& room) {
  const double scale = std::min({1.0, room.width / made.width(), room.height > 0 ? room.height / made.height() : 1.0});
  return made.grids.front().cell_width * scale;
}

void place_labels(std::vector<HeadSection>& sections, const SectionGrids& made) {
  if (made.places == LabelPlaces::everywhere) return;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    for (std::size_t head = 0; head < sections[i].heads.size(); ++head) {
      const auto number = static_cast<Index>(head);
      HeatmapMark& mark = sections[i].heads[head];
      const auto place = [&](Labels& labels, bool outside) {
        if (!outside || made.places == LabelPlaces::nowhere) return labels.show(Labels::Shown::none);
        if (made.places == LabelPlaces::numbers) labels.show(Labels::Shown::numbers);
      };
      place(mark.row_labels, number % made.grids[i].across == 0);
      place(mark.column_labels, number < made.grids[i].across);
    }
  }
}

}  // namespace

double SectionGrids::width() const {
  double widest = 0;
  for (const Grid& grid : grids) widest = std::max(widest, grid.width());
  return left + widest;
}

double SectionGrids::height() const {
  double all = std::accumulate(top.begin(), top.end(), 0.0);
  for (const Grid& grid : grids) all += grid.height();
  return all;
}

Point SectionGrids::matrix(std::size_t section, std::size_t head) const {
  const Point corner = grids[section].corner(static_cast<Index>(head));
  return {left + corner.x + shapes[section].left, top[section] + corner.y + shapes[section].top};
}

SectionGrids arrange_sections(std::vector<HeadSection>& sections, const SectionRoom& room) {
  const auto with = [&](LabelPlaces labels, bool states = false) {
    return SectionLayout(sections, room, labels, states).arrange();
  };
  SectionGrids made = with(LabelPlaces::everywhere, true);
  if (made.width() > room.width) {
    SectionGrids narrower = with(LabelPlaces::everywhere);
    if (seen_cell(narrower, room) > seen_cell(made, room)) made = std::move(narrower);
  }
  if (leaves_labels_out(sections, made.grids)) {
    SectionGrids outside = with(LabelPlaces::outside);
    if (leaves_labels_out(sections, outside.grids)) {
      SectionGrids bare = with(LabelPlaces::numbers);
      // What is shown smaller as a whole has smaller letters as well.
      if (!fits(bare, room)) bare = with(LabelPlaces::nowhere);
      if (seen_cell(bare, room) >= kWorthLabels * seen_cell(made, room)) made = std::move(bare);
    } else {
      made = std::move(outside);
    }
  }
  place_labels(sections, made);
  return made;
}

}  // namespace attnscope
