#include "figure/model/full_size_labels.h"

#include <algorithm>
#include <string>
#include <utility>

#include "figure/model/label_painter.h"

namespace attnscope {
namespace {

constexpr double kPitch = TypeSize::kSmall * kLabelPitch;

/// Whether the labels have no room in their full size, beside rows and above columns.
bool are_low(const HeatmapMark& mark) {
  if (mark.row_labels.shown() == Labels::Shown::none) return false;
  return mark.box.height / static_cast<double>(mark.row_labels.size()) < kPitch;
}
bool are_narrow(const HeatmapMark& mark) {
  if (mark.column_labels.shown() == Labels::Shown::none) return false;
  const double cell = mark.box.width / static_cast<double>(mark.column_labels.size());
  // Words that are written across have their size, and so have numbers.
  const bool across = mark.column_labels.are_counted() || mark.column_labels.widest(TypeSize::kSmall) + 4 <= cell;
  return !across && cell < kPitch;
}

bool are_words(const Labels& labels) {
  return !labels.empty() && !labels.are_counted() && labels.shown() == Labels::Shown::some;
}

/// Numbers in place of words that have no room, unless those are all or none.
void shorten(Labels& labels) {
  const bool none = labels.shown() == Labels::Shown::all_or_none;
  if (labels.are_counted() && !none) return;
  labels = none ? Labels() : Labels(position_numbers(static_cast<Index>(labels.size())));
}

/// Adds the numbers of rows, `cell` apart, as texts: beside the matrix they would be as small as its cells.
void add_row_numbers(Figure& figure, HeatmapMark& mark, double cell) {
  const Labels labels = std::exchange(mark.row_labels, {});
  const Index step = labels_step(labels, kPitch, cell);
  for (Index i = step - 1; i < static_cast<Index>(labels.size()); i += step) {
    TextMark text;
    text.id = mark.id + ".row." + std::to_string(i);
    text.at = {mark.box.x - kLabelDistance, mark.box.y + (static_cast<double>(i) + 0.5) * cell};
    text.markup = labels[static_cast<std::size_t>(i)];
    text.size = TypeSize::kSmall;
    text.ink = Ink::dim;
    text.horizontal = HorizontalAlign::right;
    text.vertical = VerticalAlign::middle;
    figure.texts.push_back(std::move(text));
  }
}

}  // namespace

Figure with_full_size_labels(Figure figure) {
  const FontScope font(figure.font);
  for (HeatmapMark& mark : figure.heatmaps) {
    if (mark.empty()) continue;
    if (are_low(mark)) {
      const double cell = mark.box.height / static_cast<double>(mark.row_labels.size());
      shorten(mark.row_labels);
      if (!mark.row_labels.empty()) add_row_numbers(figure, mark, cell);
    }
    if (are_narrow(mark)) shorten(mark.column_labels);
  }
  return figure;
}

bool has_room_for_words(const Figure& figure) {
  const FontScope font(figure.font);
  return !figure.lacks_words && std::ranges::none_of(figure.heatmaps, [](const HeatmapMark& mark) {
    if (mark.empty()) return false;
    return (are_words(mark.row_labels) && are_low(mark)) || (are_words(mark.column_labels) && are_narrow(mark));
  });
}

}  // namespace attnscope
