// The view "vectors": arrows are the numbers of the trace, and the arithmetic agrees with its scores.
#include <cmath>
#include <numbers>
#include <set>

#include "core/base/text.h"
#include "core/heads/vector_plane.h"
#include "figure/slices/head_vectors.h"
#include "figure/style/markup.h"
#include "layout_faults.h"
#include "traces.h"

namespace attnscope::test {
namespace {

ParameterValues pair_of(Index query, Index key, Index head = 1) {
  return {{"query", query}, {"key", key}, {"head", head}};
}

/// A place of the figure as numbers of the panel: the axes go through 0, and targets at tips have the scale.
Point numbers_at(const Figure& figure, const std::string& panel, Point at, double unit) {
  const double x = mark(figure.curves, panel + ".zero.up")->points.front().x;
  const double y = mark(figure.curves, panel + ".zero.across")->points.front().y;
  return {(at.x - x) / unit, (y - at.y) / unit};
}

Point tip_of(const Figure& figure, const std::string& panel, const std::string& id) {
  return mark(figure.curves, panel + "." + id)->points.back();
}

double number(const Trace& trace, const char* tensor, std::vector<Index> index) {
  return static_cast<double>(trace.tensor(tensor).at(index));
}

/// The number that the text shows; its minus is a sign of its own.
double shown(const Figure& figure, const std::string& id) {
  std::string text = words(figure, id);
  if (const std::size_t minus = text.find("−"); minus == 0) text = "-" + text.substr(std::string("−").size());
  return std::stod(text);
}

TEST(VectorsView, ArrowsOfTwoDimensionsAreTheNumbersThemselves) {
  const std::shared_ptr<const Trace> trace = trace_with({}, "scaled-dot-product");
  const Figure figure = figure_of(*trace, "vectors", pair_of(2, 3), 900, 640);
  for (const auto& [panel, letter, tensor] :
       {std::tuple("scores", "q", "q"), std::tuple("scores", "k", "k"), std::tuple("values", "v", "v")}) {
    for (Index row = 0; row < 3; ++row) {
      const std::string id = letter + std::string(".") + std::to_string(row);
      const TargetMark& target = *mark(figure.targets, id);
      ASSERT_TRUE(target.moves) << id;
      EXPECT_EQ(target.moves->tensor, tensor);
      EXPECT_EQ(target.moves->cells, (std::vector<std::vector<Index>>{{row, 0}, {row, 1}}));
      const Point tip = tip_of(figure, panel, id);
      EXPECT_NEAR(target.box.center().x, tip.x, 1e-9) << id;
      EXPECT_NEAR(target.box.center().y, tip.y, 1e-9) << id;
      const Point numbers = numbers_at(figure, panel, tip, target.moves->unit);
      EXPECT_NEAR(numbers.x, number(*trace, tensor, {row, 0}), 1e-6) << id;
      EXPECT_NEAR(numbers.y, number(*trace, tensor, {row, 1}), 1e-6) << id;
      EXPECT_NE(target.about.find("drag the tip"), std::string::npos) << target.about;
    }
  }
  EXPECT_EQ(words(figure, "scores.caption.0"), "Both dimensions of Q and K: nothing is lost.");
  EXPECT_EQ(words(figure, "scores.y.title"), "dim 2");
  // The chosen pair is on top, in thick lines.
  EXPECT_EQ(mark(figure.curves, "scores.q.1")->width, 3);
  EXPECT_EQ(mark(figure.curves, "scores.k.2")->width, 3);
  EXPECT_LT(mark(figure.curves, "scores.q.0")->width, 2);
  EXPECT_EQ(set_by(*mark(figure.targets, "k.0")), (ParameterValues{{"key", Index{1}}}));
  EXPECT_EQ(set_by(*mark(figure.targets, "q.0")), (ParameterValues{{"query", Index{1}}}));
}

/// How many labels of arrows in the panel lie on a line of it.
std::ptrdiff_t labels_on_lines(const Figure& figure, const std::string& panel) {
  const auto lies_on = [&](const TextMark& text, const CurveMark& curve) {
    const double width = markup_width(text.markup, text.size, text.weight);
    const Rect box = {text.at.x, text.at.y - text.size / 2, width, text.size};
    constexpr int kPlaces = 400;
    for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
      const Point from = curve.points[i];
      const Point to = curve.points[i + 1];
      for (int place = 0; place <= kPlaces; ++place) {
        const double share = static_cast<double>(place) / kPlaces;
        if (box.contains({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)})) return true;
      }
    }
    return false;
  };
  return std::ranges::count_if(figure.texts, [&](const TextMark& text) {
    if (mark(figure.curves, text.id) == nullptr) return false;
    return std::ranges::any_of(figure.curves, [&](const CurveMark& curve) {
      const bool is_arrow = curve.id.starts_with(panel + ".") && curve.id.find(".zero.") == std::string::npos &&
                            curve.id != panel + ".angle";
      return is_arrow && text.id.starts_with(panel + ".") && lies_on(text, curve);
    });
  });
}

TEST(VectorsView, LabelsStandBesideTheArrows) {
  for (const char* system : {"worked-example", "scaled-dot-product", "projected-multihead"}) {
    const std::shared_ptr<const Trace> trace = trace_with({}, system);
    for (Index query = 1; query <= 3; ++query) {
      const Figure figure = figure_of(*trace, "vectors", pair_of(query, 3), 900, 640);
      EXPECT_EQ(labels_on_lines(figure, "scores"), 0) << system << ", query " << query;
      EXPECT_EQ(labels_on_lines(figure, "values"), 0) << system << ", query " << query;
    }
  }
}

/// The distance from a point to the box of a label.
double distance(Point point, const TextMark& text) {
  const Rect box = {text.at.x, text.at.y - text.size / 2, markup_width(text.markup, text.size, text.weight), text.size};
  return std::hypot(point.x - std::clamp(point.x, box.x, box.right()),
                    point.y - std::clamp(point.y, box.y, box.bottom()));
}

TEST(VectorsView, LabelsThatAreNotBesideTheirArrowsAreJoinedToThem) {
  int joined = 0;
  for (const char* const tokens : {"6", "16"}) {
    const std::shared_ptr<const Trace> trace = trace_with({{"tokens", tokens}});
    const Figure figure = figure_of(*trace, "vectors", pair_of(1, 1), 640, 480);
    for (const TextMark& text : figure.texts) {
      const CurveMark* const arrow = mark(figure.curves, text.id);
      if (arrow == nullptr || text.id.ends_with(".angle")) continue;
      const Point tip = arrow->points.back();
      const CurveMark* const leader = mark(figure.curves, text.id + ".leader");
      if (leader == nullptr) {
        EXPECT_LE(distance(tip, text), 10.5) << text.id;
        continue;
      }
      ++joined;
      const Point begin = leader->points.front();
      EXPECT_LE(std::hypot(begin.x - tip.x, begin.y - tip.y), 3) << text.id;
      EXPECT_LE(distance(leader->points.back(), text), 4) << text.id;
    }
  }
  EXPECT_GE(joined, 5);
}

TEST(VectorsView, LengthsAndAngleMakeTheScore) {
  for (const char* system : {"scaled-dot-product", "worked-example", "projected-multihead"}) {
    SCOPED_TRACE(system);
    const std::shared_ptr<const Trace> trace = trace_with({}, system);
    const Figure figure = figure_of(*trace, "vectors", pair_of(2, 3));
    const double product =
        shown(figure, "query_length.value") * shown(figure, "key_length.value") * shown(figure, "cosine.value");
    EXPECT_NEAR(product, shown(figure, "sum.value"), 2e-3 * std::max(1.0, std::abs(product)));
    const double divisor = mark(figure.texts, "scale.value") == nullptr ? 1 : shown(figure, "scale.value");
    EXPECT_NEAR(product / divisor, shown(figure, "score.value"), 2e-3 * std::max(1.0, std::abs(product)));
    const double degrees = std::acos(shown(figure, "cosine.value")) * 180 / std::numbers::pi;
    const std::string caption = words(figure, "cosine.caption");
    ASSERT_TRUE(caption.starts_with("cos ")) << caption;
    EXPECT_NEAR(std::stod(caption.substr(4)), degrees, 0.2);
    const TargetMark& score = *mark(figure.targets, "score");
    EXPECT_EQ(words(figure, "score.value"),
              number_text(static_cast<double>(trace->value(score.cell->step, score.cell->index))));
  }
}

TEST(VectorsView, TheWeightedValuesEndAtTheOutput) {
  for (const char* system : {"scaled-dot-product", "worked-example"}) {
    SCOPED_TRACE(system);
    const std::shared_ptr<const Trace> trace = trace_with({{"mask", "causal"}}, system);
    const Figure figure = figure_of(*trace, "vectors", pair_of(2, 1));
    const Point zero = mark(figure.curves, "values.part.0")->points.front();
    EXPECT_EQ(zero, mark(figure.curves, "values.output")->points.front());
    EXPECT_EQ(mark(figure.curves, "values.part.0")->points.back(),
              mark(figure.curves, "values.part.1")->points.front());
    const Point end = mark(figure.curves, "values.part.1")->points.back();
    const Point output = tip_of(figure, "values", "output");
    EXPECT_NEAR(end.x, output.x, 0.01);
    EXPECT_NEAR(end.y, output.y, 0.01);
    EXPECT_EQ(mark(figure.curves, "values.part.2"), nullptr) << "masked: it adds nothing";
    EXPECT_TRUE(mark(figure.curves, "values.v.2")->dashed);
    EXPECT_TRUE(mark(figure.curves, "scores.k.2")->dashed);
    EXPECT_FALSE(mark(figure.curves, "scores.k.1")->dashed);
    EXPECT_NE(mark(figure.targets, "k.2")->about.find("weight 0 (masked)"), std::string::npos);
  }
}

TEST(VectorsView, WithDropoutTheOutputIsWhatIsLeft) {
  const std::shared_ptr<const Trace> trace = trace_with({{"dropout", "0.5"}});
  const Figure figure = figure_of(*trace, "vectors", pair_of(2, 1));
  Point end = mark(figure.curves, "values.output")->points.front();
  double unseen = 0.01;  // parts that are shorter than a pixel are not drawn
  for (Index key = 0; key < 6; ++key) {
    const CurveMark* const part = mark(figure.curves, "values.part." + std::to_string(key));
    const double weight = number(*trace, "dropped_weights", {0, 1, key});
    EXPECT_TRUE(part == nullptr || weight != 0) << key;
    EXPECT_TRUE(part != nullptr || weight < 0.02) << key;
    if (part != nullptr) end = part->points.back();
    if (part == nullptr && weight != 0) unseen += 1;
  }
  EXPECT_NEAR(end.x, tip_of(figure, "values", "output").x, unseen);
  EXPECT_NEAR(end.y, tip_of(figure, "values", "output").y, unseen);
}

TEST(VectorsView, SaysWhichPlaneAndWhatItLoses) {
  const std::shared_ptr<const Trace> trace = trace_with({{"random_numbers", "signed"}});
  const Figure figure = figure_of(*trace, "vectors", pair_of(2, 3, 2));
  std::vector<double> rows;
  for (const char* tensor : {"q", "k"}) {
    for (Index row = 0; row < 6; ++row) {
      for (Index dim = 0; dim < 7; ++dim) rows.push_back(number(*trace, tensor, {1, row, dim}));
    }
  }
  const VectorPlane plane = vector_plane(rows, 7);
  ASSERT_LT(plane.share, 0.999);
  std::string caption;
  for (int line = 0; mark(figure.texts, "scores.caption." + std::to_string(line)) != nullptr; ++line)
    caption += (line > 0 ? " " : "") + words(figure, "scores.caption." + std::to_string(line));
  EXPECT_EQ(caption, "The plane of the first two right singular vectors of Q and K keeps " +
                         fixed_text(100 * plane.share, 1) + " % of the squared length and loses " +
                         fixed_text(100 - 100 * plane.share, 1) + " %.");
  EXPECT_TRUE(mark(figure.targets, "scores.across")->about.starts_with("direction 1 = "));
  // All at the same scale: any two tips say how many pixels 1 is.
  const std::span<const double> all(rows);
  const Point zero = numbers_at(figure, "scores", {0, 0}, 1);
  const auto place = [&](std::size_t row) { return plane.at(all.subspan(7 * row, 7)); };
  const double unit = (tip_of(figure, "scores", "k.2").x + zero.x) / place(8)[0];
  for (std::size_t row = 0; row < 12; ++row) {
    const std::string id = (row < 6 ? "q." : "k.") + std::to_string(row % 6);
    const Point numbers = numbers_at(figure, "scores", tip_of(figure, "scores", id), unit);
    EXPECT_NEAR(numbers.x, place(row)[0], 1e-4) << id;
    EXPECT_NEAR(numbers.y, place(row)[1], 1e-4) << id;
    const TargetMark& target = *mark(figure.targets, id);
    EXPECT_FALSE(target.moves);
    EXPECT_NE(target.about.find("arrows with more than two dimensions cannot be dragged"), std::string::npos);
    EXPECT_NE(target.about.find("the plane keeps "), std::string::npos);
  }
}

TEST(VectorsView, SaysWhyAnArrowCannotBeDragged) {
  const std::shared_ptr<const Trace> trace = trace_with({{"head_dim", "2"}});
  const Figure figure = figure_of(*trace, "vectors");
  const TargetMark& target = *mark(figure.targets, "k.1");
  EXPECT_FALSE(target.moves);
  EXPECT_TRUE(target.about.ends_with("; k is computed from x and w_k: its arrows cannot be dragged")) << target.about;
}

TEST(VectorsView, OfOneDimensionLiesOnALine) {
  const std::shared_ptr<const Trace> trace = trace_with({{"head_dim", "1"}}, "scaled-dot-product");
  const Figure figure = figure_of(*trace, "vectors");
  EXPECT_EQ(words(figure, "scores.caption.0"), "Q and K have one dimension, drawn across: nothing is");
  const TargetMark& target = *mark(figure.targets, "k.1");
  EXPECT_EQ(target.moves->cells, (std::vector<std::vector<Index>>{{1, 0}}));
  EXPECT_NEAR(numbers_at(figure, "scores", target.box.center(), target.moves->unit).x, number(*trace, "k", {1, 0}),
              1e-6);
  EXPECT_TRUE(layout_faults(figure).empty());
}

TEST(VectorsView, HasNoAngleWithAVectorOfZeros) {
  Experiment experiment = experiment_with({}, "scaled-dot-product");
  experiment.edits = {{"q", {0, 0}, 0}, {"q", {0, 1}, 0}};
  const Figure figure = figure_of(**run(experiment), "vectors", pair_of(1, 1));
  EXPECT_EQ(words(figure, "cosine.value"), "—");
  EXPECT_EQ(mark(figure.curves, "scores.angle"), nullptr);
  EXPECT_EQ(words(figure, "sum.value"), "0");
  EXPECT_NE(mark(figure.targets, "q.0"), nullptr) << "it can be dragged out of 0";
}

TEST(VectorsView, NamesTheFirstNumberThatIsNotFinite) {
  Experiment experiment = experiment_with({}, "scaled-dot-product");
  experiment.edits = {{"q", {1, 0}, 3e38}, {"k", {0, 0}, 3e38}, {"k", {1, 0}, 3e38}};
  const Figure large = figure_of(**run(experiment), "vectors", pair_of(1, 1));
  EXPECT_EQ(mark(large.texts, "missing"), nullptr) << "large is not infinite";
  Experiment wrong = experiment_with({}, "worked-example");
  for (Index feature = 0; feature < wrong.integer("features"); ++feature)
    wrong.edits.push_back({"x", {2, feature}, 3e38});
  const Figure figure = figure_of(**run(wrong), "vectors", pair_of(1, 1));
  EXPECT_EQ(words(figure, "missing"), "Arrows need finite numbers: q[0, 2, 0] is ∞.");
}

TEST(VectorsView, TheOutputOfAQueryWithoutAKeyHasNoLength) {
  const std::shared_ptr<const Trace> trace =
      trace_with({{"mask", "padding:0"}, {"masked_fill", "-inf"}}, "scaled-dot-product");
  const Figure figure = figure_of(*trace, "vectors");
  EXPECT_EQ(mark(figure.curves, "values.output"), nullptr);
  ASSERT_NE(mark(figure.targets, "output"), nullptr);
  EXPECT_NE(mark(figure.targets, "output")->about.find("length 0"), std::string::npos);
  EXPECT_TRUE(layout_faults(figure).empty());
}

TEST(VectorsView, OfManyDrawsThoseWithTheLargestWeights) {
  const std::shared_ptr<const Trace> trace =
      trace_with({{"queries", "512"}, {"keys", "512"}, {"head_dim", "32"}}, "scaled-dot-product");
  const Figure figure = figure_of(*trace, "vectors", pair_of(40, 300), 900, 640);
  EXPECT_LT(mark_count(figure), 700U);
  std::set<Index> drawn;
  double least = 1;
  for (const TargetMark& target : figure.targets) {
    if (!target.id.starts_with("k.")) continue;
    const Index key = target.cell->index[0];
    drawn.insert(key);
    if (key != 299) least = std::min(least, number(*trace, "weights", {39, key}));
  }
  EXPECT_EQ(drawn.size(), 96U);
  EXPECT_TRUE(drawn.contains(299));
  for (Index key = 0; key < 512; ++key) {
    if (!drawn.contains(key)) {
      EXPECT_LE(number(*trace, "weights", {39, key}), least) << key;
    }
  }
  EXPECT_EQ(
      words(figure, "notes.0"),
      "Of 512 queries, one is drawn. Of 512 keys, 96 are drawn: those with the largest weights, and the chosen one.");
  // The others together lead to the output.
  EXPECT_EQ(tip_of(figure, "values", "part.others"), tip_of(figure, "values", "output"));
  EXPECT_TRUE(layout_faults(figure).empty()) << join(layout_faults(figure), "\n");
}

TEST(VectorsView, AxesMayStandInAnyOrder) {
  const Settings small = {{"batch", "2"}, {"channels", "8"}, {"height", "2"}, {"width", "3"}};
  const std::shared_ptr<const Trace> trace = trace_with(small, "conv-attention");
  ViewOptions options = *view_options({"vectors", {{"item", Index{2}}, {"head", Index{3}}, {"query", Index{6}}}});
  const HeadVectors vectors = *head_vectors(*trace, *dot_product(*trace, "weights"), options);
  for (Index token = 0; token < 6; ++token) {
    for (Index dim = 0; dim < 32; ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      const auto row = static_cast<std::size_t>(token);
      EXPECT_EQ(vectors.queries.row(row)[at], number(*trace, "scaled_q", {1, 2, dim, token}));
      EXPECT_EQ(vectors.keys.row(row)[at], number(*trace, "k", {1, 2, dim, token}));
      EXPECT_EQ(vectors.blend->values.row(row)[at], number(*trace, "v", {1, 2, dim, token}));
    }
  }
  EXPECT_EQ(vectors.blend->output[7], number(*trace, "head_outputs", {1, 2, 5, 7}));
  EXPECT_EQ(vectors.keys.rows.index(4, 7), (std::vector<Index>{1, 2, 7, 4}));
}

TEST(VectorsView, QueriesOfTheSecondSequence) {
  const std::shared_ptr<const Trace> trace = trace_with({{"cross_queries", "2"}});
  ParameterValues options = pair_of(9, 3, 4);
  options["attention"] = std::string("cross");
  const Figure figure = figure_of(*trace, "vectors", options);
  EXPECT_EQ(trace->steps()[static_cast<std::size_t>(mark(figure.targets, "q.1")->cell->step)].name, "cross_q");
  EXPECT_EQ(trace->steps()[static_cast<std::size_t>(mark(figure.targets, "output")->cell->step)].name,
            "cross_head_outputs");
}

TEST(VectorsView, NeedsDotProducts) {
  const std::shared_ptr<const Trace> additive = trace_with({{"score", "additive"}}, "projected-multihead");
  EXPECT_EQ(missing_for(*find_view("vectors"), *additive), "Additive scores are not dot products.");
}

TEST(VectorsView, IsInOrderInEverySystemAndSize) {
  for (const std::shared_ptr<const Trace>& trace : small_traces()) {
    if (!missing_for(*find_view("vectors"), *trace).empty()) continue;
    for (const auto& [width, height] : {std::pair(1000.0, 680.0), {620.0, 460.0}, {420.0, 0.0}, {320.0, 300.0}}) {
      const Figure figure = figure_of(*trace, "vectors", pair_of(2, 3), width, height);
      const std::string about = trace->experiment().system + " in " + fixed_text(width, 0);
      EXPECT_TRUE(layout_faults(figure).empty()) << about << ":\n" << join(layout_faults(figure), "\n");
      EXPECT_TRUE(shared_ids(figure).empty()) << about << ":\n" << join(shared_ids(figure), "\n");
      EXPECT_NE(mark(figure.curves, "values.output"), nullptr) << about;
    }
  }
}

}  // namespace
}  // namespace attnscope::test
