#include "figure/model/label_painter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace attnscope {
namespace {

// The share of the visible part that labels at its edge may cover.
constexpr double kMostCovered = 0.3;

/// The step at which labels that need `needed` each fit along cells of size `cell`.
Index label_step(double needed, double cell) {
  // Labels that are as large as their cells let them be need all of those, up to rounding.
  constexpr double rounding = 1e-6;
  return std::max<Index>(1, static_cast<Index>(std::ceil(needed / cell - rounding)));
}

/// The same for labels that count from 1: every 1st, 2nd, 5th, 10th, 20th, …, so that the round numbers stay.
Index round_step(double needed, double cell) {
  for (Index power = 1;; power *= 10) {
    for (const Index step : {power, 2 * power, 5 * power}) {
      if (static_cast<double>(step) * cell >= needed) return step;
    }
  }
}

/// Which of `count` numbers are written, the first of them counted from 0.
struct NumbersShown {
  Index first = 0;
  Index step = 1;
};

/// The round ones; but where that would be a single one, which says nothing about the others, the first and the last.
NumbersShown numbers_shown(Index count, double needed, double cell) {
  const Index step = round_step(needed, cell);
  const bool has_room = static_cast<double>(count - 1) * cell >= needed;
  if (count > 1 && count < 2 * step && has_room) return {0, count - 1};
  return {step - 1, step};
}

/// The visible ones of `count` labels, `cell` apart from `from` on: the first, and one past the last.
std::pair<Index, Index> seen(double from, double cell, Index count, double begin, double end, Index step) {
  const auto at = [&](double place) {
    return static_cast<Index>(std::clamp((place - from) / cell, 0.0, static_cast<double>(count)));
  };
  return {at(begin) / step * step, std::min(count, at(end) + 1)};
}

}  // namespace

Index labels_step(const Labels& labels, double needed, double cell) {
  return labels.are_counted() ? round_step(needed, cell) : label_step(needed, cell);
}

LabelPainter::LabelPainter(const HeatmapMark& mark, const Palette& palette, const FigureTransform& transform,
                           const Rect& visible, Canvas& canvas)
    : mark_(mark),
      palette_(palette),
      transform_(transform),
      visible_(visible),
      canvas_(canvas),
      box_(transform.apply(mark.box)),
      nearby_(visible.grown(type(kFarthestText))),
      rows_(row_place()),
      columns_(column_place()) {}

void LabelPainter::paint() const {
  if (mark_.row_labels.shown() != Labels::Shown::none) rows();
  if (mark_.column_labels.shown() != Labels::Shown::none) columns();
}

double LabelPainter::label_size(double cell) const {
  return std::clamp(cell / kLabelPitch, type(kMinLabel), type(TypeSize::kSmall));
}

bool LabelPainter::are_numbers(const Labels& labels, double cell) const {
  // The smallest ones may be as close as their letters are high.
  constexpr double rounding = 1e-6;
  const bool always = labels.are_counted() || labels.shown() == Labels::Shown::numbers;
  return always || cell < type(kMinLabel) - rounding;
}

bool LabelPainter::fit_across() const {
  const Labels& labels = mark_.column_labels;
  return !labels.are_counted() && labels.shown() != Labels::Shown::numbers &&
         mark_.column_labels.widest(type(TypeSize::kSmall)) + type(4) <= column_width();
}

double LabelPainter::widest(const Labels& labels, bool numbers, double size) {
  if (!numbers || labels.are_counted()) return labels.widest(size);
  return text_width(std::string(std::to_string(labels.size()).size(), '0'), size);
}

LabelPainter::Place LabelPainter::row_place() const {
  Place place = {box_.x - type(kLabelDistance)};
  if (mark_.row_labels.shown() == Labels::Shown::none) return place;
  place.room =
      std::min(widest(mark_.row_labels, rows_are_numbers(), label_size(row_height())), kMostCovered * visible_.width);
  const double edge = visible_.x + place.room;
  place.at_edge = place.at < edge && box_.right() > edge && box_.intersection(visible_).height > 0;
  if (place.at_edge) place.at = edge + type(4);
  return place;
}

LabelPainter::Place LabelPainter::column_place() const {
  Place place = {box_.y - type(kLabelDistance)};
  if (mark_.column_labels.shown() == Labels::Shown::none) return place;
  const double small = type(TypeSize::kSmall);
  place.room = are_across()
                   ? small
                   : std::min(mark_.column_labels.widest(label_size(column_width())), kMostCovered * visible_.height);
  const double edge = visible_.y + place.room;
  place.at_edge = place.at < edge && box_.bottom() > edge && box_.intersection(visible_).width > 0;
  if (place.at_edge) place.at = edge + type(4);
  return place;
}

void LabelPainter::rows() const {
  const double cell = row_height();
  const bool numbers = rows_are_numbers();
  // Numbers of which only some have room have it in full size.
  const bool all_fit = label_size(cell) * kLabelPitch <= cell * (1 + 1e-6);
  const double size = numbers && !all_fit ? type(TypeSize::kSmall) : label_size(cell);
  const double needed = size * kLabelPitch;
  if (rows_.at < nearby_.x || rows_.at > nearby_.right()) return;
  if (rows_.at_edge) {
    const Rect below = {visible_.x, box_.y, rows_.at + type(3) - visible_.x, box_.height};
    canvas_.fill(below.intersection(visible_), palette_.background, 1);
  }
  const auto [offset, step] =
      numbers ? numbers_shown(std::ssize(mark_.row_labels.texts()), needed, cell) : NumbersShown();
  const bool replaced = numbers && !mark_.row_labels.are_counted();
  if (mark_.row_labels.shown() == Labels::Shown::all_or_none && (replaced || step > 1)) return;
  const auto [first, last] =
      seen(box_.y, cell, std::ssize(mark_.row_labels.texts()), nearby_.y, nearby_.bottom(), step);
  for (Index i = first + offset; i < last; i += step) {
    const Point at = {rows_.at, box_.y + (static_cast<double>(i) + 0.5) * cell};
    if (columns_.at_edge && at.y < columns_.at + type(3)) continue;
    const std::string words = numbers ? position_number(i) : mark_.row_labels[static_cast<std::size_t>(i)];
    label(rows_.at_edge ? shortened_text(words, rows_.room, size) : words, size, at, HorizontalAlign::right,
          VerticalAlign::middle, 0);
  }
}

void LabelPainter::columns() const {
  const double cell = column_width();
  const double flat = type(TypeSize::kSmall);
  if (columns_.at < nearby_.y || columns_.at > nearby_.bottom()) return;
  if (columns_.at_edge) {
    const Rect below = {box_.x, visible_.y, box_.width, columns_.at + type(3) - visible_.y};
    canvas_.fill(below.intersection(visible_), palette_.background, 1);
  }
  const bool numbers = columns_are_numbers();
  const bool across = are_across();
  const double size = across ? flat : label_size(cell);
  const double needed = widest(mark_.column_labels, true, flat) + type(4);
  const auto [offset, step] =
      numbers ? numbers_shown(std::ssize(mark_.column_labels.texts()), needed, cell) : NumbersShown();
  const bool replaced = numbers && !mark_.column_labels.are_counted();
  if (mark_.column_labels.shown() == Labels::Shown::all_or_none && (replaced || step > 1)) return;
  const auto [first, last] =
      seen(box_.x, cell, std::ssize(mark_.column_labels.texts()), nearby_.x, nearby_.right(), step);
  for (Index i = first + offset; i < last; i += step) {
    const std::string words = numbers ? position_number(i) : mark_.column_labels[static_cast<std::size_t>(i)];
    const Point at = {box_.x + (static_cast<double>(i) + 0.5) * cell, columns_.at};
    // Turned words would not reach beyond the matrix, where other things are.
    if (replaced && at.x + text_width(words, size) / 2 > box_.right() + type(kLabelDistance)) continue;
    if (rows_.at_edge && at.x < rows_.at + type(3)) continue;
    if (across) {
      label(words, size, at, HorizontalAlign::center, VerticalAlign::baseline, 0);
    } else {
      label(columns_.at_edge ? shortened_text(words, columns_.room, size) : words, size, at, HorizontalAlign::left,
            VerticalAlign::middle, -90);
    }
  }
}

void LabelPainter::label(const std::string& text, double size, Point at, HorizontalAlign horizontal,
                         VerticalAlign vertical, double angle) const {
  // Labels are user text: braces in them are not markup.
  canvas_.text(
      {at, {{text, TextSpan::Level::base}}, size, FontWeight::regular, palette_.dim, horizontal, vertical, angle});
}

}  // namespace attnscope
