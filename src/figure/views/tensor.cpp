// Any tensor: the matrices of its last two axes, side by side on one colour scale.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "figure/layout/grid.h"
#include "figure/layout/legend.h"
#include "figure/slices/matrix.h"
#include "figure/slices/selected.h"
#include "figure/style/markup.h"
#include "figure/views/view.h"

namespace attnscope {
namespace tensor_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kTitle = 30;
constexpr double kSliceTitle = 18;
constexpr double kLegendHeight = 40;
constexpr Index kMaxSlices = 64;
// The height of a matrix in a window, which has as many as there is room for.
constexpr double kReadableSide = 56;

/// Whether the axes have no names, as in imported tensors; their indices count from 0.
bool is_plain(const Step& step) { return step.axes.front().name == "axis1"; }

/// Imported tensors have the names of their file.
std::string shown_name(const Step& step) {
  constexpr std::string_view kGiven = "given.";
  return is_plain(step) && step.name.starts_with(kGiven) ? step.name.substr(kGiven.size()) : step.name;
}

/// The position of a slice: "head 3, batch 2", or "[2, 1]".
std::string place_text(const Step& step, std::span<const Index> leading) {
  if (leading.empty()) return {};
  if (is_plain(step)) return index_text(leading);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < leading.size(); ++i) {
    if (step.axes[i].size > 1) parts.push_back(step.axes[i].name + " " + std::to_string(leading[i] + 1));
  }
  return join(parts, ", ");
}

std::string title_of(const Step& step, Index first, Index count, Index all) {
  std::vector<std::string> sizes;
  for (const Axis& axis : step.axes)
    sizes.push_back((is_plain(step) ? "" : axis.name + " ") + std::to_string(axis.size));
  std::string title = shown_name(step) + " [" + join(sizes, ", ") + "]";
  if (count < all) {
    title +=
        ", matrices " + grouped_text(first + 1) + " to " + grouped_text(first + count) + " of " + grouped_text(all);
  }
  return title;
}

/// The slices from `first` on, without a scale.
std::vector<HeatmapMark> slices_of(const Trace& trace, int number, Index first, Index count) {
  const Step& step = trace.step(number);
  const std::size_t rank = step.axes.size();
  const Axes leading(step.axes.begin(), step.axes.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(rank, 2)));
  std::vector<HeatmapMark> marks;
  for (Index i = first; i < first + count; ++i) {
    HeatmapMark mark = slice_mark(trace, number, index_in(leading, i));
    mark.row_labels = marks.empty() ? row_labels(trace, mark) : marks.front().row_labels;
    mark.column_labels = marks.empty() ? column_labels(trace, mark) : marks.front().column_labels;
    marks.push_back(std::move(mark));
  }
  return marks;
}

void share_scale(const Step& step, std::span<HeatmapMark> marks) {
  ColorScale scale = natural_scale(step, *marks.front().source);
  for (const HeatmapMark& mark : marks.subspan(1)) scale = joint_scale(scale, natural_scale(step, *mark.source));
  for (HeatmapMark& mark : marks) mark.scale = scale;
}

/// What panels of these slices have in common.
PanelShape shape_of(const HeatmapMark& first, std::span<const std::string> places) {
  double widest = 0;
  for (const std::string& place : places) widest = std::max(widest, text_width(place, TypeSize::kSmall));
  PanelShape shape = {first.rows(), first.columns(), row_label_width(first.row_labels), 0, 20, 0, 40};
  shape.least_width = shape.left + widest;
  shape.top = (widest > 0 ? kSliceTitle : 0) + column_label_height(first.column_labels, 0);
  return shape;
}

/// How many of `count` panels have room with matrices that can be read; at least one.
Index readable_count(Index count, PanelShape shape, double width, double height) {
  shape.least_side = std::min(kReadableSide, shape.largest_cell * static_cast<double>(shape.rows));
  const auto has_room = [&](Index some) {
    const Grid grid = fit_grid(some, shape, width, height);
    return grid.width() <= width && grid.height() <= height;
  };
  while (count > 1 && !has_room(count)) --count;
  return count;
}

Figure build(const Trace& trace, const ViewOptions& options) {
  const int number = static_cast<int>(std::min<Index>(options.integer("tensor"), std::ssize(trace.steps())) - 1);
  const Step& step = trace.step(number);
  const Index all = slice_count(step.axes);
  const Index first = std::min(options.integer("slice"), all) - 1;
  const double room = options.width - 2 * kMargin;
  const double fixed = 2 * kMargin + kTitle + kLegendHeight;
  const double high = options.height > 0 ? std::max(1.0, options.height - fixed) : 0;
  std::vector<HeatmapMark> marks = slices_of(trace, number, first, std::min(kMaxSlices, all - first));
  std::vector<std::string> places;
  places.reserve(marks.size());
  for (const HeatmapMark& mark : marks) places.push_back(place_text(step, mark.leading));
  const PanelShape shape = shape_of(marks.front(), places);
  if (high > 0) marks.resize(static_cast<std::size_t>(readable_count(std::ssize(marks), shape, room, high)));
  share_scale(step, marks);
  const Index count = std::ssize(marks);
  const std::string title = literal_markup(title_of(step, first, count, all));

  Figure figure;
  figure.title = trace.experiment().system + ": " + shown_name(step);
  const ColorScale& scale = marks.front().scale;
  figure.color_bars.push_back(
      {"scale", {0, 0, 160, 9}, scale, literal_markup(shown_name(step)), short_text(scale.low), scale_end_text(scale)});
  if (const auto masked = masked_bar(scale, options.width)) figure.color_bars.push_back(*masked);
  const Grid grid = fit_grid(count, shape, room, high);
  const double width = std::max({grid.width(), legend_size(figure.color_bars, room).width,
                                 text_width(title, TypeSize::kTitle, FontWeight::semibold)});
  figure.width = std::max(options.width, width + 2 * kMargin);
  figure.height = std::max(options.height, grid.height() + fixed);
  const Point at = {kMargin + std::max(0.0, (figure.width - 2 * kMargin - width) / 2),
                    kMargin + (figure.height - fixed - grid.height()) / 2};
  figure.texts.push_back(title_mark("title", {at.x, at.y + 13}, title));
  for (std::size_t i = 0; i < marks.size(); ++i) {
    HeatmapMark& mark = marks[i];
    const Point corner = grid.corner(static_cast<Index>(i));
    mark.box = {at.x + corner.x + shape.left, at.y + kTitle + corner.y + shape.top,
                grid.cell_width * static_cast<double>(mark.columns()),
                grid.cell_height * static_cast<double>(mark.rows())};
    if (!places[i].empty()) {
      const double above = column_label_height(mark.column_labels, grid.cell_width);
      TextMark text = title_mark(mark.id + ".place", {mark.box.x, mark.box.y - above - 6}, places[i], TypeSize::kSmall);
      text.weight = FontWeight::regular;
      text.ink = Ink::dim;
      figure.texts.push_back(std::move(text));
    }
    figure.heatmaps.push_back(std::move(mark));
  }
  place_legend(figure.color_bars, {at.x, at.y + kTitle + grid.height() + 16}, kMargin, figure.width - 2 * kMargin);
  return figure;
}

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  return option_limit(trace, option, chosen) > 1;
}

std::vector<std::string> names(const Trace& trace, std::string_view option) {
  std::vector<std::string> all;
  if (option != "tensor") return all;
  for (const Step& step : trace.steps()) all.push_back(shown_name(step));
  return all;
}

std::string missing(const Trace& trace) { return trace.steps().empty() ? "There is no tensor." : ""; }

}  // namespace
}  // namespace tensor_view_parts

View tensor_view() {
  View view = {
      "tensor",
      "Tensor",
      "Any tensor of the computation: all matrices of its last two axes on one colour scale.",
      {integer_parameter("tensor", "Tensor", "The tensor to show, in order of computation.", 1, 1, 40),
       integer_parameter("slice", "From slice",
                         "The first matrix to show: at most 64, in the window as many as have room.", 1, 1, 64)},
      tensor_view_parts::applies,
      tensor_view_parts::build,
      tensor_view_parts::missing};
  view.names = tensor_view_parts::names;
  return view;
}

}  // namespace attnscope
