#include "figure/model/figure_content.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "figure/model/canvas.h"
#include "figure/model/map_points.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

/// The vertical extent of something painted.
struct Extent {
  double top = 0;
  double bottom = 0;
};

/// A canvas that records vertical extents.
class ExtentCanvas final : public Canvas {
 public:
  void heatmap(const HeatmapMark&, const Rect& box, double) override { add(box.y, box.bottom()); }
  void gradient(ColorMap, const Rect& box) override { add(box.y, box.bottom()); }
  void fill(const Rect& box, Rgb, double) override { add(box.y, box.bottom()); }
  void outline(const Rect& box, Rgb, double, double) override { add(box.y, box.bottom()); }
  void line(Point from, Point to, Rgb, double, bool) override { add(std::min(from.y, to.y), std::max(from.y, to.y)); }
  void triangle(Point a, Point b, Point c, Rgb) override { add(std::min({a.y, b.y, c.y}), std::max({a.y, b.y, c.y})); }
  void curve(std::span<const Point> points, Rgb, double, double, bool) override {
    const auto [low, high] = std::ranges::minmax_element(points, {}, &Point::y);
    if (low != points.end()) add(low->y, high->y);
  }
  void text(const PlacedText& text) override {
    double width = 0;
    for (const TextSpan& span : text.spans) width += text_width(span.text, text.size, text.weight);
    if (text.angle != 0) {
      // Upwards from its start.
      const double below = text.horizontal == HorizontalAlign::left     ? 0
                           : text.horizontal == HorizontalAlign::center ? width / 2
                                                                        : width;
      return add(text.at.y + below - width, text.at.y + below);
    }
    const double baseline = text.vertical == VerticalAlign::top      ? text.at.y + text.size * kFontAscent
                            : text.vertical == VerticalAlign::middle ? text.at.y + text.size * kFontCapHeight / 2
                                                                     : text.at.y;
    add(baseline - text.size * kFontCapHeight, baseline + text.size * kFontDescent);
  }
  [[nodiscard]] bool waits_for_numbers() const override { return false; }

  std::vector<Extent> extents;

 private:
  void add(double top, double bottom) { extents.push_back({top, bottom}); }
};

std::vector<Extent> extents_of(const Figure& figure) {
  ExtentCanvas canvas;
  paint(figure, palette(Theme::paper), {}, {0, 0, figure.width, figure.height}, canvas);
  return canvas.extents;
}

/// Moves everything below `from` up by `by`.
void move_up(Figure& figure, double from, double by) {
  map_points(figure, [&](double&, double& y) {
    if (y >= from) y -= by;
  });
  figure.height -= by;
}

/// Closes the gap that removed marks leave at `gone`, unless something else is next to it: everything below moves up,
/// and the figure becomes lower.
void close_up(Figure& figure, const Extent& gone) {
  double above = 0;
  double below = figure.height;
  for (const Extent& extent : extents_of(figure)) {
    if (extent.bottom > gone.top && extent.top < gone.bottom) return;
    if (extent.bottom <= gone.top) above = std::max(above, extent.bottom);
    if (extent.top >= gone.bottom) below = std::min(below, extent.top);
  }
  if (below < figure.height) {
    move_up(figure, (gone.bottom + below) / 2, below - gone.top);
  } else {
    figure.height -= gone.bottom - above;
  }
  for (TargetMark& mark : figure.targets) mark.box.height = std::min(mark.box.height, figure.height - mark.box.y);
}

/// A heading of the figure or of a section. Names of matrices are smaller or have other ids.
bool is_heading(const TextMark& mark) {
  return mark.id == "title" || (mark.id.ends_with(".title") && mark.size >= TypeSize::kTitle) ||
         mark.id.ends_with(".title.more");
}

/// The merged vertical extents of painted things: those that overlap or are at most a line apart become one.
std::vector<Extent> joined(std::vector<Extent> extents) {
  constexpr double between_lines = 24;
  std::ranges::sort(extents, {}, &Extent::top);
  std::vector<Extent> all;
  for (const Extent& extent : extents) {
    if (all.empty() || extent.top > all.back().bottom + between_lines) {
      all.push_back(extent);
    } else {
      all.back().bottom = std::max(all.back().bottom, extent.bottom);
    }
  }
  return all;
}

void leave_out(Figure& figure, bool headings, bool color_bars) {
  Figure gone;
  gone.width = figure.width;
  gone.height = figure.height;
  if (headings) {
    const auto first = std::stable_partition(figure.texts.begin(), figure.texts.end(),
                                             [](const TextMark& mark) { return !is_heading(mark); });
    gone.texts.assign(first, figure.texts.end());
    figure.texts.erase(first, figure.texts.end());
  }
  if (color_bars) gone.color_bars = std::exchange(figure.color_bars, {});
  std::vector<Extent> extents = joined(extents_of(gone));
  // From the bottom, so that the positions above stay valid.
  std::reverse(extents.begin(), extents.end());
  for (const Extent& extent : extents) close_up(figure, extent);
}

// Where a logarithmic scale is asked to begin at 0 or below: this share of its end.
constexpr double kSmallestShare = 1e-4;

void recolor(Figure& figure, const FigureContent& content);

/// Gives numbers of both signs, whatever they are, the map for them that greys keep apart, and the main matrices the
/// range.
void recolor_signed(Figure& figure, FigureContent content) {
  const auto change = [&](auto& mark) {
    if (mark.scale.map == ColorMap::red_blue) mark.scale.map = ColorMap::blue_brown;
  };
  std::ranges::for_each(figure.heatmaps, change);
  std::ranges::for_each(figure.words, change);
  std::ranges::for_each(figure.color_bars, change);
  content.map.reset();
  recolor(figure, content);
}

/// Gives the main matrices and their colour bars another scale.
void recolor(Figure& figure, const FigureContent& content) {
  if (content.map == ColorMap::blue_brown) return recolor_signed(figure, content);
  const auto is_weights = [](const auto& mark) { return mark.scale.map == ColorMap::viridis; };
  const bool weights = !figure.words.empty() || std::ranges::any_of(figure.heatmaps, is_weights);
  const auto change = [&](ColorScale& scale) {
    if (content.map) scale.map = *content.map;
    if (!content.range) return;
    scale.low = content.range->low;
    scale.high = content.range->high;
    if (scale.kind == ScaleKind::logarithmic && !(scale.low > 0)) scale.low = scale.high * kSmallestShare;
  };
  for (HeatmapMark& mark : figure.heatmaps) {
    if (!weights || is_weights(mark)) change(mark.scale);
  }
  for (WordMark& mark : figure.words) change(mark.scale);
  for (ColorBarMark& mark : figure.color_bars) {
    if ((weights && !is_weights(mark)) || mark.one_color) continue;
    change(mark.scale);
    if (!content.range) continue;
    mark.low_text = short_text(mark.scale.low);
    mark.high_text = short_text(mark.scale.high);
  }
  const auto shows_masked = [](const HeatmapMark& mark) { return mark.scale.masked && masked_color(mark.scale.map); };
  if (std::ranges::none_of(figure.heatmaps, shows_masked))
    std::erase_if(figure.color_bars, [](const ColorBarMark& bar) { return bar.one_color.has_value(); });
}

/// The colours of a map at its low end and at its high end.
struct ColorWords {
  const char* low;
  const char* high;
};

ColorWords color_words(ColorMap map) {
  switch (map) {
    case ColorMap::viridis: return {"violet", "yellow"};
    case ColorMap::magma: return {"black", "pale yellow"};
    case ColorMap::red_blue: return {"blue", "red"};
    case ColorMap::greys: return {"white", "black"};
    case ColorMap::brightness: return {"black", "white"};
    case ColorMap::blue_brown: return {"light blue", "dark brown"};
  }
  return {"", ""};
}

}  // namespace

std::string colors_sentence(const Figure& figure) {
  std::vector<std::string> parts;
  for (const ColorBarMark& bar : figure.color_bars) {
    if (bar.one_color) {
      parts.push_back(plain_text(bar.title) + " in grey");
      continue;
    }
    const auto [low, high] = color_words(bar.scale.map);
    const std::string title = plain_text(bar.title);
    std::string part = (title.empty() ? "numbers" : title) + " from " + low + " (" + plain_text(bar.low_text) +
                       ") to " + high + " (" + plain_text(bar.high_text) + ")";
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(std::move(part));
  }
  return parts.empty() ? "" : "Colours: " + join(parts, "; ") + ".";
}

Figure with_content(Figure figure, const FigureContent& content) {
  if (content.map || content.range) recolor(figure, content);
  if (const std::string colors = colors_sentence(figure); !figure.sentence.empty() && !colors.empty())
    figure.sentence += " " + colors;
  for (HeatmapMark& mark : figure.heatmaps) {
    mark.shows_numbers = mark.shows_numbers && content.values;
    if (content.labels) continue;
    mark.row_labels.clear();
    mark.column_labels.clear();
  }
  if (!content.title || !content.color_bars) leave_out(figure, !content.title, !content.color_bars);
  return figure;
}

}  // namespace attnscope
