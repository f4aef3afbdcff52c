// Marks of a figure, the cell at a point, and the steps between two figures.

#include "figure/model/figure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/base/stop.h"
#include "core/operations/contract.h"
#include "core/operations/dropout.h"
#include "core/operations/mask.h"
#include "core/operations/softmax.h"
#include "figure/model/canvas.h"
#include "figure/slices/matrix.h"
#include "figure/slices/selected.h"
#include "figure/style/markup.h"
#include "support/floats.h"
#include "traces.h"

namespace attnscope::test {
namespace {

Point cell_center(const HeatmapMark& mark, Index row, Index column) {
  return {mark.box.x + (static_cast<double>(column) + 0.5) * mark.box.width / static_cast<double>(mark.columns()),
          mark.box.y + (static_cast<double>(row) + 0.5) * mark.box.height / static_cast<double>(mark.rows())};
}

TEST(HitTest, FindsEveryCellOfEveryView) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  for (const char* name : {"flow", "qkv", "heads"}) {
    const Figure figure = figure_of(*trace, name);
    Index cells = 0;
    for (std::size_t i = 0; i < figure.heatmaps.size(); ++i) {
      const HeatmapMark& mark = figure.heatmaps[i];
      const Tensor& tensor = *trace->steps()[static_cast<std::size_t>(mark.step)].tensor;
      for (Index row = 0; row < mark.rows(); ++row) {
        for (Index column = 0; column < mark.columns(); ++column) {
          EXPECT_EQ(hit_test(figure, cell_center(mark, row, column)), (FigureHit{i, row, column})) << mark.id;
          EXPECT_EQ(tensor.at(mark.index_of(row, column)), mark.source->held()->at(row, column)) << mark.id;
          ++cells;
        }
      }
    }
    EXPECT_GT(cells, 100) << name;
  }
}

TEST(Targets, TheLastOneLiesAboveTheOthers) {
  Figure figure;
  figure.targets.push_back({"below", {0, 0, 100, 100}, "", {}});
  figure.targets.push_back({"above", {10, 10, 20, 20}, "", {}});
  ASSERT_NE(target_at(figure, {15, 15}), nullptr);
  EXPECT_EQ(target_at(figure, {15, 15})->id, "above");
  EXPECT_EQ(target_at(figure, {50, 50})->id, "below");
  EXPECT_EQ(target_at(figure, {100, 50}), nullptr);
}

/// A figure with one mark of every kind that has no matrix, moved by `by`.
Figure shapes(double by) {
  Figure figure;
  figure.width = figure.height = 100;
  figure.bars.push_back({"bar", {by, 0, 10, 20}, Shade::of(Ink::accent, 0.5)});
  figure.strands.push_back({"strands", Shade::of_hue(2), 1, {{{by, 0}, {10, 10}, 0.25F, 0, 5}}});
  figure.curves.push_back({"curve", {{by, 0}, {1, 1}, {2, 4}}, Shade::of_hue(9), 2, true});
  figure.targets.push_back(
      {"target", {by, 0, 5, 5}, "about it", SetOptions{{{"head", Index{3}}}}, std::nullopt, TensorCell{1, {2, 3}}, 7});
  return figure;
}

TEST(Blend, MovesBarsStrandsCurvesAndTargets) {
  const Figure between = blend(shapes(0), shapes(10), 0.5);
  EXPECT_EQ(between.bars[0].box.x, 5);
  EXPECT_EQ(between.strands[0].strands[0].from.x, 5);
  EXPECT_EQ(between.curves[0].points[0].x, 5);
  EXPECT_EQ(between.targets[0].box.x, 5);
  Figure longer = shapes(10);
  longer.curves[0].points.push_back({3, 9});
  EXPECT_EQ(blend(shapes(0), longer, 0.5).curves[0].points[0].x, 10) << "a curve with other points does not move";
}

TEST(Describe, TellsEveryShape) {
  const std::string text = describe(shapes(1));
  for (const char* part : {"bar bar at 1.0 0.0 10.0 20.0: accent 0.5", "strands strands: hue 2, 0 to 5 0.25",
                           "curve curve: hue 9, dashed, 1.0 0.0, 1.0 1.0, 2.0 4.0",
                           "target target at 1.0 0.0 5.0 5.0: \"about it\", head 3, cell [2, 3] of step 1"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(HitTest, EndsWithTheBox) {
  Figure figure;
  figure.heatmaps.push_back(heatmap_of("a", {10, 20, 30, 40}, {{"row", 2}, {"column", 3}}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(hit_test(figure, {10, 20}), (FigureHit{0, 0, 0}));
  EXPECT_EQ(hit_test(figure, {std::nextafter(40.0, 0.0), std::nextafter(60.0, 0.0)}), (FigureHit{0, 1, 2}));
  for (const Point outside : {Point{40, 30}, Point{20, 60}, Point{9.99, 30}, Point{20, 19.99}})
    EXPECT_EQ(hit_test(figure, outside), std::nullopt);
  for (const double bad : {std::nan(""), 1e300, -1e300}) EXPECT_EQ(hit_test(figure, {bad, 30}), std::nullopt);
  EXPECT_EQ(hit_test(Figure{}, {0, 0}), std::nullopt);
}

TEST(HitTest, NothingIsInAnEmptyMatrix) {
  Figure figure;
  figure.heatmaps.push_back(heatmap_of("a", {0, 0, 30, 40}, {{"row", 0}, {"column", 3}}, {}));
  EXPECT_EQ(hit_test(figure, {10, 10}), std::nullopt);
}

TEST(HeatmapMark, IndexOfTransposedAndLeadingAxes) {
  const auto tensor = std::make_shared<Tensor>(Axes{{"head", 2}, {"row", 3}, {"column", 4}});
  std::iota(tensor->values().begin(), tensor->values().end(), 0.0F);
  HeatmapMark mark;
  mark.axes = tensor->axes();
  mark.leading = {1};
  EXPECT_EQ(mark.index_of(2, 3), (std::vector<Index>{1, 2, 3}));
  EXPECT_EQ(slice_of(tensor, mark)->held()->at(2, 3), 23.0F);
  mark.transposed = true;
  EXPECT_EQ(mark.rows(), 4);
  EXPECT_EQ(mark.index_of(3, 2), (std::vector<Index>{1, 2, 3}));
  EXPECT_EQ(slice_of(tensor, mark)->held()->at(3, 2), 23.0F);
  EXPECT_EQ(heatmap_of("b", {}, {{"row", 5}}, std::vector<float>(5)).index_of(0, 4), (std::vector<Index>{4}));
  EXPECT_TRUE(heatmap_of("c", {}, {}, {1}).index_of(0, 0).empty());
}

TEST(RegionBox, IsWhatTheCellsTakeUp) {
  HeatmapMark mark = heatmap_of("a", {0, 0, 40, 30}, {{"head", 2}, {"row", 3}, {"column", 4}}, std::vector<float>(24));
  mark.step = 5;
  mark.leading = {1};
  EXPECT_EQ(region_box(mark, mark.box, {5, {1, 0, 0}, {2, 3, 4}}), mark.box);
  EXPECT_EQ(region_box(mark, mark.box, {5, {1, 2, 1}, {2, 3, 2}}), (Rect{10, 20, 10, 10}));
  EXPECT_EQ(region_box(mark, mark.box, {5, {0, 1, 0}, {2, 2, 4}}), (Rect{0, 10, 40, 10})) << "of both heads";
  EXPECT_EQ(region_box(mark, mark.box, {5, {0, 1, 0}, {1, 2, 4}}), std::nullopt) << "of the other head";
  EXPECT_EQ(region_box(mark, mark.box, {4, {1, 0, 0}, {2, 3, 4}}), std::nullopt) << "of another tensor";
  mark.transposed = true;
  EXPECT_EQ(region_box(mark, {100, 200, 30, 40}, {5, {1, 2, 1}, {2, 3, 2}}), (Rect{120, 210, 10, 10}));
  const HeatmapMark row = heatmap_of("b", {}, {{"column", 4}}, std::vector<float>(4));
  EXPECT_EQ(region_box(row, {0, 0, 40, 10}, {0, {1}, {3}}), (Rect{10, 0, 20, 10}));
}

TEST(RegionBox, ShowsWhatExplainsACell) {
  const std::shared_ptr<const Trace> trace = trace_with({{"mask", "causal"}});
  const Figure figure = figure_of(*trace, "flow", {{"head", Index{2}}});
  int shown = 0;
  for (const HeatmapMark& mark : figure.heatmaps) {
    for (const Region& region : regions_behind(*trace, mark.step, mark.index_of(0, 0))) {
      for (const HeatmapMark& other : figure.heatmaps) {
        const std::optional<Rect> box = region_box(other, other.box, region);
        if (!box) continue;
        ++shown;
        EXPECT_GE(box->x, other.box.x - 1e-9);
        EXPECT_LE(box->right(), other.box.right() + 1e-9);
        EXPECT_LE(box->bottom(), other.box.bottom() + 1e-9);
        EXPECT_GT(box->width * box->height, 0);
      }
    }
  }
  EXPECT_GE(shown, 12);
}

Figure sample(double at, const std::string& label) {
  Figure figure;
  figure.width = 100 + at;
  figure.height = 50;
  figure.title = label;
  figure.heatmaps.push_back(
      heatmap_of("same", {at, 0, 10 + at, 10}, {{"row", 1}, {"column", 1}}, {static_cast<float>(at)}));
  figure.heatmaps.push_back(heatmap_of("only " + label, {at, 20, 10, 10}, {{"row", 1}, {"column", 1}}, {0}));
  figure.texts.push_back({"text", {at, at}, label});
  figure.lines.push_back({"line", {at, 0}, {at, 10}});
  figure.color_bars.push_back({"bar", {at, 40, 10, 5}, {}, label, "0", "1"});
  return figure;
}

TEST(Blend, GoesFromOneFigureToTheOther) {
  const Figure from = sample(0, "from");
  const Figure to = sample(20, "to");
  EXPECT_EQ(describe(blend(from, to, 1)), describe(to));
  const Figure start = blend(from, to, 0);
  EXPECT_EQ(start.heatmaps[0].box, from.heatmaps[0].box);
  EXPECT_EQ(start.texts[0].at, from.texts[0].at);
  EXPECT_EQ(start.lines[0].from, from.lines[0].from);
  EXPECT_EQ(start.lines[0].to, from.lines[0].to);
  EXPECT_EQ(start.color_bars[0].box, from.color_bars[0].box);
  EXPECT_EQ(start.width, from.width);
  const Figure between = blend(from, to, 0.25);
  EXPECT_EQ(between.heatmaps[0].box, (Rect{5, 0, 15, 10}));
  EXPECT_EQ(between.texts[0].at, (Point{5, 5}));
  EXPECT_EQ(between.width, 105);
}

TEST(Blend, DataAndLabelsAreNewAtOnce) {
  const Figure from = sample(0, "from");
  const Figure to = sample(20, "to");
  const Figure start = blend(from, to, 0);
  EXPECT_EQ(start.title, "to");
  EXPECT_EQ(start.heatmaps[0].source, to.heatmaps[0].source);
  EXPECT_EQ(start.texts[0].markup, "to");
  // Marks of only one figure stay in place, or disappear.
  ASSERT_EQ(start.heatmaps.size(), 2U);
  EXPECT_EQ(start.heatmaps[1].id, "only to");
  EXPECT_EQ(start.heatmaps[1].box, to.heatmaps[1].box);
}

TEST(Blend, OfAFigureWithItselfIsThatFigure) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  for (const View& view : views()) {
    const Figure figure = figure_of(*trace, view.name);
    for (const double share : {0.0, 0.3, 1.0}) EXPECT_EQ(describe(blend(figure, figure, share)), describe(figure));
  }
}

const PlannedStep kPlainStep = {"scores", ContractOperation{}, {}, {}};

ColorScale scale_of(const PlannedStep& step, const std::vector<float>& numbers) {
  return natural_scale(Step(step, {}),
                       *heatmap_of("a", {}, {{"key", static_cast<Index>(numbers.size())}}, numbers).source);
}

/// A matrix that claims not to be in memory.
class NotInMemory final : public MatrixSource {
 public:
  NotInMemory(std::shared_ptr<const MatrixSource> source, bool is_ready)
      : source_(std::move(source)), ready_(is_ready) {}

  [[nodiscard]] Index rows() const override { return source_->rows(); }
  [[nodiscard]] Index columns() const override { return source_->columns(); }
  bool read(const MatrixPart& part, std::span<float> out, const StopToken& stop) const override {
    return source_->read(part, out, stop);
  }
  [[nodiscard]] bool ready(const MatrixPart& /*part*/) const override { return ready_; }

 private:
  std::shared_ptr<const MatrixSource> source_;
  bool ready_;
};

/// 1000 × 300 ones with a −2 in a sampled row and a −9 in another row.
std::shared_ptr<const MatrixSource> thousand_rows() {
  std::vector<float> numbers(std::size_t{1000} * 300, 1);
  numbers[125 * 300 + 7] = -2;
  numbers[16 * 300 + 8] = -9;
  return heatmap_of("a", {}, {{"query", 1000}, {"key", 300}}, numbers).source;
}

TEST(NaturalScale, OfWhatIsNotInMemoryGoesBySomeRowsAndTheOverview) {
  EXPECT_EQ(natural_scale(Step(kPlainStep, {}), *thousand_rows()), (ColorScale{ColorMap::red_blue, -9, 9}));
  EXPECT_EQ(natural_scale(Step(kPlainStep, {}), NotInMemory(thousand_rows(), false)),
            (ColorScale{ColorMap::red_blue, -2, 2}));
  EXPECT_EQ(natural_scale(Step(kPlainStep, {}), NotInMemory(thousand_rows(), true)),
            (ColorScale{ColorMap::red_blue, -9, 9}));
}

TEST(NaturalScale, OfEveryPlaceAndStride) {
  for (std::size_t size = 1; size < 40; ++size) {
    std::vector<float> numbers(size, 1);
    numbers[size - 1] = -3;
    EXPECT_EQ(scale_of(kPlainStep, numbers).high, 3) << size;
  }
  const auto tensor = std::make_shared<Tensor>(Axes{{"row", 5}, {"column", 37}});
  tensor->values()[4 * 37 + 36] = -4;
  const MatrixView all = tensor->matrix();
  for (const MatrixView& view : {all, all.transposed(), MatrixView{all.data, 3, 19, 74, 2}})
    EXPECT_EQ(natural_scale(Step(kPlainStep, {}), ResidentMatrix(tensor, view)).low, -4);
}

TEST(NaturalScale, OfTwoMatricesTogether) {
  const std::vector<std::vector<float>> matrices = {{1, 5}, {2, 3}, {-1, 2}, {-7, 1}, {-8, -9}, {}};
  for (const std::vector<float>& a : matrices) {
    for (const std::vector<float>& b : matrices) {
      std::vector<float> both = a;
      both.insert(both.end(), b.begin(), b.end());
      EXPECT_EQ(joint_scale(scale_of(kPlainStep, a), scale_of(kPlainStep, b)), scale_of(kPlainStep, both));
    }
  }
}

TEST(ShareSources, KeepsThoseWithTheSameNumbers) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const Figure first = figure_of(*trace, "heads");
  Figure again = figure_of(*trace, "heads", {}, 900);
  ASSERT_NE(again.heatmaps[3].source, first.heatmaps[3].source);
  share_sources(first, again);
  for (std::size_t i = 0; i < first.heatmaps.size(); ++i)
    EXPECT_EQ(again.heatmaps[i].source, first.heatmaps[i].source) << i;
  Figure of_another = figure_of(*trace_with({{"seed", "9"}}), "heads");
  const std::shared_ptr<const MatrixSource> own = of_another.heatmaps[0].source;
  share_sources(first, of_another);
  EXPECT_EQ(of_another.heatmaps[0].source, own);
}

TEST(NaturalScale, GoesBySigns) {
  EXPECT_EQ(scale_of(kPlainStep, {1, 5, 2}), (ColorScale{ColorMap::magma, 0, 5}));
  EXPECT_EQ(scale_of(kPlainStep, {-1, 5}), (ColorScale{ColorMap::red_blue, -5, 5}));
  EXPECT_EQ(scale_of(kPlainStep, {-7, 5}), (ColorScale{ColorMap::red_blue, -7, 7}));
  EXPECT_EQ(scale_of(kPlainStep, {-7, -2}), (ColorScale{ColorMap::red_blue, -7, 7}));
  EXPECT_EQ(scale_of(kPlainStep, {0, -0.0F}), (ColorScale{ColorMap::magma, 0, 0}));
  EXPECT_EQ(scale_of(kPlainStep, {}), (ColorScale{ColorMap::magma, 0, 0}));
}

TEST(NaturalScale, OfWeightsIsZeroToOne) {
  for (const Operation& operation : {Operation(SoftmaxOperation{}), Operation(DropoutOperation{})}) {
    const PlannedStep step = {"weights", operation, {}, {}};
    EXPECT_TRUE(is_weights(Step(step, {})));
    EXPECT_EQ(scale_of(step, {0.1F, 0.2F, kNaN}), (ColorScale{ColorMap::viridis, 0, 1}));
  }
  EXPECT_FALSE(is_weights(Step(kPlainStep, {})));
}

TEST(NaturalScale, LeavesOutWhatIsNotFinite) {
  EXPECT_EQ(scale_of(kPlainStep, {kNaN, 2, kInfinity, -kInfinity}), (ColorScale{ColorMap::magma, 0, 2}));
  EXPECT_EQ(scale_of(kPlainStep, {kNaN, -2, kInfinity}), (ColorScale{ColorMap::red_blue, -2, 2}));
  EXPECT_EQ(scale_of(kPlainStep, {kNaN, kNaN}), (ColorScale{ColorMap::magma, 0, 0}));
}

TEST(NaturalScale, LeavesOutWhatAMaskFilledIn) {
  for (const double fill : {-9e15, -2.5, -static_cast<double>(kInfinity)}) {
    const PlannedStep step = {"masked_scores", MaskOperation{nullptr, fill}, {}, {}};
    const auto written = static_cast<float>(fill);
    const ColorScale positive = scale_of(step, {1, 3, written});
    EXPECT_EQ(positive, (ColorScale{ColorMap::magma, 0, 3, ScaleKind::linear, written})) << fill;
    const ColorScale both = scale_of(step, {-1, 3, written});
    EXPECT_EQ(both, (ColorScale{ColorMap::red_blue, -3, 3, ScaleKind::linear, written})) << fill;
  }
  EXPECT_EQ(scale_of(kPlainStep, {1, -9e15F}).high, static_cast<double>(9e15F)) << "other tensors have no fill";
}

TEST(MatrixMark, ShowsOneHeadOfATensor) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const std::optional<HeatmapMark> weights = matrix_mark(*trace, "weights", {2, 0});
  ASSERT_TRUE(weights);
  EXPECT_EQ(weights->leading, (std::vector<Index>{2}));
  EXPECT_EQ(weights->about, "weights of head 3");
  EXPECT_EQ(row_labels(*trace, *weights), trace->experiment().labels);
  EXPECT_EQ(weights->rows(), 6);
  const std::optional<HeatmapMark> keys = matrix_mark(*trace, "k", {99, 0}, true);
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->leading, (std::vector<Index>{3})) << "the last head";
  EXPECT_EQ(keys->rows(), 7);
  EXPECT_TRUE(row_labels(*trace, *keys).empty());
  EXPECT_EQ(column_labels(*trace, *keys), trace->experiment().labels);
  EXPECT_FALSE(matrix_mark(*trace, "no such tensor", {}));
  EXPECT_EQ(head_count(*trace), 4);
}

TEST(MatrixMark, TokensWithoutALabelShowTheirNumber) {
  Experiment e = experiment_with({{"tokens", "4"}});
  e.labels = {"the", "cat"};
  const std::shared_ptr<const Trace> trace = *run(e);
  EXPECT_EQ(axis_labels(*trace, "weights", {"key", 4}), (std::vector<std::string>{"the", "cat", "3", "4"}));
  EXPECT_TRUE(axis_labels(*trace, "weights", {"dim", 7}).empty());
  EXPECT_TRUE(axis_labels(*trace, "weights", {"cross_query", 3}).empty());
  EXPECT_EQ(token_text(*trace, "weights", {"key", 4}, 1), "“cat”");
  EXPECT_EQ(token_text(*trace, "weights", {"key", 4}, 2), "3");
  EXPECT_EQ(token_text(*trace, "weights", {"cross_query", 3}, 1), "2");
}

TEST(Markup, IsReadIntoSpans) {
  using Level = TextSpan::Level;
  EXPECT_EQ(parse_markup("X W_{Q}"), (std::vector<TextSpan>{{"X W", Level::base}, {"Q", Level::subscript}}));
  EXPECT_EQ(parse_markup("K^{T} = 2"),
            (std::vector<TextSpan>{{"K", Level::base}, {"T", Level::superscript}, {" = 2", Level::base}}));
  EXPECT_EQ(parse_markup("head_dim"), (std::vector<TextSpan>{{"head_dim", Level::base}}));
  EXPECT_EQ(parse_markup("a_{b"), (std::vector<TextSpan>{{"a_{b", Level::base}}));
  EXPECT_EQ(parse_markup("a_"), (std::vector<TextSpan>{{"a_", Level::base}}));
  EXPECT_TRUE(parse_markup("").empty());
  EXPECT_EQ(plain_text("W_{Q}^{T}"), "WQT");
}

TEST(Markup, WhatIsMeantAsItIsStaysSo) {
  using Level = TextSpan::Level;
  for (const char* text : {"W_{Q}", "a^{b}", "\\", "\\_{x}", "a_b", "\\n", "_", "{}", "^^_{", ""}) {
    EXPECT_EQ(plain_text(literal_markup(text)), text);
    for (const TextSpan& span : parse_markup(literal_markup(text))) EXPECT_EQ(span.level, Level::base) << text;
  }
  EXPECT_EQ(literal_markup("sat"), "sat");
}

TEST(Markup, ScriptsAreNarrower) {
  const double base = text_width("Q", 20, FontWeight::regular);
  EXPECT_NEAR(markup_width("Q", 20, FontWeight::regular), base, 1e-9);
  EXPECT_NEAR(markup_width("_{Q}", 20, FontWeight::regular), base * kScriptSize, 1e-9);
  EXPECT_NEAR(markup_width("W_{Q}", 20, FontWeight::semibold),
              text_width("W", 20, FontWeight::semibold) + text_width("Q", 20 * kScriptSize, FontWeight::semibold),
              1e-9);
}

TEST(Symbol, IsWhatTextbooksWrite) {
  EXPECT_EQ(symbol("w_q"), "W_{Q}");
  EXPECT_EQ(symbol("single.scores"), "scores");
  EXPECT_EQ(symbol("cross_head_outputs"), "cross head");
  EXPECT_EQ(symbol("some_new_tensor"), "some new tensor");
}

}  // namespace
}  // namespace attnscope::test
