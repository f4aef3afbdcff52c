#include <gtest/gtest.h>

#include <cmath>

#include "core/studies/permutation.h"
#include "traces.h"

namespace attnscope::test {
namespace {

float cell(const Figure& figure, const std::string& id, Index row, Index column) {
  return mark(figure.heatmaps, id)->source->held()->at(row, column);
}

TEST(PermutationView, ShowsBothComputationsAndTheirDifference) {
  const auto trace = trace_with({{"positions", "rotary"}, {"scale", "sqrt_head_dim"}});
  const std::vector<Index> order = {2, 0, 1, 3, 4, 5};
  const auto other = *run_in_order(*trace, order, {});
  const Figure figure = figure_of(*trace, "permutation", {{"order", std::string("3 1 2")}, {"head", Index{2}}});
  const MatrixView weights = other->tensor("weights").matrix(std::vector<Index>{1});
  for (Index row = 0; row < 6; ++row) {
    const Index from = order[static_cast<std::size_t>(row)];
    for (Index column = 0; column < 6; ++column)
      EXPECT_EQ(cell(figure, "permuted.weights", row, column), weights.at(row, column));
    for (Index column = 0; column < 9; ++column) {
      const float after = other->tensor("out").matrix({}).at(row, column);
      EXPECT_EQ(cell(figure, "permuted.x", row, column), trace->tensor("x").matrix({}).at(from, column));
      EXPECT_EQ(cell(figure, "permuted.out", row, column), after);
      EXPECT_EQ(cell(figure, "difference", row, column), after - trace->tensor("out").matrix({}).at(from, column));
    }
  }
  EXPECT_EQ(mark(figure.heatmaps, "permuted.x")->row_labels,
            (std::vector<std::string>{"sat", "the", "cat", "on", "the", "mat"}));
  EXPECT_GE(mark(figure.heatmaps, "out")->step, 0) << "its cells can be explained";
}

TEST(PermutationView, SaysWhetherTheOutputIsEquivariantAndWhyNot) {
  const auto verdict = [](const Settings& settings, const std::string& order = "3 1 2") {
    return words(figure_of(*trace_with(settings), "permutation", {{"order", order}}), "verdict");
  };
  EXPECT_NE(verdict({}).find("is permutation-equivariant"), std::string::npos);
  for (const char* kind : {"sinusoidal", "learned", "rotary", "alibi"}) {
    const std::string text = verdict({{"positions", kind}, {"scale", "sqrt_head_dim"}});
    EXPECT_NE(text.find("is not permutation-equivariant"), std::string::npos) << kind;
    EXPECT_NE(text.find("positional encodings distinguish"), std::string::npos) << kind;
  }
  // Reversing the order keeps all distances.
  EXPECT_NE(verdict({{"positions", "alibi"}}, "6 5 4 3 2").find("is permutation-equivariant"), std::string::npos);
  EXPECT_NE(verdict({{"mask", "causal"}}).find("the mask depends on positions"), std::string::npos);
  EXPECT_NE(verdict({{"dropout", "0.5"}}).find("dropout depends on positions"), std::string::npos);
}

TEST(PermutationView, SaysNothingOfNumbersThatAreNotFinite) {
  Experiment experiment = experiment_with({});
  experiment.edits.push_back({"x", {0, 0}, 3e38F});
  const Figure figure = figure_of(**run(experiment), "permutation");
  EXPECT_EQ(words(figure, "verdict"),
            "Whether f(PX) = P f(X) cannot be told: some numbers of the outputs are not finite.");
}

TEST(PermutationView, TokensCanBeDraggedByTheirLabels) {
  const Figure figure = figure_of(*trace_with({}), "permutation");
  const Rect& x = mark(figure.heatmaps, "permuted.x")->box;
  Index places = 0;
  for (const TargetMark& target : figure.targets) {
    if (!target.drag) continue;
    EXPECT_EQ(*target.drag, (SwapTokens{"order", places++}));
    EXPECT_LE(target.box.right(), x.x);
    const double row = x.y + x.height * (static_cast<double>(target.drag->place) + 0.5) / 6;
    EXPECT_LT(target.box.y, row);
    EXPECT_GT(target.box.bottom(), row);
  }
  EXPECT_EQ(places, 6);
}

TEST(PermutationView, SaysWhereThereIsNothingToPermute) {
  for (const auto& trace : small_traces()) {
    const bool has = find_view("permutation")->missing(*trace).empty();
    EXPECT_EQ(has, permutable_tokens(*trace) > 0) << trace->experiment().system;
  }
  const auto large = trace_with({{"tokens", "64"}, {"features", "1024"}, {"embedding", "1024"}}, "stacked-multihead");
  EXPECT_NE(find_view("permutation")->missing(*large).find("too long"), std::string::npos);
}

TEST(PermutationView, AnotherHeadNeedsNoOtherComputation) {
  const auto trace = trace_with({});
  ViewCache cache;
  const Figure first = figure_of(*trace, "permutation", {}, 672, 0, &cache);
  const Figure second = figure_of(*trace, "permutation", {{"head", Index{3}}}, 672, 0, &cache);
  // The cache returns the earlier trace, whose numbers the figures share.
  EXPECT_EQ(mark(first.heatmaps, "permuted.out")->source->held()->data,
            mark(second.heatmaps, "permuted.out")->source->held()->data);
}

}  // namespace
}  // namespace attnscope::test
