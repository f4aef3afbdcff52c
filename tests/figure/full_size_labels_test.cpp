#include "figure/model/full_size_labels.h"

#include <gtest/gtest.h>

#include "support/blank_canvas.h"
#include "traces.h"

namespace attnscope::test {
namespace {

/// Twelve rows and columns whose cells are `cell` wide and high.
Figure with_cells(double cell, const Labels& labels) {
  Figure figure;
  figure.width = figure.height = 400;
  HeatmapMark mark = heatmap_of("weights", {100, 100, 12 * cell, 12 * cell}, {{"query", 12}, {"key", 12}},
                                std::vector<float>(144, 0.5F));
  mark.row_labels = labels;
  mark.column_labels = labels;
  figure.heatmaps.push_back(std::move(mark));
  return figure;
}

Labels twelve_words() { return std::vector<std::string>(12, "wonderful"); }

/// PaintedTexts of what is painted as text.
class PaintedTexts final : public BlankCanvas {
 public:
  void text(const PlacedText& text) override {
    all.push_back(text.size);
    shown.push_back(text.spans.front().text);
  }
  std::vector<double> all;
  std::vector<std::string> shown;
};

PaintedTexts texts_painted(const Figure& figure) {
  PaintedTexts sizes;
  paint(figure, palette(Theme::paper), {}, {0, 0, figure.width, figure.height}, sizes);
  return sizes;
}

TEST(FullSizeLabels, NumbersStandWhereWordsHaveNoRoom) {
  EXPECT_LT(texts_painted(with_cells(10.5, twelve_words())).all.front(), TypeSize::kSmall)
      << "otherwise words are smaller";
  const PaintedTexts sizes = texts_painted(with_full_size_labels(with_cells(10.5, twelve_words())));
  for (const double size : sizes.all) EXPECT_EQ(size, TypeSize::kSmall);
  using Words = std::vector<std::string>;
  EXPECT_EQ(sizes.shown, Words({"2", "4", "6", "8", "10", "12", "2", "4", "6", "8", "10", "12"}));
}

TEST(FullSizeLabels, WordsThatHaveRoomStay) {
  const Figure before = with_cells(13, twelve_words());
  EXPECT_EQ(texts_painted(with_full_size_labels(before)).shown, texts_painted(before).shown);
}

TEST(FullSizeLabels, AllOrNoneIsNone) {
  Figure figure = with_cells(8, twelve_words());
  figure.heatmaps[0].row_labels.show(Labels::Shown::all_or_none);
  figure.heatmaps[0].column_labels.show(Labels::Shown::all_or_none);
  EXPECT_TRUE(texts_painted(with_full_size_labels(figure)).shown.empty());
}

}  // namespace
}  // namespace attnscope::test
