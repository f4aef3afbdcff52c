// Attention from a pixel: the pictures are rows of the weights.
#include <gtest/gtest.h>

#include "figure/model/canvas.h"
#include "traces.h"

namespace attnscope::test {
namespace {

const Settings kPicture = {{"batch", "2"}, {"channels", "8"}, {"height", "3"}, {"width", "5"}};

TEST(ImageView, ShowsTheRowOfThePixelForEveryHead) {
  for (const char* system : {"image-multihead", "packed-multihead", "conv-attention"}) {
    const std::shared_ptr<const Trace> trace = trace_with(kPicture, system);
    const Tensor& weights = trace->tensor("weights");
    const Figure figure = figure_of(*trace, "image", {{"query", Index{7}}, {"item", Index{2}}});
    ASSERT_EQ(static_cast<Index>(figure.heatmaps.size()), 1 + weights.size(1)) << system;
    for (Index head = 0; head < weights.size(1); ++head) {
      const HeatmapMark& mark = figure.heatmaps[static_cast<std::size_t>(head) + 1];
      ASSERT_EQ(mark.rows(), 3);
      ASSERT_EQ(mark.columns(), 5);
      for (Index row = 0; row < 3; ++row) {
        for (Index column = 0; column < 5; ++column) {
          const std::vector<Index> index = {1, head, 6, row * 5 + column};
          EXPECT_EQ(mark.index_of(row, column), index);
          EXPECT_EQ(mark.source->held()->at(row, column), weights.at(index)) << system;
        }
      }
    }
  }
}

TEST(ImageView, ThePictureIsAChannelOrTheirMean) {
  const std::shared_ptr<const Trace> trace = trace_with(kPicture, "image-self-attention");
  const Tensor& x = trace->tensor("x");
  const HeatmapMark mean = figure_of(*trace, "image").heatmaps.front();
  const HeatmapMark third = figure_of(*trace, "image", {{"channel", Index{3}}}).heatmaps.front();
  EXPECT_EQ(mean.picks.name, "query");
  EXPECT_EQ(mean.step, -1);
  EXPECT_EQ(third.index_of(2, 4), (std::vector<Index>{0, 2, 2, 4}));
  for (Index row = 0; row < 3; ++row) {
    for (Index column = 0; column < 5; ++column) {
      double sum = 0;
      for (Index channel = 0; channel < 8; ++channel)
        sum += static_cast<double>(x.at(std::vector<Index>{0, channel, row, column}));
      EXPECT_NEAR(static_cast<double>(mean.source->held()->at(row, column)), sum / 8, 1e-6);
      EXPECT_EQ(third.source->held()->at(row, column), x.at(std::vector<Index>{0, 2, row, column}));
    }
  }
}

TEST(ImageView, ShowsAPictureInItsColours) {
  Settings settings = kPicture;
  settings.emplace_back("picture", "stripes");
  const auto trace = trace_with(settings, "conv-attention");
  const Figure figure = figure_of(*trace, "image");
  ASSERT_EQ(figure.pixels.size(), 1U);
  const PixelsMark& pixels = figure.pixels.front();
  EXPECT_EQ(pixels.rows(), 3);
  EXPECT_EQ(pixels.columns, 5);
  EXPECT_EQ(pixels.box, figure.heatmaps.front().box);
  EXPECT_EQ(pixels.colors[0], (Rgb{230, 90, 40}));
  EXPECT_EQ(pixels.colors[6], (Rgb{20, 60, 160})) << "row 1, column 1: the third of the stripes";
  EXPECT_EQ(words(figure, "picture.title"), "stripes");
  EXPECT_EQ(mark(figure.color_bars, "pixels"), nullptr);
  // A single channel, too few channels for colours, and noise are shown as numbers.
  EXPECT_TRUE(figure_of(*trace, "image", {{"channel", Index{3}}}).pixels.empty());
  settings[1].second = "2";
  EXPECT_TRUE(figure_of(*trace_with(settings, "conv-attention"), "image").pixels.empty());
  EXPECT_TRUE(figure_of(*trace_with(kPicture, "conv-attention"), "image").pixels.empty());

  Experiment given = experiment_with(kPicture, "conv-attention");
  ASSERT_TRUE(set_picture(given, {1, 2, {0, 0, 0, 255, 100, 50}}));
  const Figure half = figure_of(**run(given), "image");
  EXPECT_EQ(words(half, "picture.title"), "the picture");
  EXPECT_EQ(half.pixels.front().colors[2], (Rgb{128, 50, 25})) << "the middle column is half of each";
}

TEST(ImageView, APictureOfOneColourIsBlackOrWhite) {
  const auto scale_of = [](std::uint8_t byte) {
    Experiment experiment = trace_with(kPicture, "conv-attention")->experiment();
    experiment.parameters["picture"] = std::string("file");
    experiment.picture = ColorPicture{3, 5, std::vector<std::uint8_t>(std::size_t{45}, byte)};
    const HeatmapMark picture = figure_of(**run(experiment), "image", {{"channel", Index{1}}}).heatmaps.front();
    const double pixel = static_cast<double>(picture.source->held()->at(1, 2));
    EXPECT_LT(picture.scale.low, picture.scale.high);
    return std::pair(pixel, picture.scale);
  };
  const auto [black, of_black] = scale_of(0);
  EXPECT_EQ(of_black.low, black);
  const auto [white, of_white] = scale_of(255);
  EXPECT_EQ(of_white.high, white);
}

TEST(ImageView, AsksFromTheMiddleUnlessTold) {
  const std::shared_ptr<const Trace> trace = trace_with(kPicture, "image-self-attention");
  EXPECT_EQ(figure_of(*trace, "image").heatmaps.back().leading.back(), 7);
  EXPECT_EQ(figure_of(*trace, "image", {{"query", Index{1}}}).heatmaps.back().leading.back(), 0);
  EXPECT_EQ(figure_of(*trace, "image", {{"query", Index{999}}}).heatmaps.back().leading.back(), 14);
}

TEST(ImageView, LightsUpThePixelsThatACellComesFrom) {
  const std::shared_ptr<const Trace> trace = trace_with(kPicture, "image-self-attention");
  const HeatmapMark mark = figure_of(*trace, "image", {{"query", Index{2}}}).heatmaps.back();
  const Rect box = {0, 0, 50, 30};
  const std::vector<Index> seventh = {0, 1, 7};
  EXPECT_EQ(region_box(mark, box, single_cell(mark.step, seventh)), (Rect{20, 10, 10, 10}));
  Region row = single_cell(mark.step, seventh);
  row.begin[2] = 0;
  row.end[2] = 15;
  EXPECT_EQ(region_box(mark, box, row), box);
  const std::vector<Index> other_query = {0, 2, 7};
  EXPECT_EQ(region_box(mark, box, single_cell(mark.step, other_query)), std::nullopt);
}

TEST(ImageView, ANarrowFigureHasRoomForAllColourBars) {
  const std::shared_ptr<const Trace> trace = trace_with(kPicture, "image-self-attention");
  for (const double width : {300.0, 360.0, 900.0}) {
    const Figure figure = figure_of(*trace, "image", {}, width);
    ASSERT_EQ(figure.color_bars.size(), 2U);
    constexpr double kNumbersBelow = 18;
    for (const ColorBarMark& bar : figure.color_bars)
      EXPECT_LE(bar.box.bottom() + kNumbersBelow, figure.height) << width << ": " << bar.id;
  }
}

TEST(ImageView, SaysThatTokensAreNoPixels) {
  const View& view = *find_view("image");
  EXPECT_NE(missing_for(view, *trace_with({})), "");
  EXPECT_EQ(missing_for(view, *trace_with(kPicture, "conv-attention")), "");
  // There is a figure nevertheless: it says why.
  EXPECT_EQ(figure_of(*trace_with({}), "image").texts.front().markup, missing_for(view, *trace_with({})));
}

}  // namespace
}  // namespace attnscope::test
