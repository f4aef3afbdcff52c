// Permutation equivariance: f(PX) equals P f(X) unless something distinguishes the positions.
#include "core/studies/permutation.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/experiment/order.h"
#include "core/experiment/positions.h"
#include "core/experiment/system.h"
#include "core/plan/plan.h"
#include "figure/layout/chart.h"
#include "figure/layout/legend.h"
#include "figure/slices/matrix.h"
#include "figure/slices/selected.h"
#include "figure/views/view.h"

namespace attnscope {
namespace permutation_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kTitle = 28;
constexpr double kBelowNote = 12;
constexpr double kLeastNote = 240;  // the width of its lines
constexpr double kCaption = 20;     // above a matrix
constexpr double kGap = 44;         // between matrices side by side
constexpr double kBetween = 20;     // rows of matrices
// In a window that is too low.
constexpr double kLowBetween = 6;
constexpr double kLowMargin = 4;
constexpr double kLegend = 48;
const std::string kPermuted = "permuted ";
const std::string kDifference = "f(PX) − P f(X)";
constexpr double kMaxCell = 30;
constexpr double kHighest = 2;        // cells, as a multiple of their width
constexpr double kShortestSide = 90;  // of a matrix along its tokens
// More operations make the second computation too slow.
constexpr double kMaxFlops = 5e8;
// How much rounding may change, relative to the largest number.
constexpr double kRounding = 1e-5;

/// The computation with the tokens in another order.
struct Permuted {
  std::vector<Index> order;            ///< the token at each position
  std::shared_ptr<const Trace> trace;  ///< null: see `trouble`
  std::string trouble;                 ///< why it could not be computed
};

/// What the computation depends on.
using MadeFrom = std::tuple<std::shared_ptr<const Plan>, std::uint64_t, std::vector<Index>>;

std::shared_ptr<const Permuted> permuted(const Trace& trace, const ViewOptions& options) {
  const std::vector<Index> order = full_order(options.choice("order"), permutable_tokens(trace));
  const auto make = [&]() -> std::shared_ptr<const Permuted> {
    Result<std::shared_ptr<const Trace>> run = run_in_order(trace, order, options.stop);
    if (options.stop.stop_requested()) return nullptr;
    if (!run) return std::make_shared<const Permuted>(Permuted{order, nullptr, run.error().message});
    return std::make_shared<const Permuted>(Permuted{order, std::move(*run), ""});
  };
  if (options.cache == nullptr) return make();
  return options.cache->find_or_make<Permuted>(MadeFrom{trace.plan(), trace.experiment().seed, order}, make);
}

/// What distinguishes positions, as the end of a sentence.
std::string reason_text(const Experiment& e) {
  std::vector<std::string> reasons;
  if (positions_of(e) != "none") reasons.emplace_back("positional encodings distinguish the tokens");
  if (e.mask().kind != Mask::Kind::none) reasons.emplace_back("the mask depends on positions");
  if (e.real("dropout") > 0) reasons.emplace_back("dropout depends on positions");
  return join(reasons, ", and ");
}

class PermutationLayout {
 public:
  PermutationLayout(const Trace& trace, const Permuted& other, const ViewOptions& options)
      : trace_(trace),
        other_(other),
        options_(options),
        slice_(selected_slice(trace, options.values)),
        weights_(selected_attention(trace, options.values).weights->name) {}

  Figure build() {
    given_ = {mark("x"), mark(weights_), mark("out")};
    for (const HeatmapMark& mark : given_) permuted_.push_back(other_mark(mark));
    subtract();
    if (options_.stop.stop_requested()) return {};
    label();
    add_legend();
    measure();
    place();
    return std::move(figure_);
  }

 private:
  [[nodiscard]] Index tokens() const { return static_cast<Index>(other_.order.size()); }
  [[nodiscard]] HeatmapMark mark(const std::string& name) const { return *matrix_mark(trace_, name, slice_); }

  [[nodiscard]] std::shared_ptr<const Tensor> numbers(const Trace& trace, const HeatmapMark& mark) const {
    return trace.numbers(region_within(mark.step, mark.axes, mark.leading),
                         {trace.experiment().seed, nullptr, options_.stop});
  }

  /// The same matrix of the other computation, whose numbers are not in the trace.
  [[nodiscard]] HeatmapMark other_mark(const HeatmapMark& given) const {
    const std::shared_ptr<const Tensor> tensor = numbers(*other_.trace, given);
    HeatmapMark mark = own_mark("permuted." + given.id, given);
    mark.source = std::make_shared<ResidentMatrix>(
        tensor, MatrixView{tensor->values().data(), given.rows(), given.columns(), given.columns(), 1});
    mark.scale = given.scale;
    return mark;
  }

  static HeatmapMark own_mark(std::string id, const HeatmapMark& like) {
    HeatmapMark mark;
    mark.id = std::move(id);
    mark.step = -1;
    mark.axes = {{"token", like.rows()}, {like.axes.back().name, like.columns()}};
    return mark;
  }

  /// f(PX) − P f(X).
  void subtract() {
    const HeatmapMark& out = given_.back();
    const std::shared_ptr<const Tensor> before = numbers(trace_, out);
    const std::shared_ptr<const Tensor> after = numbers(*other_.trace, out);
    difference_ = own_mark("difference", out);
    auto apart = std::make_shared<Tensor>(difference_.axes);
    const Index columns = out.columns();
    for (Index row = 0; row < tokens(); ++row) {
      for (Index column = 0; column < columns; ++column) {
        const auto at = static_cast<std::size_t>(row * columns + column);
        const auto from = static_cast<std::size_t>(other_.order[static_cast<std::size_t>(row)] * columns + column);
        apart->values()[at] = after->values()[at] - before->values()[from];
        is_finite_ = is_finite_ && std::isfinite(apart->values()[at]);
        largest_ = std::max(largest_, std::abs(static_cast<double>(apart->values()[at])));
        largest_output_ = std::max(largest_output_, std::abs(static_cast<double>(before->values()[from])));
      }
    }
    difference_.source = slice_of(std::move(apart), difference_);
    // Rounding must not look like a difference.
    double end = is_rounding() ? largest_output_ : largest_;
    if (!std::isfinite(end)) end = 0;
    difference_.scale = {ColorMap::red_blue, -end, end};
    if (!(end > 0)) difference_.scale = {ColorMap::red_blue, -1, 1};
    difference_.about = "difference";
  }

  /// The tokens in both orders: their labels, their numbers, or for very many tokens nothing.
  void label() {
    constexpr Index kMaxNumbered = 4096;
    std::vector<std::string> given = axis_labels(trace_, "x", {"token", tokens()});
    if (given.empty() && tokens() <= kMaxNumbered) given = position_numbers(tokens());
    std::vector<std::string> permuted;
    for (std::size_t i = 0; i < given.size(); ++i) permuted.push_back(given[static_cast<std::size_t>(other_.order[i])]);
    given_labels_ = std::move(given);
    permuted_labels_ = std::move(permuted);
  }

  [[nodiscard]] bool is_rounding() const { return is_finite_ && largest_ <= kRounding * largest_output_; }

  [[nodiscard]] std::string verdict() const {
    if (!is_finite_) return "Whether f(PX) = P f(X) cannot be told: some numbers of the outputs are not finite.";
    if (is_rounding()) {
      return "The output is permutation-equivariant: f(PX) = P f(X)" +
             (largest_ > 0 ? ", up to rounding (largest difference " + number_text(largest_, 2) + ")." : ".");
    }
    const std::string why = reason_text(trace_.experiment());
    return "The output is not permutation-equivariant: f(PX) differs from P f(X) by up to " + number_text(largest_) +
           (why.empty() || says_less_ ? "." : ", because " + why + ".");
  }

  /// Cells of the weights are square, others may be narrower.
  [[nodiscard]] double cell_width(std::size_t column) const { return column == 1 ? row_ : cell_; }
  [[nodiscard]] double matrix_width(std::size_t column) const {
    return static_cast<double>(given_[column].columns()) * cell_width(column);
  }
  [[nodiscard]] double matrix_height() const { return static_cast<double>(tokens()) * row_; }
  /// A column is as wide as its matrix or as the text above it.
  [[nodiscard]] double extent(std::size_t column) const {
    const double above = text_width(column == 1 ? caption(1) : kPermuted + caption(column), TypeSize::kSmall);
    const double below = column == 2 ? text_width(kDifference, TypeSize::kSmall) : 0;
    return std::max({matrix_width(column), above, below});
  }
  [[nodiscard]] double matrices_width() const { return extent(0) + extent(1) + extent(2); }

  void measure() {
    given_[1].column_labels = given_labels_;
    permuted_[1].column_labels = permuted_labels_;
    labels_ = std::max(row_label_width(given_labels_), 36.0);
    const auto rows = static_cast<double>(tokens());
    const double across = std::max(options_.width - 2 * kMargin, kLeastNote);
    const double wide = options_.width - 2 * kMargin - labels_ - 2 * kGap;
    note_ = add_caption(nullptr, "", verdict(), {}, across) + kBelowNote;
    const auto above = [&](double cell) { return kCaption + column_label_height(given_labels_, cell); };
    double fixed = 2 * kMargin + kTitle + note_ + 2 * kBetween + kLegend + kCaption +
                   legend_size(figure_.color_bars, options_.width - 2 * kMargin).height;
    double highest = kMaxCell;
    if (options_.height > 0) highest = std::min(highest, (options_.height - fixed - 2 * above(0)) / (3 * rows));
    const double least = kShortestSide / std::max(rows, 8.0);
    const auto is_low = [&] {
      return options_.in_window() && fixed + 2 * above(0) + 3 * least * rows > options_.height;
    };
    if (is_low()) {
      fixed -= 2 * (between_ - kLowBetween + margin_ - kLowMargin);
      between_ = kLowBetween;
      margin_ = kLowMargin;
    }
    if (is_low()) {
      fixed -= note_;
      says_less_ = true;
      note_ = add_caption(nullptr, "", verdict(), {}, across) + kBelowNote;
      fixed += note_;
    }
    for (cell_ = kMaxCell;; cell_ = cell_ > 4 ? cell_ - 1 : cell_ * 0.9) {
      row_ = std::max(std::min(highest, kHighest * cell_), least);
      if (row_ > 4) row_ = std::floor(row_);
      cell_ = std::min(cell_, row_);
      if (matrices_width() <= wide || cell_ < least / kHighest) break;
    }
    above_ = above(row_);
    const double block =
        std::max({labels_ + matrices_width() + 2 * kGap, std::min(text_width(verdict(), TypeSize::kSmall), across),
                  text_width(title(), TypeSize::kTitle, FontWeight::semibold)});
    figure_.width = std::max(options_.width, block + 2 * kMargin);
    const double height = fixed + 2 * above_ + 3 * matrix_height();
    figure_.height = std::max(options_.height, height);
    left_ = std::round((figure_.width - block) / 2);
    top_ = margin_ + std::floor((figure_.height - height) / 2);
  }

  [[nodiscard]] std::string title() const { return "Permutation equivariance: f(PX) − P f(X)"; }

  void place() {
    figure_.texts.push_back(title_mark("title", {left_, top_ + 13}, title()));
    add_caption(&figure_, "verdict", verdict(), {left_, top_ + kTitle - 4}, figure_.width - kMargin - left_,
                is_rounding() ? Ink::dim : Ink::text);
    const double product = above_ + matrix_height() + between_;
    double y = top_ + kTitle + note_;
    place_row(given_, given_labels_, "", y);
    y += product;
    place_row(permuted_, permuted_labels_, kPermuted, y);
    add_places(y + above_);
    y += product;
    place_difference(y);
    y += kCaption + matrix_height();
    place_legend(figure_.color_bars, {left_, y + 16}, kMargin, figure_.width - 2 * kMargin);
  }

  [[nodiscard]] std::string caption(std::size_t i) const {
    if (i == 1) return head_title(trace_.experiment(), weights_, slice_.head);
    return i == 0 ? "X" : "output";
  }

  [[nodiscard]] double column_left(std::size_t column) const {
    double x = left_ + labels_;
    for (std::size_t i = 0; i < column; ++i) x += extent(i) + kGap;
    return x;
  }

  void place_row(std::vector<HeatmapMark>& marks, const Labels& labels, const std::string& which, double y) {
    for (std::size_t i = 0; i < marks.size(); ++i) {
      HeatmapMark mark = marks[i];
      mark.box = {column_left(i), y + above_, matrix_width(i), matrix_height()};
      if (i == 0) mark.row_labels = labels;
      if (mark.step < 0) mark.about = which + caption(i);
      const double line = y + above_ - column_label_height(mark.column_labels, row_) - 7;
      add_text(mark.id + ".title", {mark.box.x, line}, i == 1 ? caption(i) : which + caption(i), Ink::text);
      if (i > 0) add_arrow(mark, i == 1 ? "attend" : "values");
      figure_.heatmaps.push_back(std::move(mark));
    }
  }

  void add_arrow(const HeatmapMark& mark, const std::string& what) {
    const double y = mark.box.center().y;
    figure_.lines.push_back(
        {mark.id + ".arrow", {mark.box.x - kGap + 4, y}, {mark.box.x - 4, y}, Ink::dim, 1, false, true});
    TextMark text = {
        mark.id + ".what",       {mark.box.x - kGap / 2, y - 6}, what, TypeSize::kSmall, FontWeight::regular, Ink::dim,
        HorizontalAlign::center, VerticalAlign::baseline,        0};
    figure_.texts.push_back(std::move(text));
  }

  /// The tokens to drag, left of the permuted X.
  void add_places(double top) {
    for (Index i = 0; i < tokens(); ++i) {
      TargetMark target;
      target.id = "place." + std::to_string(i);
      target.box = {left_ - 4, top + static_cast<double>(i) * row_, labels_, row_};
      target.about = "Drag " + token_text(trace_, "x", {"token", tokens()}, other_.order[static_cast<std::size_t>(i)]) +
                     " onto another token to swap them";
      target.drag = SwapTokens{"order", i};
      figure_.targets.push_back(std::move(target));
    }
  }

  void place_difference(double y) {
    HeatmapMark mark = difference_;
    mark.row_labels = permuted_labels_;
    mark.box = {column_left(2), y + kCaption, matrix_width(2), matrix_height()};
    add_text("difference.title", {mark.box.x, y + kCaption - 7}, kDifference, Ink::text);
    figure_.heatmaps.push_back(std::move(mark));
  }

  void add_legend() {
    const auto bar = [&](const char* id, const ColorScale& scale, const std::string& what) {
      ColorBarMark mark = {id, {0, 0, 90, 9}, scale, what, short_text(scale.low), short_text(scale.high)};
      if (scale.map == ColorMap::viridis) mark.high_text = scale_end_text(scale);
      figure_.color_bars.push_back(std::move(mark));
    };
    bar("scale.x", given_[0].scale, "X");
    bar("scale.weights", given_[1].scale, "weights");
    bar("scale.out", given_[2].scale, "output");
    bar("scale.difference", difference_.scale, "difference");
  }

  void add_text(const std::string& id, Point at, const std::string& words, Ink ink,
                HorizontalAlign align = HorizontalAlign::left) {
    figure_.texts.push_back(
        {id, at, words, TypeSize::kSmall, FontWeight::regular, ink, align, VerticalAlign::baseline, 0});
  }

  const Trace& trace_;
  const Permuted& other_;
  const ViewOptions& options_;
  Slice slice_;
  std::string weights_;  ///< their name
  std::vector<HeatmapMark> given_;
  std::vector<HeatmapMark> permuted_;
  HeatmapMark difference_;
  double largest_ = 0;         ///< difference
  bool is_finite_ = true;      ///< every difference
  double largest_output_ = 0;  ///< magnitude
  Labels given_labels_;
  Labels permuted_labels_;
  double labels_ = 0;  ///< width
  double cell_ = 0;    ///< width
  double row_ = 0;     ///< height of a cell
  double above_ = 0;   ///< a matrix: what stands there
  double left_ = 0;
  double top_ = 0;
  double between_ = kBetween;
  double margin_ = kMargin;  ///< above and below
  double note_ = 0;          ///< height of what stands below the title
  bool says_less_ = false;   ///< that does not say why
  Figure figure_;
};

bool applies(const Trace& trace, const ParameterValues& /*chosen*/, std::string_view option) {
  if (option == "order") return permutable_tokens(trace) > 1;
  return leaves_choice(trace, option);
}

std::string missing(const Trace& trace) {
  if (trace.experiment().model != nullptr) return no_model("its tokens are those of the text, in their order");
  const Step* out = trace.find("out");
  if (permutable_tokens(trace) == 0 || out == nullptr || out->axes[out->axes.size() - 2].name != "token")
    return trace.experiment().system + " has no tokens X to permute.";
  if (trace.cost().flops > kMaxFlops)
    return "Too many tokens: the permuted ones need a second computation, which would take too long.";
  return "";
}

Figure build(const Trace& trace, const ViewOptions& options) {
  const std::shared_ptr<const Permuted> other = permuted(trace, options);
  if (other == nullptr) return {};
  if (other->trace == nullptr) return reason_figure(other->trouble, options);
  Figure figure = PermutationLayout(trace, *other, options).build();
  figure.title = trace.experiment().system + ": permutation equivariance";
  return figure;
}

}  // namespace
}  // namespace permutation_view_parts

View permutation_view() {
  View view = {"permutation",
               "Permutation",
               "f(PX) − P f(X): the output permutes with the tokens unless something distinguishes their positions.",
               {layer_option(), head_option(), item_option(),
                order_parameter(
                    "order", "Order",
                    "The tokens in their new order; tokens that are not listed follow. Drag tokens in the figure, or "
                    "press Ctrl+↑ and Ctrl+↓ for the token of the pinned cell.",
                    "2 1")},
               permutation_view_parts::applies,
               permutation_view_parts::build};
  view.missing = permutation_view_parts::missing;
  view.token_order = "order";
  return view;
}

}  // namespace attnscope
