// The difference between two heads of one or two layers, or between one head now and in the baseline; or which heads of all
// layers differ.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/heads/metrics.h"
#include "core/operations/mask.h"
#include "core/plan/region.h"
#include "figure/blocks/compared_heads.h"
#include "figure/layout/grid.h"
#include "figure/layout/legend.h"
#include "figure/slices/every_head.h"
#include "figure/slices/selected.h"
#include "figure/views/view.h"

namespace attnscope {
namespace compare_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kTitle = 28;
constexpr double kNotes = 20;
constexpr double kPanelTitle = 20;
constexpr double kAxisName = 16;
constexpr double kLegendHeight = 44;
constexpr Index kMaxCells = Index{1} << 24U;

/// One side of the comparison. Everything counts from 0.
struct Side {
  const Trace* trace = nullptr;
  const Step* step = nullptr;
  Slice slice;
  std::string name;
  HeatmapMark mark;                                 ///< without scale and place
  std::shared_ptr<const Tensor> numbers = nullptr;  ///< [1, …, row, column], of pictures [1, …, row, column, column]

  [[nodiscard]] int position() const { return static_cast<int>(step - trace->steps().data()); }
  [[nodiscard]] Index rows() const { return mark.rows(); }
  [[nodiscard]] Index columns() const { return mark.columns(); }
  [[nodiscard]] MatrixView matrix() const { return {numbers->values().data(), rows(), columns(), columns(), 1}; }
  [[nodiscard]] bool is_of_a_head() const { return find_axis(step->axes, "head") != nullptr; }
};

/// The weights, the scores before the mask, or the output.
const Step& compared_step(const Trace& trace, const SelectedAttention& chosen, const std::string& of) {
  const Step* step = chosen.weights;
  const auto input = [&] { return &trace.step(step->inputs.front()); };
  if (of == "output") {
    const Step* out = chosen.cross ? nullptr : trace.find(chosen.layer + "out");
    if (out == nullptr) out = trace.find(chosen.cross ? "cross_head_outputs" : chosen.layer + "head_outputs");
    return out != nullptr ? *out : *step;
  }
  if (of != "scores" || step->inputs.empty()) return *step;
  step = input();
  if (is<MaskOperation>(step->operation)) step = input();
  return *step;
}

Side side_of(const Trace& trace, const ParameterValues& values, const std::string& of) {
  const SelectedAttention chosen = selected_attention(trace, values);
  const Step& step = compared_step(trace, chosen, of);
  const Slice slice = selected_slice(trace, values);
  Side side = {&trace, &step, slice, of == "output" ? "output" : "attention", *unscaled_mark(trace, step.name, slice)};
  if (side.is_of_a_head()) side.name = head_title(trace.experiment(), chosen.weights->name, side.slice.head);
  if (layer_count(trace) > 1) side.name += ", " + chosen.title;
  return side;
}

std::string size_text(const Side& side) { return grouped_text(side.rows()) + " × " + grouped_text(side.columns()); }

/// Why the two cannot be compared; empty: they can.
std::string reason(const Side& first, const Side& second, bool pinned) {
  if (!pinned && first.step == second.step && !first.is_of_a_head())
    return "There is only one " + first.name + ": set a baseline (P) to see what changes.";
  if (first.rows() != second.rows() || first.columns() != second.columns()) {
    return (pinned ? "The baseline has " : "The other layer has ") + size_text(second) + " numbers, this one " +
           size_text(first) + ".";
  }
  if (first.rows() > kMaxCells / first.columns()) return size_text(first) + " numbers are too many to compare.";
  return "";
}

class CompareLayout {
 public:
  CompareLayout(Side first, Side second, const ViewOptions& options)
      : first_(std::move(first)),
        second_(std::move(second)),
        options_(options),
        weights_(is_weights(*first_.step)),
        show_(options.choice("show")) {}

  Figure build() {
    for (Side* side : {&first_, &second_}) {
      const Experiment& experiment = side->trace->experiment();
      side->numbers = side->trace->numbers(region_within(side->position(), side->step->axes, side->mark.leading),
                                           {experiment.seed, nullptr, options_.stop});
    }
    if (options_.stop.stop_requested()) return {};
    subtract();
    make_panels();
    place();
    return std::move(figure_);
  }

 private:
  /// What rows and columns are: "query" and "key", or "channel" and "pixel" of a picture.
  [[nodiscard]] std::string row_name() const {
    const Axes& axes = first_.step->axes;
    return axes[axes.size() - 1 - static_cast<std::size_t>(first_.mark.column_axes)].name;
  }
  [[nodiscard]] std::string column_name() const {
    return first_.mark.column_axes > 1 ? "pixel" : first_.step->axes.back().name;
  }

  struct Panel {
    std::string title;
    HeatmapMark mark;
  };

  void subtract() {
    const MatrixView a = first_.matrix();
    const MatrixView b = second_.matrix();
    difference_ = std::make_shared<Tensor>(Axes{{row_name(), a.rows}, {column_name(), a.columns}});
    auto* out = difference_->values().data();
    double squares = 0;
    for (Index row = 0; row < a.rows; ++row) {
      for (Index column = 0; column < a.columns; ++column, ++out) {
        *out = a.at(row, column) - b.at(row, column);
        const auto size = std::abs(static_cast<double>(*out));
        if (!std::isfinite(size)) {
          ++not_finite_;
          continue;
        }
        largest_ = std::max(largest_, size);
        squares += size * size;
      }
    }
    norm_ = std::sqrt(squares);
  }

  /// One of the two as other views show it. The numbers of the baseline are not in the trace.
  [[nodiscard]] Panel panel(const Side& side, const std::string& id) const {
    Panel panel = {capitalized(side.name), side.mark};
    if (side.trace != first_.trace) {
      panel.mark.step = -1;
      panel.mark.axes = difference_->axes();
      panel.mark.leading.clear();
      panel.mark.column_axes = 1;
      panel.mark.source = std::make_shared<ResidentMatrix>(side.numbers, side.matrix());
    }
    panel.mark.id = id;
    panel.mark.scale = scale();
    return panel;
  }

  [[nodiscard]] Panel difference_panel() const {
    Panel panel;
    panel.mark.id = "difference";
    panel.mark.step = -1;
    panel.mark.axes = difference_->axes();
    panel.mark.source = slice_of(difference_, panel.mark);
    panel.mark.scale = {ColorMap::red_blue, -largest_, largest_};
    if (!(largest_ > 0)) panel.mark.scale = {ColorMap::red_blue, -1, 1};
    panel.mark.about = capitalized(first_.name) + " − " + second_.name;
    return panel;
  }

  /// The same for both, so that their colours are comparable.
  [[nodiscard]] ColorScale scale() const {
    if (!weights_) {
      const ResidentMatrix a(first_.numbers, first_.matrix());
      const ResidentMatrix b(second_.numbers, second_.matrix());
      return joint_scale(natural_scale(*first_.step, a), natural_scale(*second_.step, b));
    }
    ColorScale scale = weights_scale(*first_.trace, *first_.step, first_.mark.leading);
    scale.high = std::max(scale.high, weights_scale(*second_.trace, *second_.step, second_.mark.leading).high);
    return scale;
  }

  void make_panels() {
    if (show_ == "difference") panels_.push_back(difference_panel());
    if (show_ == "both" || show_ == "first") panels_.push_back(panel(first_, "first"));
    if (show_ == "both" || show_ == "second") panels_.push_back(panel(second_, "second"));
    // The baseline may have read another text; their difference has the words of the text that is open.
    for (Panel& panel : panels_) {
      const Side& side = panel.mark.id == "second" ? second_ : first_;
      panel.mark.row_labels = row_labels(*side.trace, side.mark);
      panel.mark.column_labels = column_labels(*side.trace, side.mark);
    }
  }

  [[nodiscard]] std::string title() const {
    if (show_ == "difference") return capitalized(first_.name) + " − " + second_.name;
    if (show_ == "both") return capitalized(first_.name) + " and " + second_.name;
    return capitalized(show_ == "first" ? first_.name : second_.name);
  }

  /// How large the difference is.
  [[nodiscard]] std::string notes() const {
    std::string text = "largest difference " + number_text(largest_) + ", norm " + number_text(norm_);
    if (not_finite_ > 0) text += " without the " + grouped_text(not_finite_) + " that are not finite";
    if (weights_)
      text += " · Jensen–Shannon divergence, summed over queries: " +
              number_text(head_distance(first_.matrix(), second_.matrix())) + " nats";
    return text;
  }

  [[nodiscard]] ColorBarMark legend() const {
    const ColorScale& scale = panels_.front().mark.scale;
    ColorBarMark bar = {"scale", {0, 0, 160, 9}, scale, "", short_text(scale.low), short_text(scale.high)};
    bar.title = weights_ ? "attention weight" : symbol(first_.step->name);
    if (show_ == "difference") {
      bar.title = "difference of " + (weights_ ? std::string("weights") : symbol(first_.step->name));
    } else if (weights_) {
      bar.high_text = scale_end_text(scale);
    }
    return bar;
  }

  void place() {
    const HeatmapMark& mark = panels_.front().mark;
    const bool titled = panels_.size() > 1;
    PanelShape shape = {mark.rows(), mark.columns(), 0, 0, 32, 0, 64};
    const double names = text_width(row_name(), TypeSize::kSmall) + kLabelDistance + 6;
    shape.left = std::ceil(std::max(names, row_label_width(mark.row_labels)));
    if (titled) {
      for (const Panel& panel : panels_)
        shape.least_width =
            std::max(shape.least_width, shape.left + text_width(panel.title, TypeSize::kBody, FontWeight::semibold));
    }
    const double above = kAxisName + (titled ? kPanelTitle : 0);
    shape.top = above + column_label_height(mark.column_labels, 0);
    const std::string said = notes();
    const double fixed = 2 * kMargin + kTitle + kNotes + kLegendHeight;
    const double room = options_.height > 0 ? std::max(1.0, options_.height - fixed) : 0;
    const auto count = static_cast<Index>(panels_.size());
    const Grid grid = fit_grid(count, shape, options_.width - 2 * kMargin, room);
    figure_.color_bars = {legend()};
    const double block = std::max({grid.width(), text_width(title(), TypeSize::kTitle, FontWeight::semibold),
                                   text_width(said, TypeSize::kSmall), legend_size(figure_.color_bars, 0).width});
    figure_.width = std::max(options_.width, block + 2 * kMargin);
    const double height = fixed + grid.height();
    figure_.height = std::max(options_.height, height);
    const double left = std::round((figure_.width - block) / 2);
    const double top = kMargin + std::floor((figure_.height - height) / 2);
    figure_.texts.push_back(title_mark("title", {left, top + 13}, title()));
    add_flip({left - 4, top - 4, text_width(title(), TypeSize::kTitle, FontWeight::semibold) + 8, 24});
    add_text("notes", {left, top + kTitle + 8}, said, Ink::dim, HorizontalAlign::left);
    for (Index i = 0; i < count; ++i) {
      const Point corner = grid.corner(i);
      place_panel(panels_[static_cast<std::size_t>(i)],
                  {left + corner.x + shape.left, top + kTitle + kNotes + corner.y + above}, grid);
    }
    place_legend(figure_.color_bars, {left, top + kTitle + kNotes + grid.height() + 16}, kMargin,
                 figure_.width - 2 * kMargin);
  }

  void place_panel(Panel& panel, Point at, const Grid& grid) {
    HeatmapMark& mark = panel.mark;
    const double labels = column_label_height(mark.column_labels, grid.cell_width);
    mark.box = {at.x, at.y + labels, grid.cell_width * static_cast<double>(mark.columns()),
                grid.cell_height * static_cast<double>(mark.rows())};
    if (panels_.size() > 1) {
      figure_.texts.push_back(
          title_mark(mark.id + ".title", {at.x, at.y - kAxisName - 4}, panel.title, TypeSize::kBody));
    }
    add_text(mark.id + ".key", {at.x, at.y - 6}, column_name(), Ink::text, HorizontalAlign::left);
    add_text(mark.id + ".query", {at.x - kLabelDistance - 6, mark.box.y - kLabelDistance}, row_name(), Ink::text,
             HorizontalAlign::right);
    figure_.heatmaps.push_back(std::move(mark));
  }

  /// When only one side is shown, clicking its name switches sides.
  void add_flip(const Rect& box) {
    if (show_ != "first" && show_ != "second") return;
    const bool first = show_ == "first";
    TargetMark target;
    target.id = "flip";
    target.box = box;
    target.about = "Click to show " + (first ? second_.name : first_.name) + " instead";
    target.click = SetOptions{{{"show", std::string(first ? "second" : "first")}}};
    figure_.targets.push_back(std::move(target));
  }

  void add_text(std::string id, Point at, std::string markup, Ink ink, HorizontalAlign horizontal) {
    figure_.texts.push_back({std::move(id), at, std::move(markup), TypeSize::kSmall, FontWeight::regular, ink,
                             horizontal, VerticalAlign::baseline, 0});
  }

  Side first_;
  Side second_;
  const ViewOptions& options_;
  bool weights_;
  std::string show_;
  std::shared_ptr<Tensor> difference_;
  double largest_ = 0;
  double norm_ = 0;       ///< Frobenius
  Index not_finite_ = 0;  ///< differences
  std::vector<Panel> panels_;
  Figure figure_;
};

bool is_chosen(const ParameterValues& chosen, std::string_view option, std::string_view value) {
  const auto found = chosen.find(option);
  return found != chosen.end() && found->second == ParameterValue(std::string(value));
}

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  // The baseline shows the same head of the same layer.
  if (option.starts_with("other_") && is_chosen(chosen, "against", "pinned")) return false;
  if (is_chosen(chosen, "show", "heads") &&
      (option == "of" || option == "head" || option == "layer" || option == "attention"))
    return false;
  return option == "against" || option == "of" || option == "show" || leaves_choice(trace, option);
}

Figure build_every_head(const Trace& trace, const ViewOptions& options, bool pinned) {
  std::optional<HeadPlace> place;
  ComparedWith with = {"Every head now and in the baseline", false, {}, {{"show", std::string("difference")}}};
  if (!pinned) {
    const ParameterValues values = other_attention(options.values);
    const SelectedAttention chosen = selected_attention(trace, values);
    place = {static_cast<int>(chosen.weights - trace.steps().data()), selected_slice(trace, values).head};
    const std::string name = head_title(trace.experiment(), chosen.weights->name, place->head) +
                             (layer_count(trace) > 1 ? ", " + chosen.title : "");
    with = {"Every head beside " + name, true, place, with.click};
  }
  if (has_too_many_weights(trace)) return reason_figure("The weights of all heads are too many to compare.", options);
  const std::shared_ptr<const std::vector<ComparedHead>> heads = every_head(trace, options, place);
  if (heads == nullptr) return {};
  if (heads->empty())
    return reason_figure("No head of the baseline has as many queries and keys as the same head here.", options);
  return compared_heads_figure(trace, *heads, with, options);
}

Figure build(const Trace& trace, const ViewOptions& options) {
  const bool pinned = options.choice("against") == "pinned";
  const std::string& of = options.choice("of");
  if (pinned && options.pinned == nullptr)
    return reason_figure("No baseline yet: P sets this experiment as the baseline; on the command line, use --pinned.",
                         options);
  if (options.choice("show") == "heads") {
    Figure figure = build_every_head(trace, options, pinned);
    figure.title = trace.experiment().system + ": every head compared";
    return figure;
  }
  Side first = side_of(trace, options.values, of);
  Side second =
      pinned ? side_of(*options.pinned, options.values, of) : side_of(trace, other_attention(options.values), of);
  if (pinned) {
    first.name += " now";
    second.name += " in the baseline";
  }
  if (const std::string why = reason(first, second, pinned); !why.empty()) return reason_figure(why, options);
  const SelectedAttention chosen = selected_attention(trace, options.values);
  Figure figure = CompareLayout(std::move(first), std::move(second), options).build();
  figure.title = trace.experiment().system + ": comparison" +
                 attention_text(trace, chosen, selected_slice(trace, options.values).item);
  return figure;
}

}  // namespace
}  // namespace compare_view_parts

View compare_view() {
  const Parameter against = choice_parameter("against", "Compare with", "Another head, or the baseline.",
                                             {"head", "pinned"}, {"another head", "baseline"});
  const Parameter of = choice_parameter("of", "Show", "The weights, the scores before the mask, or the output.",
                                        {"weights", "scores", "output"}, {"weights", "scores", "output"});
  const Parameter show = choice_parameter("show", "Display",
                                          "The first minus the second, both side by side, only one (click its name to "
                                          "switch), or every head of all layers: those "
                                          "that differ most from the baseline, or are most like the other head.",
                                          {"difference", "both", "first", "second", "heads"},
                                          {"difference", "both", "first", "second", "every head"});
  View view = {
      "compare",
      "Compare",
      "The difference of two attentions: of two heads, or of one head now and in the baseline; or every head of "
      "all layers.",
      {against, attention_option(), layer_option(), head_option(),
       integer_parameter("other_layer", "Other layer", "The layer of the other head.", 1, 1, 10),
       integer_parameter("other_head", "Other head", "The other head.", 2, 1, 10), item_option(), of, show},
      compare_view_parts::applies,
      compare_view_parts::build,
      no_attention};
  view.names = layer_names;
  view.with_baseline = {{"against", std::string("pinned")}};
  return view;
}

}  // namespace attnscope
