// The view of any tensor: all its matrices in order, on one scale.
#include <gtest/gtest.h>

#include "core/imported/imported_layers.h"
#include "core/trace/run.h"
#include "figure/style/markup.h"
#include "support/imported_tensors.h"
#include "traces.h"

namespace attnscope::test {
namespace {

std::shared_ptr<const Trace> trace_on(const std::vector<MadeTensors::Made>& tensors) {
  return *run(*experiment_on(made(tensors)));
}

TEST(TensorView, ShowsEveryTensorOfAComputation) {
  const auto trace = trace_with({});
  for (std::size_t i = 0; i < trace->steps().size(); ++i) {
    const Figure figure = figure_of(*trace, "tensor", {{"tensor", static_cast<Index>(i) + 1}});
    const Step& step = trace->steps()[i];
    Index cells = 0;
    for (const HeatmapMark& mark : figure.heatmaps) {
      EXPECT_EQ(mark.step, static_cast<int>(i));
      EXPECT_EQ(mark.scale, figure.heatmaps.front().scale);
      cells += mark.rows() * mark.columns();
      // The hovered cell is that of the tensor.
      const std::vector<Index> index = mark.index_of(mark.rows() - 1, 0);
      EXPECT_EQ(mark.source->held()->at(mark.rows() - 1, 0), step.tensor->at(index)) << step.name;
    }
    EXPECT_EQ(cells, step.tensor->count()) << step.name;
    EXPECT_TRUE(plain_text(words(figure, "title")).starts_with(step.name + " [" + step.axes.front().name))
        << plain_text(words(figure, "title"));
  }
}

TEST(TensorView, TellsWhichMatrixItIs) {
  const auto trace = trace_with({});
  const auto weights = static_cast<Index>(trace->find("weights") - trace->steps().data()) + 1;
  const Figure figure = figure_of(*trace, "tensor", {{"tensor", weights}});
  EXPECT_EQ(words(figure, "weights.2.place"), "head 3");
  EXPECT_EQ(plain_text(words(figure, "title")), "weights [head 4, query 6, key 6]");
}

TEST(TensorView, CallsTheUsersOwnAsTheirProgramDoes) {
  const auto trace = trace_on({{"conv.weight", {2, 3, 4, 5}}, {"bias_{1}", {7}}});
  const Figure kernels = figure_of(*trace, "tensor");
  EXPECT_EQ(plain_text(words(kernels, "title")), "conv.weight [2, 3, 4, 5]");
  ASSERT_EQ(kernels.heatmaps.size(), 6U);
  EXPECT_EQ(kernels.heatmaps[4].leading, (std::vector<Index>{1, 1}));
  EXPECT_EQ(words(kernels, "given.conv.weight.1.1.place"), "[1, 1]");
  // A single axis is one row, and names are not markup.
  const Figure bias = figure_of(*trace, "tensor", {{"tensor", Index{2}}});
  ASSERT_EQ(bias.heatmaps.size(), 1U);
  EXPECT_EQ(bias.heatmaps[0].rows(), 1);
  EXPECT_EQ(bias.heatmaps[0].columns(), 7);
  EXPECT_EQ(bias.title, "own-tensors: bias_{1}");
  EXPECT_EQ(plain_text(words(bias, "title")), "bias_{1} [7]");
}

TEST(TensorView, OneAxisThatIsTooLongToBeHeldIsReadWhereItIsLookedAt) {
  constexpr Index length = (Index{1} << 26U) + 5;
  const auto tensors = made({{"flat", {length}}, {"other", {2, 2}}});
  const auto trace = *run(*experiment_on(tensors));
  ASSERT_EQ(trace->steps()[0].tensor, nullptr);
  const Figure figure = figure_of(*trace, "tensor");
  ASSERT_EQ(figure.heatmaps.size(), 1U);
  const HeatmapMark& mark = figure.heatmaps[0];
  EXPECT_EQ(mark.source->rows(), 1);
  EXPECT_EQ(mark.source->columns(), length);
  EXPECT_NEAR(mark.scale.high, 1, 0.1);
  std::vector<float> numbers(5);
  ASSERT_TRUE(mark.source->read({0, 0, 0, length - 5, 1, 5}, numbers, {}));
  for (Index i = 0; i < 5; ++i)
    EXPECT_EQ(numbers[static_cast<std::size_t>(i)], tensors->value(0, {length - 5 + i})) << i;
  EXPECT_LT(tensors->numbers_read, Index{1} << 23U);
}

TEST(TensorView, OfManyMatricesShowsSomeFromTheChosenOneOn) {
  const auto trace = trace_on({{"a", {10, 15, 3, 4}}, {"b", {2, 2}}});
  EXPECT_EQ(figure_of(*trace, "tensor").heatmaps.size(), 64U);
  EXPECT_EQ(plain_text(words(figure_of(*trace, "tensor"), "title")), "a [10, 15, 3, 4], matrices 1 to 64 of 150");
  const Figure last = figure_of(*trace, "tensor", {{"slice", Index{141}}});
  EXPECT_EQ(last.heatmaps.size(), 10U);
  EXPECT_EQ(last.heatmaps.front().leading, (std::vector<Index>{9, 5}));
  EXPECT_EQ(figure_of(*trace, "tensor", {{"slice", Index{999}}}).heatmaps.front().leading, (std::vector<Index>{9, 14}));
}

TEST(TensorView, IsWhatIsLeftWhereThereIsNoAttention) {
  const auto trace = trace_on({{"a", {3, 4}}, {"b", {2, 2}}});
  for (const View& view : views()) {
    const std::string why = missing_for(view, *trace);
    const bool needs_none = view.name == "tensor" || view.name == "scaling" || view.name == "complexity";
    EXPECT_EQ(why.empty(), needs_none) << view.name << ": " << why;
    EXPECT_FALSE(figure_of(*trace, view.name).title.empty()) << view.name;
  }
}

}  // namespace
}  // namespace attnscope::test
