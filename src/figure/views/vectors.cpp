// The vectors of a head as arrows: queries and keys with the angle of a pair, and the output as a blend of values.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/text.h"
#include "figure/blocks/arrow_panel.h"
#include "figure/blocks/score_arithmetic.h"
#include "figure/blocks/vector_text.h"
#include "figure/slices/head_state.h"
#include "figure/slices/head_vectors.h"
#include "figure/slices/matrix.h"
#include "figure/slices/selected.h"
#include "figure/style/markup.h"
#include "figure/views/view.h"

namespace attnscope {
namespace vectors_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kLeastWidth = 320;
constexpr double kWidestContent = 1100;
constexpr double kLeastForTwo = 460;  // of the content: two panels side by side
constexpr double kPanelGap = 24;
constexpr double kPanelBelow = 12;
constexpr double kLeastSide = 120;
constexpr double kFileSide = 380;
constexpr double kFaintest = 0.35;  // of an arrow without weight: it stays visible
constexpr int kQueryHue = 1;
constexpr int kKeyHue = 2;
constexpr int kValueHue = 4;
constexpr int kOutputHue = 3;
constexpr std::size_t kMaxBlendTerms = 4;

/// A weight as a share of the largest one; 0 for what is no number.
class WeightShares {
 public:
  explicit WeightShares(std::span<const double> weights) : weights_(weights) {
    for (const double weight : weights) largest_ = std::isfinite(weight) ? std::max(largest_, weight) : largest_;
  }
  [[nodiscard]] double of(Index key) const {
    const double weight = weights_[static_cast<std::size_t>(key)];
    return std::isfinite(weight) && largest_ > 0 ? weight / largest_ : 0;
  }

 private:
  std::span<const double> weights_;
  double largest_ = 0;
};

double opacity_of(double share) { return kFaintest + (1 - kFaintest) * share; }

class VectorsLayout {
 public:
  VectorsLayout(const Trace& trace, const ViewOptions& options, const HeadVectors& vectors)
      : trace_(trace), options_(options), v_(vectors), text_(trace, vectors, !options.for_file) {}

  Figure build() {
    figure_.title = trace_.experiment().system + ": " + pair_text(trace_, v_.pair);
    make_score_panel();
    if (v_.blend) make_value_panel();
    figure_.width = std::max(options_.width, kLeastWidth);
    const double inner = std::min(figure_.width - 2 * kMargin, kWidestContent);
    const bool two = panels_.size() == 2 && inner >= kLeastForTwo;
    const double width = two ? (inner - kPanelGap) / 2 : inner;
    const double rows = two ? 1 : static_cast<double>(panels_.size());
    double head = 0;
    double foot = 0;
    for (const ArrowPanel& panel : panels_) {
      head = std::max(head, panel_head(panel, width));
      foot = std::max(foot, panel_foot(panel, width));
    }
    const std::string notes = text_.notes();
    const std::vector<ArithmeticTerm> terms = station_list();
    const double below =
        add_arithmetic(nullptr, terms, {}, inner) + (notes.empty() ? 0 : add_caption(nullptr, "", notes, {}, inner));
    const double fixed = 2 * kMargin + rows * (head + foot + kPanelBelow) + below;
    const double most = width - kPanelLeft - kPanelRight;
    const double wanted = options_.height > 0 ? (options_.height - fixed) / rows : kFileSide;
    const double side = std::floor(std::min(std::max(wanted, kLeastSide), most));
    const double height = fixed + rows * side;
    figure_.height = std::max(options_.height, height);
    Point corner = {(figure_.width - inner) / 2, kMargin + std::floor((figure_.height - height) / 2)};
    const double left = corner.x;
    for (const ArrowPanel& panel : panels_) {
      add_arrow_panel(figure_, panel, corner, width, head, side);
      if (two) corner.x += width + kPanelGap;
      if (!two) corner.y += head + side + foot + kPanelBelow;
    }
    if (two) corner = {left, corner.y + head + side + foot + kPanelBelow};
    corner.y += add_arithmetic(&figure_, terms, corner, inner);
    if (!notes.empty()) add_caption(&figure_, "notes", notes, corner, inner);
    return std::move(figure_);
  }

 private:
  [[nodiscard]] bool is_masked(Index key) const {
    return !v_.pair.masked.empty() && v_.pair.masked[static_cast<std::size_t>(key)];
  }

  /// The target at the tip of row `which` of a set. A click chooses the query or the key of that number.
  [[nodiscard]] TargetMark tip_target(const VectorSet& set, std::size_t which, const std::string& id,
                                      const std::string& option, const std::string& about) const {
    TargetMark target;
    const Index number = set.drawn[which];
    target.id = id;
    target.about = about;
    target.cell = TensorCell{set.rows.step, set.rows.index(number, 0)};
    target.click = SetOptions{{{option, number + 1}}};
    if (!text_.drag_refusal(set.rows).empty()) return target;
    MoveTip moves;
    moves.tensor = trace_.step(set.rows.step).name;
    for (Index dim = 0; dim < set.rows.dims; ++dim) moves.cells.push_back(set.rows.index(number, dim));
    target.moves = std::move(moves);
    return target;
  }

  [[nodiscard]] PanelArrow query_arrow(std::size_t which) const {
    const Index query = v_.queries.drawn[which];
    const bool chosen = query == v_.pair.query();
    PanelArrow arrow;
    arrow.id = "q." + std::to_string(query);
    arrow.to = v_.queries.places[which];
    arrow.shade = Shade::of_hue(kQueryHue, chosen ? 1 : kFaintest);
    arrow.width = chosen ? 3 : 1.25;
    arrow.label = text_.query_label(query);
    arrow.label_ink = chosen ? Ink::text : Ink::dim;
    arrow.target = tip_target(v_.queries, which, arrow.id, "query", text_.about_query(which));
    return arrow;
  }

  [[nodiscard]] PanelArrow key_arrow(std::size_t which, const WeightShares& shares) const {
    const Index key = v_.keys.drawn[which];
    const bool chosen = key == v_.pair.key();
    PanelArrow arrow;
    arrow.id = "k." + std::to_string(key);
    arrow.to = v_.keys.places[which];
    arrow.shade = is_masked(key) ? Shade::of(Ink::dim, 0.7) : Shade::of_hue(kKeyHue, opacity_of(shares.of(key)));
    arrow.dashed = is_masked(key);
    arrow.width = chosen ? 3 : 1.5;
    arrow.label = text_.key_label("k", key);
    arrow.label_ink = chosen ? Ink::text : Ink::dim;
    arrow.target = tip_target(v_.keys, which, arrow.id, "key", text_.about_key(which));
    return arrow;
  }

  /// The drawn keys by rising weight, the chosen one last: what is on top and gets its label first.
  [[nodiscard]] std::vector<std::size_t> keys_by_weight(const VectorSet& set, const WeightShares& shares) const {
    std::vector<std::size_t> order(set.drawn.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto rank = [&](std::size_t i) { return set.drawn[i] == v_.pair.key() ? 2 : shares.of(set.drawn[i]); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    return order;
  }

  void make_score_panel() {
    ArrowPanel panel;
    panel.id = "scores";
    panel.title = "Queries and keys";
    panel.caption = text_.plane_caption(v_.plane, "Q and K");
    describe_axes(panel, v_.plane);
    const WeightShares shares(v_.pair.weights);
    const auto chosen = std::find(v_.queries.drawn.begin(), v_.queries.drawn.end(), v_.pair.query());
    const auto chosen_query = static_cast<std::size_t>(chosen - v_.queries.drawn.begin());
    for (std::size_t i = 0; i < v_.queries.drawn.size(); ++i) {
      if (i != chosen_query) panel.arrows.push_back(query_arrow(i));
    }
    for (const std::size_t i : keys_by_weight(v_.keys, shares)) panel.arrows.push_back(key_arrow(i, shares));
    const PlanePoint key = panel.arrows.back().to;
    panel.arrows.push_back(query_arrow(chosen_query));
    const PlanePoint query = panel.arrows.back().to;
    add_projection(panel, query, key);
    panel.angle = PanelAngle{query, key, text_.angle_label(query, key)};
    panel.legend = {{query_text(trace_, v_.pair), Shade::of_hue(kQueryHue)},
                    {"keys: the more weight, the stronger", Shade::of_hue(kKeyHue)}};
    if (v_.queries.drawn.size() > 1) panel.legend.push_back({"other queries", Shade::of_hue(kQueryHue, kFaintest)});
    if (std::ranges::any_of(v_.keys.drawn, [&](Index each) { return is_masked(each); }))
      panel.legend.push_back({"masked keys", Shade::of(Ink::dim, 0.7), true});
    panels_.push_back(std::move(panel));
  }

  /// From the key's tip to the line of the query: the foot is as far from 0 as the score says, |k| cos θ. Only where the
  /// plane has the whole vectors.
  void add_projection(ArrowPanel& panel, const PlanePoint& query, const PlanePoint& key) const {
    const double squared = query[0] * query[0] + query[1] * query[1];
    if (v_.plane.dims() != 2 || !(squared > 0)) return;
    const double share = (query[0] * key[0] + query[1] * key[1]) / squared;
    PanelArrow line;
    line.id = "projection";
    line.from = key;
    line.to = {share * query[0], share * query[1]};
    line.shade = Shade::of(Ink::dim);
    line.width = 1;
    line.dashed = true;
    line.head = false;
    panel.arrows.insert(panel.arrows.begin(), std::move(line));
  }

  void describe_axes(ArrowPanel& panel, const VectorPlane& plane) const {
    panel.symmetric = plane.is_exact();
    for (std::size_t axis = 0; axis < 2; ++axis) {
      panel.axes[axis] = text_.axis_title(plane, axis);
      panel.axes_about[axis] = text_.axis_about(plane, axis);
    }
  }

  void make_value_panel() {
    const ValueBlend& blend = *v_.blend;
    ArrowPanel panel;
    panel.id = "values";
    const Step& weights = trace_.step(v_.pair.product.weights);
    const Axis* const heads = find_axis(weights.axes, "head");
    const Index head = heads == nullptr ? 0 : v_.pair.at[static_cast<std::size_t>(heads - weights.axes.data())];
    panel.title = with_head_state("Values and output", trace_.experiment(), weights.name, head);
    panel.caption = text_.plane_caption(blend.plane, "V");
    if (!blend.output.empty()) panel.caption += " " + text_.blend_text(kMaxBlendTerms);
    describe_axes(panel, blend.plane);
    const WeightShares shares(blend.used);
    for (const std::size_t i : keys_by_weight(blend.values, shares)) panel.arrows.push_back(value_arrow(i, shares));
    panel.legend = {{"values: the more weight, the stronger", Shade::of_hue(kValueHue, 0.6)}};
    if (!blend.output.empty()) {
      add_chain(panel);
      panel.legend.push_back({"weight · value, head to tail", Shade::of_hue(kValueHue)});
      panel.legend.push_back({"output", Shade::of_hue(kOutputHue)});
    }
    panels_.push_back(std::move(panel));
  }

  [[nodiscard]] PanelArrow value_arrow(std::size_t which, const WeightShares& shares) const {
    const ValueBlend& blend = *v_.blend;
    const Index key = blend.values.drawn[which];
    PanelArrow arrow;
    arrow.id = "v." + std::to_string(key);
    arrow.to = blend.values.places[which];
    arrow.shade =
        is_masked(key) ? Shade::of(Ink::dim, 0.7) : Shade::of_hue(kValueHue, opacity_of(0.6 * shares.of(key)));
    arrow.dashed = is_masked(key);
    arrow.width = 1.5;
    arrow.label = text_.key_label("v", key);
    arrow.label_ink = key == v_.pair.key() ? Ink::text : Ink::dim;
    arrow.target = tip_target(blend.values, which, arrow.id, "key", text_.about_value(which));
    return arrow;
  }

  /// The weighted values, each from where the one before it ends, and the output, which ends where the last one does.
  void add_chain(ArrowPanel& panel) const {
    const ValueBlend& blend = *v_.blend;
    const PlanePoint end = blend.plane.at(blend.output);
    PlanePoint at = {0, 0};
    const auto add = [&](const std::string& id, const PlanePoint& to) {
      PanelArrow arrow;
      arrow.id = id;
      arrow.from = at;
      arrow.to = to;
      arrow.shade = Shade::of_hue(kValueHue);
      arrow.width = 2;
      panel.arrows.push_back(std::move(arrow));
      at = to;
    };
    for (std::size_t i = 0; i < blend.values.drawn.size(); ++i) {
      const Index key = blend.values.drawn[i];
      const double weight = blend.used[static_cast<std::size_t>(key)];
      const PlanePoint& value = blend.values.places[i];
      if (weight != 0) add("part." + std::to_string(key), {at[0] + weight * value[0], at[1] + weight * value[1]});
    }
    // The keys that are not drawn, all together.
    if (!blend.values.draws_all()) add("part.others", end);
    PanelArrow output;
    output.id = "output";
    output.to = end;
    output.shade = Shade::of_hue(kOutputHue);
    output.width = 3;
    output.label = "output";
    output.label_ink = Ink::text;
    TargetMark target;
    target.id = "output";
    target.about = text_.about_output();
    target.cell = TensorCell{blend.outputs.step, blend.outputs.index(v_.pair.query(), 0)};
    output.target = std::move(target);
    panel.arrows.push_back(std::move(output));
  }

  /// From the lengths and the angle to the weight.
  [[nodiscard]] std::vector<ArithmeticTerm> station_list() const {
    const double q = length_of(v_.pair.q);
    const double k = length_of(v_.pair.k);
    const std::optional<double> cosine = cosine_of(v_.pair.q, v_.pair.k);
    std::vector<ArithmeticTerm> list = {
        {"query_length", "", text_.length_symbol(v_.pair.product.q), number_text(q), Ink::text, {}},
        {"key_length", "×", text_.length_symbol(v_.pair.product.k), number_text(k), Ink::text, {}},
        {"cosine",
         "×",
         cosine ? "cos " + degrees_text(*cosine) : "cos θ: no angle with a vector of zeros",
         cosine ? number_text(*cosine) : "—",
         Ink::text,
         {}}};
    for (ArithmeticTerm& term : score_terms(trace_, v_.pair, "=")) list.push_back(std::move(term));
    return list;
  }

  const Trace& trace_;
  const ViewOptions& options_;
  const HeadVectors& v_;
  VectorText text_;
  std::vector<ArrowPanel> panels_;
  Figure figure_;
};

Figure build(const Trace& trace, const ViewOptions& options) {
  const DotProduct product = *dot_product(trace, selected_attention(trace, options.values).weights->name);
  const Result<HeadVectors> vectors = head_vectors(trace, product, options);
  if (!vectors) return reason_figure("Arrows need finite numbers: " + vectors.error().message + ".", options);
  return VectorsLayout(trace, options, *vectors).build();
}

}  // namespace
}  // namespace vectors_view_parts

View vectors_view() {
  View view = {
      "vectors",
      "Vectors",
      "Queries, keys and values as arrows: the angle and dot product of a pair, the output as a blend of values.",
      {attention_option(), layer_option(), head_option(), item_option(),
       integer_parameter("query", "Query", "The query token.", 1, 1, 10),
       integer_parameter("key", "Key", "The key token.", 1, 1, 10)},
      leaves_choice,
      vectors_view_parts::build,
      no_dot_product};
  view.shows_pair = true;
  view.names = layer_names;
  return view;
}

}  // namespace attnscope
