// Figures as bitmaps and as PDF: the pixels and the pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>

#include "core/matrix/row_shares.h"
#include "figure/style/markup.h"
#include "io/figures/figure_file.h"
#include "sample_figure.h"
#include "support/floats.h"
#include "support/picture.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

constexpr Rgb kWhite = {255, 255, 255};

/// `figure` as a PNG, two inches wide.
Picture draw(const Figure& figure, int dpi, Theme theme = Theme::paper) {
  return Picture(figure_bytes(figure, FigureFormat::png, {theme, 2, dpi}).value());
}

Figure figure_of(HeatmapMark mark) {
  Figure figure = blank_figure();
  figure.heatmaps.push_back(std::move(mark));
  return figure;
}

Rgb color(float value) { return color_at(ColorMap::viridis, value); }

/// The output of a program; nothing if no program has that name.
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>/dev/null").c_str(), "r"), pclose);
  std::string output;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe.get()))
    output.append(buffer.data(), count);
  return output;
}

TEST(CairoCanvas, CellsAreSharpWithGapsBetweenThem) {
  const std::vector<float> numbers = {0, 0.25F, 0.5F, 1, 0.75F, 0.1F, 0, 1};
  const Picture picture = draw(figure_of(sample_heatmap({10, 20, 39, 19}, 2, numbers)), 96);
  // Cells of 9 pixels with gaps of one, and nothing blended.
  for (int cell = 0; cell < 8; ++cell) {
    const int x = 10 + cell % 4 * 10;
    const int y = 20 + cell / 4 * 10;
    const Rgb expected = color(numbers[static_cast<std::size_t>(cell)]);
    EXPECT_EQ(picture.count(expected, x, y, x + 9, y + 9), 81) << cell;
    EXPECT_EQ(picture.count(kWhite, x - 1, y - 1, x + 10, y), 11) << cell;
    EXPECT_EQ(picture.count(kWhite, x - 1, y - 1, x, y + 10), 11) << cell;
  }
  EXPECT_EQ(picture.count(kWhite, 49, 20, 192, 40), 143 * 20);
}

TEST(CairoCanvas, CellsGrowWithTheResolution) {
  const Picture picture =
      draw(figure_of(sample_heatmap({10, 20, 39, 19}, 2, {0, 0.25F, 0.5F, 1, 0.75F, 0.1F, 0, 1})), 960);
  EXPECT_EQ(picture.width(), 1920);
  EXPECT_EQ(picture.count(color(0.25F), 200, 200, 290, 290), 90 * 90);
  EXPECT_EQ(picture.count(kWhite, 190, 200, 200, 290), 10 * 90);
}

TEST(CairoCanvas, UnevenCellsDifferByAPixelAndGapsDoNot) {
  // 7 cells on 60.3 pixels.
  const Picture picture = draw(figure_of(sample_heatmap({3.4, 3.4, 60.3, 50}, 1, {1, 1, 1, 1, 1, 1, 1})), 96);
  std::vector<int> runs;  // lengths, cells and gaps in turn
  for (int x = 3; x < 64; ++x) {
    const bool cell = picture.at(x, 20) == color(1);
    if (x == 3 || cell != (picture.at(x - 1, 20) == color(1))) runs.push_back(0);
    EXPECT_TRUE(cell || picture.at(x, 20) == kWhite);
    ++runs.back();
  }
  ASSERT_EQ(runs.size(), 13U);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_GE(runs[i], i % 2 == 0 ? 7 : 1);
    EXPECT_LE(runs[i], i % 2 == 0 ? 8 : 1);
  }
}

TEST(CairoCanvas, WhatIsNoNumberHasItsOwnColour) {
  const Picture picture = draw(figure_of(sample_heatmap({10, 10, 40, 10}, 1, {kNaN, kInfinity, -kInfinity, 2})), 96);
  EXPECT_EQ(picture.at(14, 15), *special_color(kNaN));
  EXPECT_EQ(picture.at(24, 15), *special_color(kInfinity));
  EXPECT_EQ(picture.at(34, 15), *special_color(-kInfinity));
  EXPECT_EQ(picture.at(45, 15), color(1)) << "beyond the scale is its end";
}

TEST(CairoCanvas, AScaleWithoutLengthHasAMiddle) {
  HeatmapMark mark = sample_heatmap({10, 10, 30, 10}, 1, {0, 1, 2});
  mark.scale = {ColorMap::viridis, 1, 1};
  const Picture picture = draw(figure_of(mark), 96);
  EXPECT_EQ(picture.at(14, 15), color(0));
  EXPECT_EQ(picture.at(25, 15), color(0.5F));
  EXPECT_EQ(picture.at(35, 15), color(1));
}

TEST(CairoCanvas, PaintsSharesOfTheRow) {
  const HeatmapMark plain = sample_heatmap({10, 10, 40, 20}, 2, {0.1F, 0.2F, 0, 0.4F, 0.01F, 0.02F, 0.005F, 0});
  HeatmapMark mark = plain;
  mark.scale.kind = ScaleKind::share_of_row;
  mark.shares = std::make_shared<RowShares>(mark.source);
  for (const int resolution : {96, 960}) {
    const Picture picture = draw(figure_of(mark), resolution);
    const int pixels = resolution / 96;
    const auto at = [&](int x, int y) { return picture.at(x * pixels, y * pixels); };
    EXPECT_EQ(at(14, 14), color(0.1F / 0.4F));
    EXPECT_EQ(at(45, 14), color(1));
    EXPECT_EQ(at(14, 25), color(0.01F / 0.02F));
    EXPECT_EQ(at(25, 25), color(1));
    EXPECT_EQ(at(45, 25), color(0));
  }
}

TEST(CairoCanvas, PaintsALogarithmicScale) {
  HeatmapMark mark = sample_heatmap({10, 10, 40, 10}, 1, {1, 0.03F, 0.0001F, 0});
  mark.scale = {ColorMap::viridis, 0.001, 1, ScaleKind::logarithmic};
  const Picture picture = draw(figure_of(mark), 96);
  EXPECT_EQ(picture.at(14, 15), color(1));
  EXPECT_EQ(picture.at(25, 15), color(std::log(30.0F) / std::log(1000.0F)));
  EXPECT_EQ(picture.at(35, 15), color(0));
  EXPECT_EQ(picture.at(45, 15), color(0));
}

TEST(CairoCanvas, TransposedIsTransposed) {
  const HeatmapMark upright = sample_heatmap({10, 10, 20, 30}, 2, {0, 0.2F, 0.4F, 0.6F, 0.8F, 1});
  HeatmapMark mark = upright;
  mark.transposed = true;
  mark.source = std::make_shared<ResidentMatrix>(nullptr, upright.source->held()->transposed());
  const Picture picture = draw(figure_of(mark), 96);
  EXPECT_EQ(picture.at(14, 34), color(0.4F));
  EXPECT_EQ(picture.at(25, 14), color(0.6F));
}

TEST(CairoCanvas, NoCellOfALargeMatrixIsSkipped) {
  constexpr Index side = 1000;
  for (const Index at : {Index{0}, Index{501 * side + 333}, side * side - 1}) {
    std::vector<float> numbers = same_numbers(side, side, 0);
    numbers[static_cast<std::size_t>(at)] = 1;
    const Picture picture = draw(figure_of(sample_heatmap({10, 10, 50, 70}, side, numbers)), 96);
    EXPECT_EQ(picture.count(color(1), 0, 0, 192, 96), 1);
    EXPECT_EQ(picture.count(color(0), 10, 10, 60, 80), 50 * 70 - 1);
    const auto x = static_cast<int>(10 + at % side * 50 / side);
    const auto y = static_cast<int>(10 + at / side * 70 / side);
    EXPECT_EQ(picture.at(x, y), color(1));
  }
}

TEST(CairoCanvas, LongAndNarrowIsMinifiedOneWayOnly) {
  std::vector<float> numbers = same_numbers(3, 5000, 0);
  numbers[5000 + 2500] = 1;  // in the middle row
  const Picture picture = draw(figure_of(sample_heatmap({10, 10, 100, 60}, 3, numbers)), 96);
  EXPECT_EQ(picture.count(color(1), 0, 0, 192, 96), 20);
  EXPECT_EQ(picture.count(color(1), 60, 30, 61, 50), 20);
}

TEST(CairoCanvas, TheBackgroundIsTheThemes) {
  EXPECT_EQ(draw(blank_figure(), 96).at(0, 0), kWhite);
  EXPECT_EQ(draw(blank_figure(), 96, Theme::dark).at(191, 95), palette(Theme::dark).background);
  EXPECT_EQ(draw(blank_figure(), 96, Theme::light).at(5, 95), palette(Theme::light).background);
}

TEST(CairoCanvas, LevelLinesFallOnPixels) {
  Figure figure = blank_figure();
  figure.lines.push_back({"line", {10, 20.3}, {110, 20.3}, Ink::text, 1, false, false});
  figure.lines.push_back({"upright", {150.8, 10}, {150.8, 60}, Ink::text, 2, false, false});
  const Picture picture = draw(figure, 96);
  EXPECT_EQ(picture.count({0, 0, 0}, 11, 15, 109, 25), 98);
  EXPECT_EQ(picture.count(kWhite, 11, 15, 109, 25), 98 * 9);
  EXPECT_EQ(picture.count({0, 0, 0}, 145, 11, 157, 59), 2 * 48);
  EXPECT_EQ(picture.count(kWhite, 145, 11, 157, 59), 10 * 48);
}

TEST(CairoCanvas, AColourBarRunsThroughItsMap) {
  Figure figure = blank_figure();
  figure.color_bars.push_back({"bar", {20, 20, 128, 10}, {ColorMap::viridis, 0, 1}, "", "", ""});
  const Picture picture = draw(figure, 96);
  for (std::size_t x = 0; x < 128; ++x) {  // two entries to a pixel
    const Rgb pixel = picture.at(20 + static_cast<int>(x), 25);
    EXPECT_TRUE(pixel == lut(ColorMap::viridis)[2 * x] || pixel == lut(ColorMap::viridis)[2 * x + 1]) << x;
  }
  EXPECT_EQ(picture.at(19, 25), kWhite);
  EXPECT_EQ(picture.at(148, 25), kWhite);
}

/// The smallest rectangle that holds everything dark, in the figure's units.
struct Extent {
  double left = 1e6;
  double top = 1e6;
  double right = -1;
  double bottom = -1;
};

Extent text_extent(TextMark mark) {
  constexpr double pixels = 5;  // to a unit
  Figure figure = blank_figure();
  figure.texts.push_back(std::move(mark));
  const Picture picture = draw(figure, static_cast<int>(96 * pixels));
  Extent extent;
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) {
      if (picture.at(x, y).green > 128) continue;
      extent.left = std::min(extent.left, x / pixels);
      extent.right = std::max(extent.right, (x + 1) / pixels);
      extent.top = std::min(extent.top, y / pixels);
      extent.bottom = std::max(extent.bottom, (y + 1) / pixels);
    }
  }
  return extent;
}

TEST(CairoCanvas, TextIsPlacedByItsAlignment) {
  TextMark mark = sample_text({96, 48}, "H");
  mark.size = 20;
  const Extent left = text_extent(mark);
  EXPECT_NEAR(left.bottom, 48, 0.21) << "on its baseline";
  EXPECT_NEAR(left.top, 48 - 20 * kFontCapHeight, 0.21);
  mark.horizontal = HorizontalAlign::right;
  EXPECT_NEAR(left.left - text_extent(mark).left, text_width("H", 20), 0.41);
  mark.horizontal = HorizontalAlign::center;
  mark.vertical = VerticalAlign::middle;
  const Extent middle = text_extent(mark);
  EXPECT_NEAR((middle.left + middle.right) / 2, 96, 0.21);
  EXPECT_NEAR((middle.top + middle.bottom) / 2, 48, 0.21);
  mark.vertical = VerticalAlign::top;
  EXPECT_NEAR(text_extent(mark).bottom, 48 + 20 * kFontAscent, 0.21);
}

TEST(CairoCanvas, UprightTextReadsUpwards) {
  TextMark mark = sample_text({96, 48}, "HHL");
  mark.angle = -90;
  mark.vertical = VerticalAlign::middle;
  const Extent extent = text_extent(mark);
  EXPECT_NEAR((extent.left + extent.right) / 2, 96, 0.21);
  EXPECT_NEAR(extent.right - extent.left, TypeSize::kBody * kFontCapHeight, 0.41);
  EXPECT_NEAR(extent.bottom, 48, 1.5);
  EXPECT_NEAR(extent.top, 48 - text_width("HHL", TypeSize::kBody), 1.5);
}

TEST(CairoCanvas, ScriptsAreSmallerAndOffTheLine) {
  const double size = TypeSize::kBody;
  const Extent base = text_extent(sample_text({20, 48}, "H"));
  const Extent subscript = text_extent(sample_text({20, 48}, "H_{H}"));
  const Extent superscript = text_extent(sample_text({20, 48}, "H^{H}"));
  EXPECT_NEAR(subscript.bottom - base.bottom, size * kSubscriptDrop, 0.41);
  EXPECT_NEAR(subscript.top, base.top, 0.21);
  EXPECT_NEAR(base.top - superscript.top, size * (kSuperscriptRise - kFontCapHeight * (1 - kScriptSize)), 0.41);
  EXPECT_NEAR(subscript.right - base.right, text_width("H", size * kScriptSize), 0.6);
}

TEST(CairoCanvas, FiguresAreEquallyWide) {
  const auto width = [](const std::string& text) {
    const Extent extent = text_extent(sample_text({20, 48}, "H" + text + "H"));
    return extent.right - extent.left;
  };
  EXPECT_NEAR(width("1111"), width("8888"), 0.21);
  EXPECT_NEAR(width("0.1416"), width("7.0000"), 0.21);
}

TEST(CairoCanvas, AnyBytesCanBeText) {
  Figure figure = blank_figure();
  figure.title = std::string("a\0b\xFF", 4);
  figure.texts.push_back(sample_text({20, 48}, "a\nb\x01\xC0\xE2\x80\xA8\xED\xA0\x80 \xF0\x9F\x99\x82"));
  figure.texts.push_back(sample_text({20, 48}, ""));
  figure.texts.push_back(sample_text({20, 60}, kNoncharacters));
  for (const FigureFormat format : {FigureFormat::png, FigureFormat::pdf})
    EXPECT_TRUE(figure_bytes(figure, format, {}));
}

class Pdf : public testing::Test {
 protected:
  void SetUp() override {
    if (shell("pdftotext -v 2>/dev/null") != 0) GTEST_SKIP() << "poppler-utils is not installed";
  }
  std::string write(const Figure& figure, double width = 2) {
    EXPECT_TRUE(write_figure(figure, {.width_inches = width}, folder_ / "figure.pdf"));
    return (folder_ / "figure.pdf").string();
  }
  TemporaryFolder folder_;
};

TEST_F(Pdf, TextStaysText) {
  Figure figure = figure_of(sample_heatmap({60, 30, 39, 19}, 1, {0, 1}));
  figure.heatmaps[0].row_labels = {"Größe"};
  figure.texts.push_back(sample_text({10, 20}, "W_{Q}"));
  figure.texts.push_back(sample_text({60, 20}, "softmax(QK^{T} / √d)"));
  const std::string text = output_of("pdftotext -layout " + write(figure) + " -");
  EXPECT_NE(text.find("WQ"), std::string::npos) << text;
  EXPECT_NE(text.find("√d"), std::string::npos) << text;
  EXPECT_NE(text.find("Größe"), std::string::npos) << text;
}

TEST_F(Pdf, FontsAreEmbedded) {
  Figure figure = blank_figure();
  figure.texts.push_back(sample_text({10, 20}, "queries"));
  const std::string fonts = output_of("pdffonts " + write(figure));
  EXPECT_NE(fonts.find("yes yes yes"), std::string::npos) << fonts;
}

TEST_F(Pdf, ThePageHasTheSizeAskedForAndSaysWhatItIs) {
  Figure figure = blank_figure();
  figure.title = "Größe & <Q>";
  const std::string info = output_of("pdfinfo " + write(figure, 6.5));
  EXPECT_NE(info.find("Page size:       468 x 234 pts"), std::string::npos) << info;
  EXPECT_NE(info.find("Größe & <Q>"), std::string::npos) << info;
  EXPECT_NE(info.find("attnscope"), std::string::npos) << info;
  EXPECT_EQ(info.find("Date"), std::string::npos) << info;
}

TEST_F(Pdf, FewCellsAreShapesAndManyAreAnImage) {
  const std::string few = write(figure_of(sample_heatmap({10, 10, 64, 64}, 64, same_numbers(64, 64, 1))));
  EXPECT_EQ(bytes_of(few).find("/Subtype /Image"), std::string::npos);
  const std::string many = write(figure_of(sample_heatmap({10, 10, 65, 65}, 65, same_numbers(65, 65, 1))));
  EXPECT_NE(bytes_of(many).find("/Width 65"), std::string::npos);
  EXPECT_NE(bytes_of(many).find("/Interpolate false"), std::string::npos);
}

TEST_F(Pdf, CellsThatTouchLetNothingThrough) {
  // Cells of 3.3 pixels at a resolution that they do not fit.
  const std::string path = write(figure_of(sample_heatmap({10, 10, 66, 66}, 20, same_numbers(20, 20, 0))));
  ASSERT_EQ(shell("pdftocairo -r 131 -png -singlefile " + path + " " + (folder_ / "page").string()), 0);
  const Picture picture(bytes_of(folder_ / "page.png"));
  EXPECT_EQ(picture.count(color(0), 15, 15, 100, 100), 85 * 85);
}

}  // namespace
}  // namespace attnscope::test
