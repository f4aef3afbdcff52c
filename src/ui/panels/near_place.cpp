#include "ui/panels/near_place.h"

#include <algorithm>
#include <vector>

#include "figure/slices/matrix_facts.h"

namespace attnscope::ui {
namespace {

// Logical pixels: 200 pixels where letters of the smallest size have 16.
constexpr double kEnlarged = 200 * TypeSize::kSmall / 16;

const Step& step_at(const Trace& trace, const HeatmapMark& mark) {
  return trace.steps()[static_cast<std::size_t>(mark.step)];
}

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

/// The box and, above it, its nearest heading.
Rect with_heading(const Figure& figure, const Trace& trace, const std::string& tensor, const Rect& box) {
  double top = box.y;
  for (const TextMark& text : figure.texts) {
    if (text.at.y > box.y || text.at.x > box.right() || text.at.x < box.x - box.width) continue;
    const Step* const headed = headed_step(figure, trace, text);
    if (headed != nullptr && headed->name == tensor) top = std::min(top, text.at.y - TypeSize::kTitle);
  }
  return {box.x, top, box.width, box.bottom() - top};
}

/// The center of a view of that length, moved so that none of it lies beside a figure that is longer.
double within(double center, double view, double figure) {
  return view < figure ? std::clamp(center, view / 2, figure - view / 2) : center;
}

}  // namespace

std::optional<NearPlace> place_near(const Figure& figure, const Trace& trace, std::span<const std::string> tensors,
                                    const NearPanel& panel) {
  std::vector<Rect> places;
  std::optional<double> zoom;
  const auto fitting = [&](const Rect& box) {
    return std::min(panel.width / (box.width * panel.fit), panel.height / (box.height * panel.fit));
  };
  for (const std::string& tensor : tensors) {
    const std::vector<Rect> boxes = boxes_of(figure, trace, tensor);
    if (boxes.empty()) continue;
    const Rect all = all_of(boxes);
    places.push_back(with_heading(figure, trace, tensor, all));
    if (zoom) continue;
    const double letters = panel.unit / panel.fit;
    const bool is_alone = boxes.size() == 1;
    const double wanted = is_alone ? kEnlarged * panel.unit / (std::max(all.width, all.height) * panel.fit) : letters;
    zoom = std::max(1.0, std::min(std::max(letters, wanted), fitting(all)));
    if (fitting(places.front()) < *zoom) places.front() = all;
  }
  if (!zoom) return std::nullopt;
  Rect near = places.front();
  for (const Rect& place : places) {
    const Rect more = near.united(place);
    if (fitting(more) >= *zoom) near = more;
  }
  const double seen = *zoom * panel.fit;
  return NearPlace{*zoom,
                   {within(near.center().x, panel.width / seen, figure.width),
                    within(near.center().y, panel.height / seen, figure.height)}};
}

}  // namespace attnscope::ui
