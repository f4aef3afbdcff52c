// A figure as data: heatmaps, text and lines with roles instead of colours, in logical pixels. The window and the
// exported files paint the same figure.
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

/// Font sizes, logical pixels.
struct TypeSize {
  static constexpr double kSmall = 11;
  static constexpr double kBody = 13;
  static constexpr double kTitle = 14;
};

/// Distance from a matrix to its labels, logical pixels.
inline constexpr double kLabelDistance = 6;

/// How the numbers between both ends of a colour scale share its colours.
enum class ScaleKind {
  linear,
  logarithmic,   ///< 0 and negative numbers have the first colour
  share_of_row,  ///< linear, for each number divided by the largest of its row
};

/// Maps values to colours. Values outside the range have the colour of its nearest end.
struct ColorScale {
  ColorMap map = ColorMap::magma;
  double low = 0;
  double high = 1;
  ScaleKind kind = ScaleKind::linear;
  std::optional<float> masked = {};  ///< numbers that a mask wrote, with the `masked_color`

  friend bool operator==(const ColorScale&, const ColorScale&) = default;
};

/// The colour of a cell; on a scale of shares, of its share. Where both ends of the scale are equal, smaller numbers have the first colour of the map,
/// larger ones the last, and the same number the middle one. NaN and ±∞ have their `special_color`, unless a mask wrote
/// them.
Rgb cell_color(float value, const ColorScale& scale);

/// One line of text. `markup` may hold subscripts and superscripts as in TeX: "W_{Q}", "K^{T}".
struct TextMark {
  std::string id;  ///< stable from figure to figure: a mark moves to its place in the next one
  Point at;
  std::string markup;
  double size = TypeSize::kBody;
  FontWeight weight = FontWeight::regular;
  Ink ink = Ink::text;
  HorizontalAlign horizontal = HorizontalAlign::left;
  VerticalAlign vertical = VerticalAlign::baseline;
  double angle = 0;  ///< degrees, clockwise; 0 or −90
};

/// A title of the figure, or in a smaller size of one of its parts; its baseline is at `at`.
TextMark title_mark(std::string id, Point at, std::string markup, double size = TypeSize::kTitle);

/// A view option that a click on a cell sets to the number of the cell, row by row.
struct PickedOption {
  std::string name;  ///< empty: none
  Index from = 1;    ///< the number of the first cell
  Index side = 1;    ///< cells along each side of a square that has one number
};

/// A matrix of numbers as coloured cells: a slice of one tensor of the trace.
struct HeatmapMark {
  std::string id;
  Rect box;
  int step = 0;                                ///< the step of the trace it shows; -1: numbers that the view computed
  Axes axes;                                   ///< of that step's tensor
  std::vector<Index> leading;                  ///< index along the axes before those of rows and columns
  int column_axes = 1;                         ///< number of last axes that the columns span: 2 for pixels
  bool transposed = false;                     ///< the tensor's last axis runs down the rows
  Index pixels_across = 0;                     ///< not 0: shows the last axis alone, as pixels of a picture this wide
  Index pixels_first = 0;                      ///< what the last axis has before those pixels
  std::shared_ptr<const MatrixSource> source;  ///< the numbers as rows and columns of the picture
  std::shared_ptr<const MatrixSource> shares;  ///< on a scale of shares: the numbers as such; null on another
  ColorScale scale;
  Labels row_labels;                        ///< left of the rows, outside the box; empty: none
  Labels column_labels;                     ///< above the columns
  std::string about;                        ///< one line for alternative texts: "weights of head 2"
  std::vector<std::vector<Index>> by_hand;  ///< index of each shown cell that was edited
  std::vector<Region> not_yet;              ///< cells that are not computed at the moment that is shown: they are empty
  bool shows_numbers = true;                ///< in the cells, where they fit
  Labels cell_texts;                        ///< in the cells instead of their numbers, row by row; empty: none
  PickedOption picks;                       ///< what a click on a cell sets

  /// Rows and columns as shown.
  [[nodiscard]] Index rows() const { return axis_sizes(!transposed); }
  [[nodiscard]] Index columns() const { return axis_sizes(transposed); }
  [[nodiscard]] bool empty() const { return rows() <= 0 || columns() <= 0; }
  /// Index into the tensor of the cell shown in that row and column.
  [[nodiscard]] std::vector<Index> index_of(Index row, Index column) const;

 private:
  /// Number of rows or columns before transposing.
  [[nodiscard]] Index axis_sizes(bool of_rows) const;
};

/// What the mark's scale maps to colours.
inline const std::shared_ptr<const MatrixSource>& colored(const HeatmapMark& mark) {
  return mark.shares ? mark.shares : mark.source;
}

/// "difference, cat, mat: 0.1250" for a cell of a heatmap whose numbers the view computed; empty where it is not quick to
/// read.
std::string own_cell_text(const HeatmapMark& mark, Index row, Index column);

/// The part of `tensor` that `mark` shows. The tensor has the axes of the mark.
std::shared_ptr<const MatrixSource> slice_of(std::shared_ptr<const Tensor> tensor, const HeatmapMark& mark);

/// Coloured pixels, painted over the heatmap that has their numbers.
struct PixelsMark {
  std::string id;
  Rect box;
  Index columns = 1;
  std::vector<Rgb> colors;  ///< row by row

  [[nodiscard]] Index rows() const { return std::ssize(colors) / columns; }
};

/// A word of a running text, on the colour of its number.
struct WordMark {
  std::string id;
  Rect box;
  std::string text;   ///< as it is, without markup and without spaces around it
  double indent = 0;  ///< from the left of the box to the text
  double size = TypeSize::kBody;
  std::optional<float> value;  ///< nothing: the word has no colour
  ColorScale scale;
  Ink ink = Ink::text;  ///< of a word without a colour
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

/// A filled rectangle: a bar of a chart, or the background of a selected row.
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
  bool arrow = false;  ///< a head at the last point
};

/// A straight line between two things, such as tokens, that stands for a number.
struct Strand {
  Point from;
  Point to;
  float opacity = 1;
  int from_end = 0;  ///< number of the thing at `from`, see `TargetMark::isolates`
  int to_end = 0;    ///< the same at `to`
};

/// Many lines of one colour: the weights of a head.
struct StrandsMark {
  std::string id;
  Shade shade;
  double width = 1.5;
  std::vector<Strand> strands;
};

/// A cell of a tensor.
struct TensorCell {
  int step = 0;  ///< of the trace
  std::vector<Index> index;

  friend bool operator==(const TensorCell&, const TensorCell&) = default;
};

/// A token of a text, by its position and what it is called.
struct NamedToken {
  Index position = 0;
  std::string name;
};

/// A place that responds to the mouse. It is not drawn.
struct TargetMark {
  std::string id;
  Rect box;
  std::string about;                               ///< one line for the tooltip
  ClickIntent click;                               ///< what a click asks for
  std::optional<SwapTokens> drag = std::nullopt;   ///< what a drag onto another target asks for
  std::optional<TensorCell> cell = std::nullopt;   ///< is inspected like a cell of a heatmap
  int isolates = -1;                               ///< while it is hovered only the strands that end there are shown
  std::optional<NamedToken> token = std::nullopt;  ///< the token that stands there, for who searches for it
  std::optional<MoveTip> moves = std::nullopt;     ///< what a drag changes

  [[nodiscard]] bool has_click() const { return !std::holds_alternative<std::monostate>(click); }
};

/// A labelled strip of a colour scale: the title at its left, the ends labelled below.
struct ColorBarMark {
  std::string id;
  Rect box;
  ColorScale scale;
  std::string title;
  std::string low_text;  ///< usually the number; "−max" where every matrix has its own scale
  std::string high_text;
  std::optional<Rgb> one_color = {};  ///< of masked scores, in place of those of the scale
};

/// Cells with a frame around them; see `paint_highlights`.
struct Highlights {
  std::vector<Region> regions;
  std::optional<Region> cell;
};

/// The marks are painted in the order of the members.
struct Figure {
  double width = 0;
  double height = 0;
  std::string title;
  std::vector<HeatmapMark> heatmaps;
  std::vector<PixelsMark> pixels;
  std::vector<BarMark> bars;
  std::vector<WordMark> words;
  std::vector<StrandsMark> strands;
  std::vector<CurveMark> curves;
  std::vector<LineMark> lines;
  std::vector<ColorBarMark> color_bars;
  std::vector<TextMark> texts;
  std::vector<TargetMark> targets;      ///< the last one is on top
  Highlights highlights;                ///< in a file; the window has those of the cell under the cursor instead
  FigureFont font = FigureFont::inter;  ///< that it is laid out for, and painted in
  bool lacks_words = false;             ///< words beside cells were left out, or are numbers, for want of room
  bool is_part = false;                 ///< matrices were left out because `ViewOptions::tensors` asks for others
  bool only_says_why = false;           ///< there is nothing to see
  std::string sentence;  ///< says what it shows, with its numbers; `with_content` adds what the colours mean
  std::string failure;   ///< why its numbers could not be read; empty: they could. See `failure_of`
};

/// Why numbers of the figure could not be read, in one line; empty: all could so far. A figure that failed is not
/// written to a file.
std::string failure_of(const Figure& figure);

/// The cell of a figure under a point.
struct FigureHit {
  std::size_t heatmap = 0;  ///< position in `Figure::heatmaps`
  Index row = 0;
  Index column = 0;

  friend bool operator==(const FigureHit&, const FigureHit&) = default;
};

/// Whether that cell is one of `HeatmapMark::not_yet`.
bool is_not_yet(const HeatmapMark& mark, Index row, Index column);

/// The cell at `at`, if there is one and it is not one of `HeatmapMark::not_yet`.
std::optional<FigureHit> hit_test(const Figure& figure, Point at);

/// The target at `at`, or null.
const TargetMark* target_at(const Figure& figure, Point at);

/// What a click at `at` asks for: the target there, or without one the cell of a heatmap with `picks`.
ClickIntent click_intent(const Figure& figure, Point at);

/// `to` with every mark that `from` has too (by id) on its way: at `share` 0 in its place in `from`, at 1 in its place
/// in `to`. Data, labels and colours are those of `to`.
Figure blend(const Figure& from, const Figure& to, double share);

/// Gives the heatmaps of `to` the sources of `from` where those have the same numbers, so that a new figure of the same
/// trace reuses what was pooled and sent to the graphics card.
void share_sources(const Figure& from, Figure& to);

/// The number of marks.
std::size_t mark_count(const Figure& figure);

/// The figure as text, one line for each mark: what tests compare.
std::string describe(const Figure& figure);

}  // namespace attnscope
