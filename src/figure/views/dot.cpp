// One query and one key: element-wise products, their sum, and how the score and the weight follow from it.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "core/base/text.h"
#include "figure/blocks/score_arithmetic.h"
#include "figure/layout/bar_row.h"
#include "figure/slices/dot_numbers.h"
#include "figure/slices/matrix.h"
#include "figure/slices/moments.h"
#include "figure/slices/selected.h"
#include "figure/views/view.h"

namespace attnscope {
namespace dot_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kRowGap = 8;
// In a window too low for these.
constexpr double kTightMargin = 6;
constexpr double kTightGap = 4;
constexpr double kLeastWidth = 320;
constexpr double kWidestContent = 1000;
constexpr double kMinUnit = 26;    // bar height of a row with share 1
constexpr double kTightUnit = 12;  // the same
constexpr double kFileUnit = 52;
constexpr double kMaxUnit = 88;

class DotLayout {
 public:
  /// `moment`: of `moments_of`; nothing: everything is computed.
  DotLayout(const Trace& trace, const ViewOptions& options, DotNumbers numbers, std::optional<Moment> moment)
      : trace_(trace), options_(options), n_(std::move(numbers)), moment_(moment) {}

  Figure build() {
    figure_.title = trace_.experiment().system + ": " + pair_text(trace_, n_);
    make_rows();
    figure_.width = std::max(options_.width, kLeastWidth);
    const double inner = std::min(figure_.width - 2 * kMargin, kWidestContent);
    double gutter = 40;
    for (const BarRow& row : rows_) gutter = std::max(gutter, std::ceil(y_axis_width(row.range, kMaxBarTicks) / 8) * 8);
    left_ = (figure_.width - inner) / 2 + gutter;
    width_ = inner - gutter;
    for (BarRow& row : rows_) {
      const std::string pooled = pooled_text(row);
      if (!pooled.empty()) row.about = {row.about.front() + "; " + pooled, pooled};
    }
    double shares = 0;
    for (const BarRow& row : rows_) shares += row.share;
    double fixed = height_without_bars();
    if (options_.height > 0 && fixed + kMinUnit * shares > options_.height) {
      margin_ = kTightMargin;
      gap_ = kTightGap;
      fixed = height_without_bars();
    }
    const double unit =
        options_.height > 0 ? std::clamp((options_.height - fixed) / shares, kTightUnit, kMaxUnit) : kFileUnit;
    const double height = fixed + unit * shares;
    figure_.height = std::max(options_.height, height);
    double y = margin_ + (figure_.height - height) / 2;
    for (const BarRow& row : rows_) {
      if (row.id == "scores") y += stations(&figure_, y);
      y = add_bar_row(figure_, row, columns(row), y, unit * row.share) + gap_;
    }
    key_labels(y - gap_);
    return std::move(figure_);
  }

 private:
  /// The height of everything but the bars.
  [[nodiscard]] double height_without_bars() const {
    double height = 2 * margin_ + stations(nullptr, 0) + key_label_height();
    for (const BarRow& row : rows_) height += kBarTitle + columns(row).numbers_height() + gap_;
    return height;
  }

  [[nodiscard]] BarColumns columns(const BarRow& row) const { return {left_, width_, std::ssize(row.numbers)}; }

  /// Says how many numbers share a bar, if several do.
  [[nodiscard]] std::string pooled_text(const BarRow& row) const {
    const Index most = columns(row).most();
    return most <= 1 ? "" : "each bar is the largest of " + std::to_string(most) + " adjacent values";
  }

  BarRow& add_row(const std::string& id, const std::string& title, const std::string& about,
                  const std::vector<double>& numbers, Shade shade, double share) {
    BarRow row;
    row.id = id;
    row.title = title;
    row.numbers = numbers;
    row.about = {about};
    row.shade = shade;
    row.share = share;
    rows_.push_back(std::move(row));
    return rows_.back();
  }

  void make_rows() {
    const DotProduct& p = n_.product;
    BarRow& q =
        add_row("q", symbol_of(p.q), query_text(trace_, n_) + slice_text(trace_, n_), n_.q, Shade::of_hue(1), 1);
    q.target = [this](Index i) { return cell_target(n_.product.q, n_.product.q_index(n_.at, i)); };
    BarRow& k = add_row("k", symbol_of(p.k), key_text(trace_, n_), n_.k, Shade::of_hue(2), 1);
    k.target = [this](Index i) { return cell_target(n_.product.k, n_.product.k_index(n_.at, i)); };
    BarRow& terms = add_row("terms", symbol_of(p.q) + " ⊙ " + symbol_of(p.k),
                            "element by element; the line is the running sum", n_.terms, Shade::of(Ink::dim, 0.7), 2);
    terms.sums = n_.sums;
    terms.shown = terms_done();
    const std::size_t done = terms.shown < 0 ? n_.sums.size() : static_cast<std::size_t>(terms.shown);
    terms.note = (done < n_.sums.size() ? "sum so far " : "sum ") + number_text(n_.sums[done - 1]);
    terms.target = [this](Index i) { return term_target(i); };
    BarRow& scores = add_row("scores", logits_text(), query_text(trace_, n_) + ", every key", n_.logits,
                             Shade::of(Ink::dim, 0.7), 1.3);
    scores.target = [this](Index i) { return key_target(n_.product.logits(), i); };
    scores.shown = lacks_scores() ? 0 : -1;
    BarRow& weights = add_row("weights", "weights", softmax_text(), n_.weights, Shade::of(Ink::dim, 0.7), 1.3);
    weights.target = [this](Index i) { return key_target(n_.product.weights, i); };
    weights.decimals = 3;
    weights.shown = is_before(Moment::Part::weights) ? 0 : -1;
    for (BarRow& row : rows_) {
      const bool of_keys = row.id == "scores" || row.id == "weights";
      if (of_keys) row.left_out = n_.masked;
      if (of_keys) row.chosen = n_.key();
      row.range = bar_range(row);
    }
    rows_.back().range = share_range(rows_.back());
  }

  /// Whether the moment comes before those of `part`.
  [[nodiscard]] bool is_before(Moment::Part part) const { return moment_ && moment_->part < part; }

  /// Whether the scores of the other keys are still to come.
  [[nodiscard]] bool lacks_scores() const {
    const Moment::Part last = last_of_scores();
    const bool only_own =
        moment_ && last == Moment::Part::scores && moment_->part == last && moment_->done < n_.product.keys;
    return only_own || is_before(last);
  }

  /// −1: all.
  [[nodiscard]] Index terms_done() const {
    return moment_ && moment_->part == Moment::Part::products ? moment_->done : -1;
  }

  /// What the scores of all keys are complete with.
  [[nodiscard]] Moment::Part last_of_scores() const {
    return n_.product.mask != nullptr ? Moment::Part::masked
           : n_.product.biased >= 0   ? Moment::Part::biased
                                      : Moment::Part::scores;
  }

  [[nodiscard]] std::string symbol_of(int factor) const { return factor_symbol(trace_, n_.product, factor); }

  [[nodiscard]] std::string logits_text() const {
    const DotProduct& p = n_.product;
    return p.mask != nullptr ? "masked scores" : p.biased >= 0 ? "scores with ALiBi" : "scores";
  }

  [[nodiscard]] std::string softmax_text() const {
    return n_.product.temperature == 1 ? "softmax of the scores"
                                       : "softmax of the scores ÷ " + exact_text(n_.product.temperature);
  }

  static TargetMark cell_target(int of_step, std::vector<Index> index) {
    TargetMark target;
    target.cell = TensorCell{of_step, std::move(index)};
    return target;
  }

  [[nodiscard]] TargetMark term_target(Index i) const {
    const auto at = static_cast<std::size_t>(i);
    TargetMark target;
    target.about = "dim " + std::to_string(i + 1) + ": " + number_text(n_.q[at]) + " × " + number_text(n_.k[at]) +
                   " = " + number_text(n_.terms[at]) + "; running sum " + number_text(n_.sums[at]);
    return target;
  }

  [[nodiscard]] TargetMark key_target(int of_step, Index key) const {
    std::vector<Index> index = n_.at;
    index.back() = key;
    TargetMark target = cell_target(of_step, std::move(index));
    target.click = SetOptions{{{"key", key + 1}}};
    return target;
  }

  /// The arithmetic from `top` on; returns its height. `figure` may be null for that alone.
  double stations(Figure* figure, double top) const {
    const std::vector<ArithmeticTerm> terms = score_terms(trace_, n_, "");
    // The place of those that are still to come stays free.
    if (figure != nullptr) add_arithmetic(figure, std::span(terms).first(terms_of_moment(terms)), {left_, top}, width_);
    return add_arithmetic(nullptr, terms, {left_, top}, width_) + gap_;
  }

  /// How many of them are computed, the first ones.
  [[nodiscard]] std::size_t terms_of_moment(std::span<const ArithmeticTerm> terms) const {
    if (terms_done() >= 0) return 0;
    const std::string_view last = is_before(Moment::Part::biased)    ? "score"
                                  : is_before(Moment::Part::masked)  ? "bias"
                                  : is_before(Moment::Part::powers)  ? "mask"
                                  : is_before(Moment::Part::weights) ? "temperature"
                                                                     : "weight";
    const auto found = std::find_if(terms.begin(), terms.end(), [&](const auto& term) { return term.id == last; });
    return static_cast<std::size_t>(found - terms.begin()) + 1;
  }

  /// Whether the keys' labels fit side by side; otherwise they are turned.
  [[nodiscard]] bool flat_key_labels() const {
    double widest = 0;
    for (const std::string& label : n_.key_labels) widest = std::max(widest, text_width(label, TypeSize::kSmall));
    return widest + 6 <= BarColumns{left_, width_, n_.product.keys}.pitch();
  }

  [[nodiscard]] double key_label_height() const {
    double longest = 0;
    for (const std::string& label : n_.key_labels) longest = std::max(longest, text_width(label, TypeSize::kSmall));
    return n_.key_labels.empty() || flat_key_labels() ? 16 : longest + 4;
  }

  void key_label(Index key, const std::string& text, double top, bool flat) {
    const BarColumns columns = {left_, width_, n_.product.keys};
    const double x = columns.center(columns.column_of(key));
    TextMark mark = chart_text("label." + std::to_string(key), {x, flat ? top + 11 : top}, text,
                               key == n_.key() ? Ink::accent : Ink::dim, TypeSize::kSmall,
                               flat ? HorizontalAlign::center : HorizontalAlign::right,
                               flat ? VerticalAlign::baseline : VerticalAlign::middle);
    mark.angle = flat ? 0 : -90;
    figure_.texts.push_back(std::move(mark));
  }

  /// Labels or numbers of the keys, as many as fit.
  void key_labels(double top) {
    if (n_.key_labels.empty()) {
      key_numbers(top);
      return;
    }
    const double pitch = width_ / static_cast<double>(n_.product.keys);
    const bool flat = flat_key_labels();
    const Index each = flat ? 1 : std::max<Index>(1, static_cast<Index>(std::ceil(TypeSize::kSmall * 1.1 / pitch)));
    for (Index key = 0; key < n_.product.keys; key += each)
      key_label(key, n_.key_labels[static_cast<std::size_t>(key)], top, flat);
  }

  /// Round numbers, and the number of the selected key in place of its neighbours.
  void key_numbers(double top) {
    const auto keys = static_cast<double>(n_.product.keys);
    const double needed = text_width(std::to_string(n_.product.keys), TypeSize::kSmall) + 12;
    const ChartRange range = {1, keys};
    for (const ChartTick& tick : chart_ticks(range, static_cast<std::size_t>(std::max(2.0, width_ / needed - 1)))) {
      const auto key = static_cast<Index>(std::llround(tick.value)) - 1;
      const double apart = std::abs(static_cast<double>(key - n_.key())) / keys * width_;
      const bool whole = std::abs(tick.value - std::round(tick.value)) < 1e-6;
      if (whole && key >= 0 && apart >= needed) key_label(key, std::to_string(key + 1), top, true);
    }
    key_label(n_.key(), std::to_string(n_.key() + 1), top, true);
  }

  const Trace& trace_;
  const ViewOptions& options_;
  DotNumbers n_;
  std::optional<Moment> moment_;
  std::vector<BarRow> rows_;
  double margin_ = kMargin;  ///< above and below
  double gap_ = kRowGap;     ///< between rows
  double left_ = 0;
  double width_ = 0;
  Figure figure_;
};

Figure build(const Trace& trace, const ViewOptions& options) {
  const Step& weights = *selected_attention(trace, options.values).weights;
  std::optional<Moment> moment;
  if (const Index number = chosen_moment(options.values); number > 0) {
    const std::vector<Moment> all = moments_of(trace, weights, true);
    moment = all[static_cast<std::size_t>(std::min<Index>(number, std::ssize(all)) - 1)];
  }
  return DotLayout(trace, options, dot_numbers(trace, *dot_product(trace, weights.name), options), moment).build();
}

Index moments(const Trace& trace, const ParameterValues& chosen) {
  const Step* const weights = selected_attention(trace, chosen).weights;
  return weights == nullptr ? 0 : std::ssize(moments_of(trace, *weights, true));
}

bool applies(const Trace& trace, const ParameterValues& /*chosen*/, std::string_view option) {
  return option == "moment" || leaves_choice(trace, option);
}

}  // namespace
}  // namespace dot_view_parts

View dot_view() {
  View view = {"dot",
               "Dot product",
               "One query and one key: element-wise products, their sum, the score and the weight.",
               {attention_option(), layer_option(), head_option(), item_option(),
                integer_parameter("query", "Query", "The query token.", 1, 1, 10),
                integer_parameter("key", "Key", "The key token.", 1, 1, 10), moment_option()},
               dot_view_parts::applies,
               dot_view_parts::build,
               no_dot_product};
  view.moments = dot_view_parts::moments;
  view.shows_pair = true;
  view.names = layer_names;
  return view;
}

}  // namespace attnscope
