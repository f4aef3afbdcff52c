// A picture as data: heatmaps, text and lines with roles instead of colours, in logical pixels. What the window paints
// and what the files hold come from the same figure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/parameter.h"
#include "core/matrix/matrix_source.h"
#include "core/trace/trace.h"
#include "figure/model/intent.h"
#include "figure/model/labels.h"
#include "figure/style/colormap.h"
#include "figure/style/font_metrics.h"
#include "figure/style/geometry.h"
#include "figure/style/ink.h"

namespace attnscope {

enum class HorizontalAlign { left, center, right };
enum class VerticalAlign { top, middle, baseline };

/// Sizes of type, logical pixels.
struct TypeSize {
  static constexpr double kSmall = 11;
  static constexpr double kBody = 13;
  static constexpr double kTitle = 14;
};

/// From a matrix to the labels beside it, logical pixels.
inline constexpr double kLabelDistance = 6;

/// From values to colours. Values outside are shown as the nearest end.
struct ColorScale {
  ColorMap map = ColorMap::magma;
  double low = 0;
  double high = 1;

  friend bool operator==(const ColorScale&, const ColorScale&) = default;
};

/// The colour of a cell. Where the ends of the scale are equal, smaller numbers have the first colour of the map,
/// larger ones the last and the same number the middle one. NaN and ±∞ have their `special_color`.
Rgb cell_color(float value, const ColorScale& scale);

/// One line of text. `markup` may hold subscripts and superscripts as in TeX: "W_{Q}", "K^{T}".
struct TextMark {
  std::string id;  ///< the same thing has the same id in the next figure, so that it can move there
  Point at;
  std::string markup;
  double size = TypeSize::kBody;
  FontWeight weight = FontWeight::regular;
  Ink ink = Ink::text;
  HorizontalAlign horizontal = HorizontalAlign::left;
  VerticalAlign vertical = VerticalAlign::baseline;
  double angle = 0;  ///< degrees, clockwise; 0 or −90
};

/// A title of the figure, or of a part of it in a smaller size, its baseline at `at`.
TextMark title_mark(std::string id, Point at, std::string markup, double size = TypeSize::kTitle);

/// A matrix of numbers as coloured cells: a slice of one tensor of the trace.
struct HeatmapMark {
  std::string id;
  Rect box;
  int step = 0;                ///< which step of the trace it shows; -1: numbers of the view's own
  Axes axes;                   ///< of that step's tensor
  std::vector<Index> leading;  ///< index along all axes but those of the rows and columns
  int column_axes = 1;         ///< how many last axes the columns run over: 2 where they are pixels
  bool transposed = false;     ///< rows of the picture are the tensor's last axis
  Index pixels_across =
      0;  ///< not 0: only the last axis is shown, as the pixels of a picture so wide, `leading` goes up to it
  std::shared_ptr<const MatrixSource> source;  ///< the numbers as rows and columns of the picture
  ColorScale scale;
  Labels row_labels;                        ///< beside the rows, outside the box; empty: none
  Labels column_labels;                     ///< above the columns
  std::string about;                        ///< one line for alternative texts: "weights of head 2"
  std::vector<std::vector<Index>> by_hand;  ///< cells of the tensor, among those shown, that were edited
  bool shows_numbers = true;                ///< in its cells, where they have room
  std::string picks;  ///< the option that a click sets to the number of the cell, row by row from 1; empty: none

  /// Of the picture.
  [[nodiscard]] Index rows() const { return axis_sizes(!transposed); }
  [[nodiscard]] Index columns() const { return axis_sizes(transposed); }
  [[nodiscard]] bool empty() const { return rows() <= 0 || columns() <= 0; }
  /// Index into the tensor of the cell in that row and column of the picture.
  [[nodiscard]] std::vector<Index> index_of(Index row, Index column) const;

 private:
  /// How many rows there are, or columns, before the picture is turned.
  [[nodiscard]] Index axis_sizes(bool of_rows) const;
};

/// Of a heatmap of the view's own numbers, that are in memory: "difference, cat, mat: 0.1250", otherwise nothing.
std::string own_cell_text(const HeatmapMark& mark, Index row, Index column);

/// What `mark` shows of `tensor`, which has its axes.
std::shared_ptr<const MatrixSource> slice_of(std::shared_ptr<const Tensor> tensor, const HeatmapMark& mark);

/// Coloured pixels, painted over a heatmap of the same size that has their numbers.
struct PixelsMark {
  std::string id;
  Rect box;
  Index columns = 1;
  std::vector<Rgb> colors;  ///< row by row

  [[nodiscard]] Index rows() const { return std::ssize(colors) / columns; }
};

struct LineMark {
  std::string id;
  Point from;
  Point to;
  Ink ink = Ink::line;
  double width = 1;
  bool dashed = false;
  bool arrow = false;  ///< a head at `to`
};

/// A filled rectangle: a bar of a chart, the background of what is chosen.
struct BarMark {
  std::string id;
  Rect box;
  Shade shade;
};

/// A curve through points, in straight pieces.
struct CurveMark {
  std::string id;
  std::vector<Point> points;
  Shade shade;
  double width = 1.5;
  bool dashed = false;
};

/// A straight line that stands for a number between two things, such as tokens.
struct Strand {
  Point from;
  Point to;
  float opacity = 1;
  int from_end = 0;  ///< number of the thing it leads from, and to: see `TargetMark::isolates`
  int to_end = 0;
};

/// Many lines of one colour: the weights of a head.
struct StrandsMark {
  std::string id;
  Shade shade;
  double width = 1.5;
  std::vector<Strand> strands;
};

/// The cell of a tensor that a mark stands for.
struct TensorCell {
  int step = 0;  ///< of the trace
  std::vector<Index> index;

  friend bool operator==(const TensorCell&, const TensorCell&) = default;
};

/// A place that responds to the mouse. It is not drawn.
struct TargetMark {
  std::string id;
  Rect box;
  std::string about;                              ///< one line for the tooltip
  ClickIntent click;                              ///< what a click asks for
  std::optional<SwapTokens> drag = std::nullopt;  ///< what a drag onto another target asks for
  std::optional<TensorCell> cell = std::nullopt;  ///< is inspected like a cell of a heatmap
  int isolates = -1;                              ///< while it is hovered only the strands that end there are shown

  [[nodiscard]] bool has_click() const { return !std::holds_alternative<std::monostate>(click); }
};

/// A labelled strip of a colour scale. The title stands left of it, its ends are labelled below.
struct ColorBarMark {
  std::string id;
  Rect box;
  ColorScale scale;
  std::string title;
  std::string low_text;  ///< usually the number; "−max" where every matrix has a scale of its own
  std::string high_text;
};

/// What is painted later lies above: in the order of the members.
struct Figure {
  double width = 0;
  double height = 0;
  std::string title;
  std::vector<HeatmapMark> heatmaps;
  std::vector<PixelsMark> pixels;
  std::vector<BarMark> bars;
  std::vector<StrandsMark> strands;
  std::vector<CurveMark> curves;
  std::vector<LineMark> lines;
  std::vector<ColorBarMark> color_bars;
  std::vector<TextMark> texts;
  std::vector<TargetMark> targets;  ///< the last one lies above the others
  std::string failure;              ///< why numbers in it could not be read; empty: they could. See `failure_of`
};

/// Why numbers that the figure shows could not be read, by now: one line. Empty where all could. Such a figure is no
/// result: it is written to no file.
std::string failure_of(const Figure& figure);

/// The cell of a figure under a point.
struct FigureHit {
  std::size_t heatmap = 0;  ///< position in `Figure::heatmaps`
  Index row = 0;
  Index column = 0;

  friend bool operator==(const FigureHit&, const FigureHit&) = default;
};

/// The cell at `at`, if there is one.
std::optional<FigureHit> hit_test(const Figure& figure, Point at);

/// The target at `at`, or null.
const TargetMark* target_at(const Figure& figure, Point at);

/// What a click at `at` asks for: the target there, or without one the cell of a heatmap with `picks`.
ClickIntent click_intent(const Figure& figure, Point at);

/// `to`, with everything that `from` has too (by id) on its way there: at `share` 0 it stands where `from` has it, at 1
/// where `to` has it. Data, labels and colours are those of `to` at once.
Figure blend(const Figure& from, const Figure& to, double share);

/// Gives the heatmaps of `to` the sources of `from` where those have the same numbers: what such a source has pooled,
/// and what the window has of it, is then not made again for every new figure of a trace.
void share_sources(const Figure& from, Figure& to);

/// How many marks there are.
std::size_t mark_count(const Figure& figure);

/// The figure as text, one mark a line: what tests compare.
std::string describe(const Figure& figure);

}  // namespace attnscope
