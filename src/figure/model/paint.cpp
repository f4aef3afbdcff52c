#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "core/base/text.h"
#include "figure/model/canvas.h"
#include "figure/model/label_painter.h"

namespace attnscope {
namespace {

// Smaller cells have no border: the gaps would take a visible share of the figure.
constexpr double kMinCellWithGap = 5;
constexpr double kLargestWord = 64;
// In a colour that is nearer to the background's than that, nobody sees where a matrix of zeros ends.
constexpr int kLeastDifference = 16;

constexpr double kUnseenShare = 5e-5;  // of the largest number on a scale: a smaller one has the colour of 0

constexpr double kNumberMargin = 4;  // beside a number, both sides together; logical pixels
constexpr double kTightMargin = 2;   // where only two decimals have room

bool is_of_shares(const ColorScale& scale) {
  return scale.kind == ScaleKind::linear && scale.low == 0 && scale.high == 1;
}

/// Whether numbers on the scale are told apart by two decimals, and none takes more room than that.
bool is_of_short_numbers(const ColorScale& scale) {
  const double largest = std::max(std::abs(scale.low), std::abs(scale.high));
  return scale.kind == ScaleKind::linear && largest >= 0.1 && largest < 1000;
}

/// Between two colours: at `share` 0 the first one.
Rgb mixed(Rgb from, Rgb to, double share) {
  const auto mix = [&](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::lround(a + (b - a) * std::clamp(share, 0.0, 1.0)));
  };
  return {mix(from.red, to.red), mix(from.green, to.green), mix(from.blue, to.blue)};
}

struct Painter {
  const Palette& palette;
  const FigureTransform& transform;
  const Rect& visible;
  Canvas& canvas;

  [[nodiscard]] double type(double size) const { return size * transform.type_scale; }

  void heatmap(const HeatmapMark& mark) const {
    const Rect box = transform.apply(mark.box);
    if (mark.empty() || box.intersection(visible).width <= 0 || box.intersection(visible).height <= 0) return;
    const double cell =
        std::min(box.width / static_cast<double>(mark.columns()), box.height / static_cast<double>(mark.rows()));
    canvas.heatmap(mark, box, cell >= type(kMinCellWithGap) ? type(1) : 0);
    for (const Region& region : mark.not_yet) {
      if (const std::optional<Rect> cells = region_box(mark, box, region))
        canvas.fill(cells->intersection(visible), palette.background, 1);
    }
    if (blends_in(mark.scale) || !mark.not_yet.empty()) canvas.outline(box.grown(type(0.5)), palette.line, type(1), 0);
  }

  /// Whether cells of 0, or of what is nearest to it on the scale, have nearly the colour of the background.
  [[nodiscard]] bool blends_in(const ColorScale& scale) const {
    const double zero = std::clamp(0.0, std::min(scale.low, scale.high), std::max(scale.low, scale.high));
    const Rgb cell = cell_color(static_cast<float>(zero), scale);
    const auto apart = [](std::uint8_t a, std::uint8_t b) { return std::abs(int{a} - int{b}) >= kLeastDifference; };
    const Rgb& behind = palette.background;
    return !apart(cell.red, behind.red) && !apart(cell.green, behind.green) && !apart(cell.blue, behind.blue);
  }

  /// Text outside this is not visible.
  [[nodiscard]] Rect nearby() const { return visible.grown(type(kFarthestText)); }

  /// A number with as many digits as fit in a cell of that width. Beside numbers as large as the scale, rounding errors
  /// are 0.000, and 3.31e-05, which would look large, has four decimals.
  [[nodiscard]] std::string cell_text(double value, const ColorScale& scale, double width) const {
    if (is_of_shares(scale)) return fixed_text(value, 3);
    const double largest = std::max(std::abs(scale.low), std::abs(scale.high));
    if (value != 0 && std::abs(value) < kUnseenShare * largest) return fixed_text(0, 3);
    if (is_of_short_numbers(scale) && value != 0 && std::abs(value) < 1e-3) return fixed_text(value, 4);
    std::string text = number_text(value, 3);
    for (const int digits : {2, 1}) {
      if (fits(text, width)) break;
      text = short_text(value, digits);
    }
    return text;
  }

  /// The same for a cell with room for two decimals alone, the same number of them in all cells. Nothing for a number
  /// outside the scale that takes more room.
  [[nodiscard]] std::string short_cell_text(double value, const ColorScale& scale, double width) const {
    const double largest = std::max(std::abs(scale.low), std::abs(scale.high));
    const std::string text = fixed_text(value, largest < 10 ? 2 : largest < 100 ? 1 : 0);
    return fits(text, width, kTightMargin) ? text : "";
  }

  [[nodiscard]] bool fits(const std::string& number, double width, double margin = kNumberMargin) const {
    return text_width(number, type(TypeSize::kSmall)) + type(margin) <= width;
  }

  /// Writes the numbers into the cells if all on the scale fit; texts are shortened instead.
  void values(const HeatmapMark& mark) const {
    const Rect box = transform.apply(mark.box);
    const double width = box.width / static_cast<double>(mark.columns());
    const double height = box.height / static_cast<double>(mark.rows());
    const double size = type(TypeSize::kSmall);
    const bool texts = !mark.cell_texts.empty();
    // Enough for any number with one digit, for shares with three decimals, or for any on the scale with two.
    const double margin = type(kNumberMargin);
    const double room = is_of_shares(mark.scale) ? text_width("0.000", size) + margin : text_width("−0.0001", size);
    const bool is_narrow = !texts && width < room && is_of_short_numbers(mark.scale);
    const double least = texts       ? type(20)
                         : is_narrow ? text_width(mark.scale.low < 0 ? "−0.00" : "0.00", size) + type(kTightMargin)
                                     : room;
    if (height < size * (texts ? 1.3 : 1.6) || width < least) return;
    const auto first = [](double from, double cell) { return std::max<Index>(0, static_cast<Index>(from / cell)); };
    const Rect shown = box.intersection(visible);
    const Index row_begin = first(shown.y - box.y, height);
    const Index row_end = std::min(mark.rows(), first(shown.bottom() - box.y, height) + 1);
    const Index column_begin = first(shown.x - box.x, width);
    const Index column_end = std::min(mark.columns(), first(shown.right() - box.x, width) + 1);
    if (row_begin >= row_end || column_begin >= column_end) return;
    const MatrixPart part = {0, 0, row_begin, column_begin, row_end - row_begin, column_end - column_begin};
    if (!canvas.waits_for_numbers() && !(mark.source->ready(part) && colored(mark)->ready(part))) return;
    std::vector<float> numbers(static_cast<std::size_t>(part.rows * part.columns));
    if (!mark.source->read(part, numbers, {})) return;
    std::vector<float> shares(mark.shares ? numbers.size() : 0);
    if (mark.shares && !mark.shares->read(part, shares, {})) return;
    const std::vector<float>& on_scale = mark.shares ? shares : numbers;
    std::size_t at_cell = 0;
    for (Index row = row_begin; row < row_end; ++row) {
      for (Index column = column_begin; column < column_end; ++column) {
        const auto value = static_cast<double>(numbers[at_cell]);
        const Rgb ink = ink_on(cell_color(on_scale[at_cell++], mark.scale));
        if (is_not_yet(mark, row, column)) continue;
        const Point at = {box.x + (static_cast<double>(column) + 0.5) * width,
                          box.y + (static_cast<double>(row) + 0.5) * height};
        const auto place = static_cast<std::size_t>(row * mark.columns() + column);
        const std::string text = texts       ? shortened_text(mark.cell_texts[place], width - type(4), size)
                                 : is_narrow ? short_cell_text(value, mark.scale, width)
                                             : cell_text(value, mark.scale, width);
        canvas.text({at,
                     {{text, TextSpan::Level::base}},
                     size,
                     FontWeight::regular,
                     ink,
                     HorizontalAlign::center,
                     VerticalAlign::middle,
                     0});
      }
    }
  }

  /// Marks a corner of each edited cell.
  void by_hand(const HeatmapMark& mark) const {
    for (const std::vector<Index>& index : mark.by_hand) {
      const std::optional<Rect> cell = region_box(mark, transform.apply(mark.box), single_cell(mark.step, index));
      if (!cell || cell->intersection(visible).width <= 0) continue;
      const double side = std::min({cell->width * 0.45, cell->height * 0.45, type(9)});
      const Point corner = {cell->right(), cell->y};
      canvas.triangle(corner, {corner.x - side, corner.y}, {corner.x, corner.y + side}, palette.accent);
    }
  }

  /// Each pixel extends slightly under the next ones, to leave no seams.
  void pixels(const PixelsMark& mark) const {
    const Rect box = transform.apply(mark.box);
    const double width = box.width / static_cast<double>(mark.columns);
    const double height = box.height / static_cast<double>(mark.rows());
    const double under = type(0.5);
    for (Index at = 0; at < std::ssize(mark.colors); ++at) {
      const Index row = at / mark.columns;
      Rect pixel = {box.x + static_cast<double>(at % mark.columns) * width, box.y + static_cast<double>(row) * height,
                    width + under, height + under};
      pixel = pixel.intersection(box).intersection(visible);
      if (pixel.width > 0 && pixel.height > 0) canvas.fill(pixel, mark.colors[static_cast<std::size_t>(at)], 1);
    }
  }

  void bar(const BarMark& mark) const {
    const Rect box = transform.apply(mark.box).intersection(visible);
    if (box.width > 0 && box.height > 0) canvas.fill(box, palette.color(mark.shade), mark.shade.opacity);
  }

  /// A word grows with its box, unlike other text; up to a size for which fonts are made.
  void word(const WordMark& mark) const {
    const Rect box = transform.apply(mark.box);
    const Rect seen = box.intersection(visible);
    if (seen.width <= 0 || seen.height <= 0) return;
    const Rgb color = mark.value ? cell_color(*mark.value, mark.scale) : palette.background;
    if (mark.value) canvas.fill(seen, color, 1);
    if (mark.text.empty()) return;
    canvas.text({{box.x + mark.indent * transform.scale, box.center().y},
                 {{mark.text, TextSpan::Level::base}},
                 std::min(mark.size * transform.scale, type(kLargestWord)),
                 FontWeight::regular,
                 mark.value ? ink_on(color) : palette.ink(mark.ink),
                 HorizontalAlign::left,
                 VerticalAlign::middle,
                 0});
  }

  void strands(const std::vector<StrandsMark>& marks, int isolated) const {
    std::vector<PlacedStrand> placed;
    for (const StrandsMark& mark : marks) {
      const Rgb color = palette.color(mark.shade);
      for (const Strand& strand : mark.strands) {
        if (isolated >= 0 && strand.from_end != isolated && strand.to_end != isolated) continue;
        placed.push_back({transform.apply(strand.from), transform.apply(strand.to), color,
                          palette.opacity(mark.shade.opacity * static_cast<double>(strand.opacity)), type(mark.width)});
      }
    }
    if (!placed.empty()) canvas.strands(placed);
  }

  void curve(const CurveMark& mark) const {
    std::vector<Point> points;
    points.reserve(mark.points.size());
    Point least = {INFINITY, INFINITY};
    Point most = {-INFINITY, -INFINITY};
    for (const Point& point : mark.points) {
      points.push_back(transform.apply(point));
      least = {std::min(least.x, points.back().x), std::min(least.y, points.back().y)};
      most = {std::max(most.x, points.back().x), std::max(most.y, points.back().y)};
    }
    const Rect near = visible.grown(type(mark.width));
    if (most.x < near.x || least.x > near.right() || most.y < near.y || least.y > near.bottom()) return;
    const Rgb color = palette.color(mark.shade);
    if (mark.arrow && points.size() > 1) arrow_head(points, mark, color);
    canvas.curve(points, color, palette.opacity(mark.shade.opacity), type(mark.width), mark.dashed);
  }

  /// Paints a head at the last point, which then lies at the neck. On the background the head has the colour that the
  /// curve has by its opacity.
  void arrow_head(std::vector<Point>& points, const CurveMark& mark, Rgb color) const {
    Point& last = points.back();
    const Point tip = last;
    const Point before = points[points.size() - 2];
    const double length = std::hypot(tip.x - before.x, tip.y - before.y);
    const double head = std::min(type(5 + 2 * mark.width), length);
    if (!(head > 0)) return;
    const Point along = {(tip.x - before.x) / length * head, (tip.y - before.y) / length * head};
    last = {tip.x - along.x, tip.y - along.y};
    canvas.triangle(tip, {last.x - along.y * 0.4, last.y + along.x * 0.4},
                    {last.x + along.y * 0.4, last.y - along.x * 0.4},
                    mixed(palette.background, color, palette.opacity(mark.shade.opacity)));
  }

  void line(const LineMark& mark) const {
    const Point from = transform.apply(mark.from);
    const Point to = transform.apply(mark.to);
    const Rgb color = palette.ink(mark.ink);
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    if (!mark.arrow || length == 0) {
      canvas.line(from, to, color, type(mark.width), mark.dashed);
      return;
    }
    const double head = type(7);
    const Point along = {(to.x - from.x) / length * head, (to.y - from.y) / length * head};
    const Point neck = {to.x - along.x, to.y - along.y};
    canvas.line(from, neck, color, type(mark.width), mark.dashed);
    canvas.triangle(to, {neck.x - along.y * 0.45, neck.y + along.x * 0.45},
                    {neck.x + along.y * 0.45, neck.y - along.x * 0.45}, color);
  }

  void color_bar(const ColorBarMark& mark) const {
    const Point corner = transform.apply(Point{mark.box.x, mark.box.y});
    // A colour bar is an annotation: it keeps its size when cells are zoomed.
    const Rect box = {corner.x, corner.y, type(mark.box.width), type(mark.box.height)};
    if (mark.one_color) {
      canvas.fill(box, *mark.one_color, 1);
    } else {
      canvas.gradient(mark.scale.map, box);
    }
    const double below = box.bottom() + type(3);
    const auto text = [&](const std::string& markup, Point at, HorizontalAlign horizontal, VerticalAlign vertical) {
      canvas.text({at, parse_markup(markup), type(TypeSize::kSmall), FontWeight::regular, palette.dim, horizontal,
                   vertical, 0});
    };
    text(mark.title, {box.x - type(8), box.center().y}, HorizontalAlign::right, VerticalAlign::middle);
    text(mark.low_text, {box.x, below}, HorizontalAlign::left, VerticalAlign::top);
    text(mark.high_text, {box.right(), below}, HorizontalAlign::right, VerticalAlign::top);
  }

  void text(const TextMark& mark) const {
    const Point at = transform.apply(mark.at);
    if (!nearby().contains(at)) return;
    canvas.text({at, parse_markup(mark.markup), type(mark.size), mark.weight, palette.ink(mark.ink), mark.horizontal,
                 mark.vertical, mark.angle});
  }
};

}  // namespace

void Canvas::strands(std::span<const PlacedStrand> strands) {
  for (const PlacedStrand& strand : strands) {
    const std::array<Point, 2> ends = {strand.from, strand.to};
    curve(ends, strand.color, strand.opacity, strand.width, false);
  }
}

void paint(const Figure& figure, const Palette& palette, const FigureTransform& transform, const Rect& visible,
           Canvas& canvas, int isolated) {
  const FontScope font(figure.font);
  const Painter painter = {palette, transform, visible, canvas};
  // Text last: it is on top in vector files and in the window.
  for (const HeatmapMark& mark : figure.heatmaps) painter.heatmap(mark);
  for (const PixelsMark& mark : figure.pixels) painter.pixels(mark);
  for (const HeatmapMark& mark : figure.heatmaps) painter.by_hand(mark);
  for (const BarMark& mark : figure.bars) painter.bar(mark);
  for (const WordMark& mark : figure.words) painter.word(mark);
  painter.strands(figure.strands, isolated);
  for (const CurveMark& mark : figure.curves) painter.curve(mark);
  for (const LineMark& mark : figure.lines) painter.line(mark);
  for (const ColorBarMark& mark : figure.color_bars) painter.color_bar(mark);
  for (const HeatmapMark& mark : figure.heatmaps) {
    if (mark.empty()) continue;
    const LabelPainter labels(mark, palette, transform, visible, canvas);
    // Labels on cells hide their numbers.
    if (mark.shows_numbers && labels.are_on_cells()) painter.values(mark);
    labels.paint();
    if (mark.shows_numbers && !labels.are_on_cells()) painter.values(mark);
  }
  for (const TextMark& mark : figure.texts) painter.text(mark);
}

namespace {

Rect cells_box(const HeatmapMark& mark, const Rect& box, Index row_begin, Index row_end, Index column_begin,
               Index column_end) {
  const double width = box.width / static_cast<double>(mark.columns());
  const double height = box.height / static_cast<double>(mark.rows());
  return {box.x + static_cast<double>(column_begin) * width, box.y + static_cast<double>(row_begin) * height,
          static_cast<double>(column_end - column_begin) * width, static_cast<double>(row_end - row_begin) * height};
}

}  // namespace

std::optional<Rect> region_box(const HeatmapMark& mark, const Rect& box, const Region& region) {
  if (region.step != mark.step) return std::nullopt;
  const std::size_t rank = region.begin.size();
  for (std::size_t i = 0; i < mark.leading.size(); ++i) {
    if (mark.leading[i] < region.begin[i] || mark.leading[i] >= region.end[i]) return std::nullopt;
  }
  Index row_begin = 0;
  Index row_end = 1;
  Index column_begin = 0;
  Index column_end = 1;
  if (mark.pixels_across > 0) {
    // One pixel, or whole rows of them.
    const Index across = mark.pixels_across;
    const bool single = region.size(rank - 1) == 1;
    const Index begin = std::max<Index>(0, region.begin[rank - 1] - mark.pixels_first);
    const Index end = region.end[rank - 1] - mark.pixels_first;
    if (end <= begin) return std::nullopt;
    row_begin = begin / across;
    row_end = (end + across - 1) / across;
    column_begin = single ? begin % across : 0;
    column_end = single ? column_begin + 1 : across;
    return cells_box(mark, box, row_begin, row_end, column_begin, column_end);
  }
  const auto columns = static_cast<std::size_t>(mark.column_axes);
  if (rank >= 1) column_begin = region.begin[rank - 1], column_end = region.end[rank - 1];
  if (columns == 2) {
    // Regions are single pixels or all of them.
    const Index width = mark.axes.back().size;
    column_begin += region.begin[rank - 2] * width;
    column_end += (region.end[rank - 2] - 1) * width;
  }
  if (rank > columns) row_begin = region.begin[rank - 1 - columns], row_end = region.end[rank - 1 - columns];
  if (mark.transposed) {
    std::swap(row_begin, column_begin);
    std::swap(row_end, column_end);
  }
  return cells_box(mark, box, row_begin, row_end, column_begin, column_end);
}

void paint_highlights(const Figure& figure, std::span<const Region> regions, const std::optional<Region>& cell,
                      const Palette& palette, const FigureTransform& transform, Canvas& canvas) {
  const double width = transform.type_scale * 2;
  for (const HeatmapMark& mark : figure.heatmaps) {
    const Rect box = transform.apply(mark.box);
    for (const Region& region : regions) {
      if (const auto shown = region_box(mark, box, region))
        canvas.outline(shown->grown(width / 2), palette.accent, width, transform.type_scale * 3);
    }
    if (!cell) continue;
    if (const auto shown = region_box(mark, box, *cell))
      canvas.outline(shown->grown(width / 2), palette.text, width, transform.type_scale * 3);
  }
  for (const TargetMark& mark : figure.targets) {
    if (!mark.cell || !cell || mark.cell->step != cell->step || mark.cell->index != cell->begin) continue;
    canvas.outline(transform.apply(mark.box).grown(width / 2), palette.text, width, transform.type_scale * 3);
  }
}

}  // namespace attnscope
