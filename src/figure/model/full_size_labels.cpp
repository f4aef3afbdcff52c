#include "figure/model/full_size_labels.h"

#include <utility>

#include "figure/model/label_painter.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr double kPitch = TypeSize::kSmall * kLabelPitch;

TextMark label_mark(std::string id, Point at, const std::string& words, HorizontalAlign horizontal, double angle) {
  TextMark mark;
  mark.id = std::move(id);
  mark.at = at;
  mark.markup = literal_markup(words);
  mark.size = TypeSize::kSmall;
  mark.ink = Ink::dim;
  mark.horizontal = horizontal;
  mark.vertical = VerticalAlign::middle;
  mark.angle = angle;
  return mark;
}

/// Adds the labels of rows, or turned ones of columns, `cell` apart, and takes them from the matrix.
void add_labels(Figure& figure, HeatmapMark& mark, bool of_rows, double cell) {
  Labels& labels = of_rows ? mark.row_labels : mark.column_labels;
  const Index step = labels_step(labels, kPitch, cell);
  const bool none = labels.shown() == Labels::Shown::all_or_none && step > 1;
  const Index first = labels.are_counted() ? step - 1 : 0;
  for (Index i = first; !none && i < static_cast<Index>(labels.size()); i += step) {
    const double along = (static_cast<double>(i) + 0.5) * cell;
    const Point at = of_rows ? Point{mark.box.x - kLabelDistance, mark.box.y + along}
                             : Point{mark.box.x + along, mark.box.y - kLabelDistance};
    figure.texts.push_back(label_mark(mark.id + (of_rows ? ".row." : ".column.") + std::to_string(i), at,
                                      labels[static_cast<std::size_t>(i)],
                                      of_rows ? HorizontalAlign::right : HorizontalAlign::left, of_rows ? 0 : -90));
  }
  labels.clear();
}

}  // namespace

Figure with_full_size_labels(Figure figure) {
  const FontScope font(figure.font);
  for (HeatmapMark& mark : figure.heatmaps) {
    if (mark.empty()) continue;
    if (mark.row_labels.shown() != Labels::Shown::none) {
      const double cell = mark.box.height / static_cast<double>(mark.row_labels.size());
      if (cell < kPitch) add_labels(figure, mark, true, cell);
    }
    if (mark.column_labels.shown() != Labels::Shown::none) {
      const double cell = mark.box.width / static_cast<double>(mark.column_labels.size());
      // Labels that are written across have their size.
      const bool across = mark.column_labels.are_counted() || mark.column_labels.widest(TypeSize::kSmall) + 4 <= cell;
      if (!across && cell < kPitch) add_labels(figure, mark, false, cell);
    }
  }
  return figure;
}

}  // namespace attnscope
