#include "ui/panels/near_place.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "figure/slices/matrix_facts.h"
#include "figure/style/markup.h"

namespace attnscope::ui {
namespace {

// Logical pixels: 200 pixels where letters of the smallest size have 16.
constexpr double kEnlarged = 200 * TypeSize::kSmall / 16;
// A matrix of this length is enlarged no further where all of the figure, with large letters, is in view, or other
// matrices that are spoken of would be out of view: what it is computed from says more than larger cells.
constexpr double kLongEnough = 0.3 * kEnlarged;
// So is a smaller one with few cells, which are as large as that.
constexpr double kLargeCell = 9;
// Letters that are this much too small look as large as others.
constexpr double kUnnoticed = 1.02;
// Letters that are this much too small are not worth what a zoom cuts off.
constexpr double kNearlyLarge = 1.06;
// Between what is looked at and the end of the view.
constexpr double kBehind = 8;

const Step& step_at(const Trace& trace, const HeatmapMark& mark) { return trace.step(mark.step); }

/// The boxes of the tensor's matrices.
std::vector<Rect> boxes_of(const Figure& figure, const Trace& trace, const std::string& tensor) {
  std::vector<Rect> boxes;
  for (const HeatmapMark& mark : figure.heatmaps) {
    if (mark.step >= 0 && step_at(trace, mark).name == tensor) boxes.push_back(mark.box);
  }
  return boxes;
}

Rect all_of(std::span<const Rect> boxes) {
  Rect all = boxes.front();
  for (const Rect& box : boxes) all = all.united(box);
  return all;
}

/// The box of a heading, which is not turned.
Rect heading_box(const TextMark& text) {
  const double width = markup_width(text.markup, text.size, text.weight);
  const double before = text.horizontal == HorizontalAlign::left     ? 0
                        : text.horizontal == HorizontalAlign::center ? width / 2
                                                                     : width;
  return {text.at.x - before, text.at.y - text.size, width, text.size * 1.3};
}

/// The box of the tensor's matrices with their headings above.
Rect with_headings(const Figure& figure, const Trace& trace, const std::string& tensor, const Rect& box) {
  Rect all = box;
  for (const TextMark& text : figure.texts) {
    const Step* const headed = text.angle == 0 ? headed_step(figure, trace, text) : nullptr;
    if (headed == nullptr || headed->name != tensor) continue;
    const Rect heading = heading_box(text);
    if (heading.y < box.bottom()) all = all.united(heading);
  }
  return all;
}

/// The tensors that those are computed from, then those that are computed from them.
std::vector<std::string> neighbors_of(const Trace& trace, std::span<const std::string> tensors) {
  std::vector<std::string> neighbors;
  const auto is_one = [&](const Step& step) { return std::ranges::find(tensors, step.name) != tensors.end(); };
  const auto input = [&](int number) -> const Step& { return trace.step(number); };
  for (const Step& step : trace.steps()) {
    if (!is_one(step)) continue;
    for (const int number : step.inputs) neighbors.push_back(input(number).name);
  }
  for (const Step& step : trace.steps()) {
    if (std::ranges::any_of(step.inputs, [&](int number) { return is_one(input(number)); }))
      neighbors.push_back(step.name);
  }
  return neighbors;
}

std::vector<Rect> own_boxes(const Figure& figure) {
  std::vector<Rect> boxes;
  for (const HeatmapMark& mark : figure.heatmaps) {
    if (has_own_numbers(mark)) boxes.push_back(mark.box);
  }
  return boxes;
}

/// The middle of a view of that length in which what is looked at ends at `end`: as much as possible of what comes
/// before it is in view too, and nothing beside the figure.
double middle_of_view(double begin, double end, double view, double figure) {
  if (view >= figure) return figure / 2;
  const double slack = view - (end - begin);
  return std::clamp(end + std::min(kBehind, std::max(0.0, slack) / 2), view, figure) - view / 2;
}

/// The matrices of the first tensor, and the zoom they need.
struct FirstMatrix {
  Rect box;                          ///< of all of them
  Rect with_headings;                ///< the same with their headings above
  double zoom_for_letters = 1;       ///< for letters of their full size
  double zoom_beside_others = 1;     ///< for a class to read them where it sees other matrices as well
  double zoom_for_the_last_row = 1;  ///< for a class to read them from the last row
};

FirstMatrix first_matrix(std::span<const Rect> boxes, const Rect& headed, double cell, const NearPanel& panel) {
  const Rect box = all_of(boxes);
  const double larger = panel.unit / panel.fit;
  const double letters = boxes.size() == 1 || larger > kNearlyLarge ? larger : 1;
  if (boxes.size() > 1) return {box, headed, letters, 1, letters};
  const double length = std::max(box.width, box.height) * panel.fit / panel.unit;
  const double readable = std::min(kLongEnough / length, kLargeCell / (cell * panel.fit / panel.unit));
  const bool is_enough = readable <= 1 && larger <= kNearlyLarge;
  return {box, headed, letters, readable, is_enough ? letters : std::max(letters, kEnlarged / length)};
}

/// The whole figure or, where its letters would be small, as much of its beginning as there is room for.
NearPlace beginning_with_large_letters(const Figure& figure, const NearPanel& panel) {
  const double larger = panel.unit / panel.fit;
  if (larger <= kUnnoticed) return {1, {figure.width / 2, figure.height / 2}};
  return {larger, {panel.width / panel.unit / 2, panel.height / panel.unit / 2}};
}

}  // namespace

bool has_own_numbers(const HeatmapMark& mark) {
  return mark.step < 0 && mark.picks.name.empty() && !mark.id.starts_with("moment.");
}

const HeatmapMark* first_matrix_of(const Figure& figure, const Trace& trace, std::span<const std::string> tensors) {
  for (const std::string& tensor : tensors) {
    const auto is_its = [&](const HeatmapMark& mark) { return mark.step >= 0 && step_at(trace, mark).name == tensor; };
    const auto found = std::ranges::find_if(figure.heatmaps, is_its);
    if (found != figure.heatmaps.end()) return &*found;
  }
  return nullptr;
}

NearPlace place_near(const Figure& figure, const Trace& trace, std::span<const std::string> tensors,
                     const NearPanel& panel) {
  std::vector<Rect> places;
  std::optional<FirstMatrix> first;
  const auto fitting = [&](const Rect& box) {
    return std::min(panel.width / (box.width * panel.fit), panel.height / (box.height * panel.fit));
  };
  for (const std::string& tensor : tensors) {
    const std::vector<Rect> boxes = boxes_of(figure, trace, tensor);
    if (boxes.empty()) continue;
    const Rect headed = with_headings(figure, trace, tensor, all_of(boxes));
    if (first) {
      places.push_back(headed);
      continue;
    }
    const HeatmapMark& mark = *first_matrix_of(figure, trace, {&tensor, 1});
    first = first_matrix(boxes, headed, mark.box.height / static_cast<double>(std::max<Index>(1, mark.rows())), panel);
    const double room = fitting(boxes.size() == 1 ? first->box : headed);
    for (double* const zoom : {&first->zoom_for_letters, &first->zoom_for_the_last_row})
      *zoom = std::max(1.0, std::min(*zoom, room));
  }
  if (!first) return beginning_with_large_letters(figure, panel);
  // They usually follow from the others: the last one says what the figure is about.
  const std::vector<Rect> own = own_boxes(figure);
  places.insert(places.end(), own.rbegin(), own.rend());
  if (!own.empty()) first->zoom_for_the_last_row = first->zoom_for_letters;
  const auto grown = [&](Rect near, std::span<const Rect> more, double zoom) {
    for (const Rect& place : more) {
      const Rect all = near.united(place);
      if (fitting(all) >= zoom) near = all;
    }
    return near;
  };
  Rect near = grown(first->box, places, first->zoom_for_letters);
  double zoom = std::max(first->zoom_for_letters, std::min(first->zoom_for_the_last_row, fitting(near)));
  if (zoom < first->zoom_beside_others) {
    zoom = first->zoom_for_the_last_row;
    near = grown(first->box, places, zoom);
  }
  std::vector<Rect> more = {first->with_headings};
  for (const std::string& tensor : neighbors_of(trace, tensors)) {
    const std::vector<Rect> boxes = boxes_of(figure, trace, tensor);
    if (!boxes.empty()) more.push_back(with_headings(figure, trace, tensor, all_of(boxes)));
  }
  near = grown(near, more, zoom);
  const double seen = zoom * panel.fit;
  return {zoom,
          {middle_of_view(near.x, near.right(), panel.width / seen, figure.width),
           middle_of_view(near.y, near.bottom(), panel.height / seen, figure.height)}};
}

}  // namespace attnscope::ui
