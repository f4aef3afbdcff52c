#pragma once

// Faults that any figure may have.

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "figure/model/canvas.h"
#include "figure/slices/matrix.h"
#include "support/text_box.h"

namespace attnscope::test {

inline constexpr double kRounding = 0.01;

/// A canvas that records where marks are painted.
class RecordingCanvas final : public Canvas {
 public:
  struct Text {
    std::string text;
    Rect box;
  };

  void heatmap(const HeatmapMark& mark, const Rect& box, double) override { heatmaps.emplace_back(mark.id, box); }
  void gradient(ColorMap, const Rect& box) override { bars.push_back(box); }
  void fill(const Rect& box, Rgb, double) override { fills.push_back(box); }
  void curve(std::span<const Point> points, Rgb, double, double, bool) override {
    ends.insert(ends.end(), points.begin(), points.end());
  }
  void outline(const Rect& box, Rgb, double, double) override { outlines.push_back(box); }
  void line(Point from, Point to, Rgb, double, bool) override { ends.push_back(from), ends.push_back(to); }
  void triangle(Point, Point, Point, Rgb) override {}
  void text(const PlacedText& text) override {
    std::string plain;
    for (const TextSpan& span : text.spans) plain += span.text;
    // Numbers in cells are the only small texts centred both ways.
    const bool number = text.horizontal == HorizontalAlign::center && text.vertical == VerticalAlign::middle &&
                        text.size == TypeSize::kSmall;
    (number ? numbers : texts).push_back({plain, text_box(text)});
  }

  std::vector<std::pair<std::string, Rect>> heatmaps;
  std::vector<Rect> bars;
  std::vector<Rect> fills;
  std::vector<Rect> outlines;
  std::vector<Point> ends;
  std::vector<Text> texts;
  std::vector<Text> numbers;  ///< in cells
};

inline bool overlap(const Rect& a, const Rect& b) {
  const Rect both = a.intersection(b);
  return both.width > kRounding && both.height > kRounding;
}

inline bool inside(const Rect& box, const Figure& figure) {
  return box.x >= -kRounding && box.y >= -kRounding && box.right() <= figure.width + kRounding &&
         box.bottom() <= figure.height + kRounding;
}

/// Whether `box`, which is inside `heatmap`, is no wider than its cells.
inline bool fits_into_cell(const Rect& box, const HeatmapMark& heatmap) {
  return box.width <= heatmap.box.width / static_cast<double>(heatmap.columns()) + kRounding;
}

inline std::string rect_text(const Rect& r) {
  return "(" + fixed_text(r.x, 1) + " " + fixed_text(r.y, 1) + ", " + fixed_text(r.width, 1) + " by " +
         fixed_text(r.height, 1) + ")";
}

/// The faults of the layout, one line each.
inline std::vector<std::string> layout_faults(const Figure& figure) {
  RecordingCanvas painted;
  paint(figure, palette(Theme::paper), {}, {0, 0, figure.width, figure.height}, painted);
  std::vector<std::string> faults;
  const auto say = [&](const std::string& fault) { faults.push_back(fault); };
  if (painted.heatmaps.size() != figure.heatmaps.size()) say("not all heatmaps are painted");
  for (std::size_t i = 0; i < painted.heatmaps.size(); ++i) {
    const auto& [id, box] = painted.heatmaps[i];
    if (!inside(box, figure)) say(id + " " + rect_text(box) + " leaves the figure");
    if (!(box.width > 0 && box.height > 0)) say(id + " has no size");
    for (std::size_t j = 0; j < i; ++j) {
      if (overlap(box, painted.heatmaps[j].second)) say(id + " overlaps " + painted.heatmaps[j].first);
    }
  }
  for (const auto& [text, box] : painted.numbers) {
    for (const HeatmapMark& heatmap : figure.heatmaps) {
      if (heatmap.box.contains(box.center()) && !fits_into_cell(box, heatmap))
        say("\"" + text + "\" is wider than the cells of " + heatmap.id);
    }
  }
  for (const ColorBarMark& bar : figure.color_bars) {
    if (bar.scale.low > bar.scale.high) say("color bar " + bar.id + " runs backwards");
  }
  for (const Rect& bar : painted.bars) {
    if (!inside(bar, figure)) say("a color bar " + rect_text(bar) + " leaves the figure");
  }
  for (const Point end : painted.ends) {
    if (!inside({end.x, end.y, 0, 0}, figure)) say("a line leaves the figure");
  }
  for (const TargetMark& target : figure.targets) {
    if (!inside(target.box, figure)) say("target " + target.id + " " + rect_text(target.box) + " leaves the figure");
  }
  for (const Rect& fill : painted.fills) {
    if (!inside(fill, figure)) say("a bar " + rect_text(fill) + " leaves the figure");
  }
  for (const BarMark& bar : figure.bars) {
    if (!inside(bar.box, figure)) say("bar " + bar.id + " " + rect_text(bar.box) + " leaves the figure");
    for (const auto& [id, heatmap] : painted.heatmaps) {
      if (overlap(bar.box, heatmap)) say("bar " + bar.id + " " + rect_text(bar.box) + " overlaps heatmap " + id);
    }
    // Backgrounds of texts.
    const bool grid_line = bar.shade.ink == Ink::line && std::min(bar.box.width, bar.box.height) <= 1;
    if (bar.shade == Shade::of(Ink::control) || bar.shade.opacity < 0.3 || grid_line) continue;
    for (const auto& [text, box] : painted.texts) {
      if (overlap(bar.box, box))
        say("bar " + bar.id + " " + rect_text(bar.box) + " overlaps \"" + text + "\" " + rect_text(box));
    }
  }
  for (std::size_t i = 0; i < painted.texts.size(); ++i) {
    const auto& [text, box] = painted.texts[i];
    if (!inside(box, figure)) say("\"" + text + "\" " + rect_text(box) + " leaves the figure");
    for (const auto& [id, heatmap] : painted.heatmaps) {
      if (overlap(box, heatmap))
        say("\"" + text + "\" " + rect_text(box) + " overlaps heatmap " + id + " " + rect_text(heatmap));
    }
    for (const Rect& bar : painted.bars) {
      if (overlap(box, bar)) say("\"" + text + "\" overlaps a color bar");
    }
    for (std::size_t j = 0; j < i; ++j) {
      const auto& [other, other_box] = painted.texts[j];
      if (overlap(box, other_box))
        say("\"" + text + "\" " + rect_text(box) + " overlaps \"" + other + "\" " + rect_text(other_box));
    }
  }
  return faults;
}

/// The ids that two marks of a kind share.
inline std::vector<std::string> shared_ids(const Figure& figure) {
  std::vector<std::string> faults;
  const auto look = [&](const char* kind, const auto& marks) {
    std::set<std::string> ids;
    for (const auto& mark : marks) {
      if (!ids.insert(mark.id).second) faults.push_back(std::string("two ") + kind + " called " + mark.id);
    }
  };
  look("heatmaps", figure.heatmaps);
  look("texts", figure.texts);
  look("lines", figure.lines);
  look("color bars", figure.color_bars);
  look("bars", figure.bars);
  look("strands", figure.strands);
  look("curves", figure.curves);
  look("targets", figure.targets);
  return faults;
}

/// Heatmaps that differ from the slice of the trace that they claim to be.
inline std::vector<std::string> slice_faults(const Figure& figure, const Trace& trace) {
  std::vector<std::string> faults;
  for (const HeatmapMark& mark : figure.heatmaps) {
    const auto must = [&](bool holds, const char* what) {
      if (!holds) faults.push_back(mark.id + ": " + what);
      return holds;
    };
    if (mark.step < 0) continue;  // numbers of the view's own
    if (!must(static_cast<std::size_t>(mark.step) < trace.steps().size(), "there is no such step")) continue;
    const Step& step = trace.steps()[static_cast<std::size_t>(mark.step)];
    if (!must(mark.axes == step.axes && mark.leading.size() + 2 == step.axes.size(), "other axes")) continue;
    must(same_numbers(*mark.source, *slice_of(step.tensor, mark)), "other numbers");
    must(mark.row_labels.empty() || static_cast<Index>(mark.row_labels.size()) == mark.rows(), "not a label a row");
    must(mark.column_labels.empty() || static_cast<Index>(mark.column_labels.size()) == mark.columns(),
         "not a label a column");
  }
  return faults;
}

}  // namespace attnscope::test
