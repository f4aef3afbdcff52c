#include "io/figures/figure_file.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <clocale>
#include <cmath>
#include <map>
#include <thread>

#include "sample_figure.h"
#include "support/pdf_text.h"
#include "support/picture.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

constexpr std::array kFormats = {FigureFormat::png, FigureFormat::svg, FigureFormat::pdf};

/// A figure with one mark of every kind.
Figure full_figure() {
  Figure figure = blank_figure();
  figure.title = "One of everything";
  figure.heatmaps.push_back(sample_heatmap({40, 30, 39, 19}, 2, {0, 0.3F, 1, 0.5F, 0.2F, 0.7F}));
  figure.heatmaps[0].row_labels = {"the", "cat"};
  figure.heatmaps[0].about = "weights";
  figure.heatmaps.push_back(sample_heatmap({100, 30, 50, 50}, 200, same_numbers(200, 100, 0.5F)));
  figure.lines.push_back({"line", {10, 60}, {30, 60}, Ink::accent, 1, true, true});
  figure.color_bars.push_back({"bar", {40, 70, 40, 8}, {ColorMap::magma, 0, 1}, "α_{ij}", "0", "1"});
  figure.texts.push_back(sample_text({40, 20}, "K^{T} / √d"));
  return figure;
}

std::string message(const Result<std::string>& result) { return result ? "no error" : result.error().message; }

TEST(FigureFile, TheEndingSaysTheFormat) {
  EXPECT_EQ(figure_format("a/b.png").value(), FigureFormat::png);
  EXPECT_EQ(figure_format("b.SVG").value(), FigureFormat::svg);
  EXPECT_EQ(figure_format("b.x.Pdf").value(), FigureFormat::pdf);
  for (const char* const name : {"figure", "figure.jpg", "png", ".png", "a.png/b", ""}) {
    const Result<FigureFormat> format = figure_format(name);
    ASSERT_FALSE(format) << name;
    EXPECT_EQ(format.error().kind, Error::Kind::usage);
    EXPECT_TRUE(is_one_line(format.error().message));
    EXPECT_NE(format.error().message.find(".png, .svg or .pdf"), std::string::npos);
  }
}

TEST(FigureFile, WritesWhatFigureBytesGives) {
  const TemporaryFolder folder;
  const Figure figure = full_figure();
  EXPECT_TRUE(write_figure(figure, {}, folder / "figure.png"));
  EXPECT_TRUE(write_figure(figure, {}, folder / "figure.svg"));
  EXPECT_TRUE(write_figure(figure, {}, folder / "figure.pdf"));
  EXPECT_EQ(folder.size(), 3);
  EXPECT_EQ(bytes_of(folder / "figure.png"), figure_bytes(figure, FigureFormat::png).value());
  EXPECT_EQ(bytes_of(folder / "figure.svg"), figure_bytes(figure, FigureFormat::svg).value());
  EXPECT_EQ(bytes_of(folder / "figure.pdf"), figure_bytes(figure, FigureFormat::pdf).value());
}

TEST(FigureFile, TheSameFigureGivesTheSameBytesAlways) {
  using namespace std::chrono_literals;
  const auto all_formats = [] {
    std::map<FigureFormat, std::string> files;
    for (const FigureFormat format : kFormats) files[format] = figure_bytes(full_figure(), format).value();
    return files;
  };
  const auto before = all_formats();
  // Other drawing in between, another second, another thread.
  Figure other = full_figure();
  other.texts.push_back(sample_text({20, 80}, "other letters: Ωμέγα"));
  for (const FigureFormat format : kFormats) ASSERT_TRUE(figure_bytes(other, format));
  std::this_thread::sleep_for(1100ms);
  EXPECT_TRUE(all_formats() == before);
  std::thread([&] { EXPECT_TRUE(all_formats() == before); }).join();
}

TEST(FigureFile, TheLocaleChangesNothing) {
  const std::string before = figure_bytes(full_figure(), FigureFormat::svg).value();
  const TemporaryFolder folder;
  if (shell("localedef -i de_DE -f UTF-8 " + (folder / "de_DE.UTF-8").string() + " 2>/dev/null") != 0)
    GTEST_SKIP() << "localedef or its sources are not installed";
  ::setenv("LOCPATH", folder.path().c_str(), 1);
  ASSERT_NE(std::setlocale(LC_ALL, "de_DE.UTF-8"), nullptr);
  const std::string after = figure_bytes(full_figure(), FigureFormat::svg).value();
  std::setlocale(LC_ALL, "C");
  ::unsetenv("LOCPATH");
  EXPECT_TRUE(after == before);
}

TEST(FigureFile, APngHasItsPixelsAndItsResolution) {
  const Picture picture(figure_bytes(full_figure(), FigureFormat::png, {Theme::paper, 3.5, 254}).value());
  EXPECT_EQ(picture.width(), 889);
  EXPECT_EQ(picture.height(), 445);  // 444.5
  EXPECT_EQ(picture.pixels_per_metre(), 10000U);
}

TEST(FigureFile, TheFigureFillsTheWidth) {
  Figure figure = blank_figure();
  figure.heatmaps.push_back(sample_heatmap({0, 0, 192, 96}, 2, {0, 1, 1, 0}));
  const Picture picture(figure_bytes(figure, FigureFormat::png, {Theme::paper, 5, 100}).value());
  EXPECT_EQ(picture.at(0, 0), color_at(ColorMap::viridis, 0));
  EXPECT_EQ(picture.at(499, 249), color_at(ColorMap::viridis, 0));
  EXPECT_EQ(picture.at(499, 0), color_at(ColorMap::viridis, 1));
  const std::string svg = figure_bytes(figure, FigureFormat::svg, {.width_inches = 5}).value();
  EXPECT_NE(svg.find("width=\"5in\" height=\"2.5in\" viewBox=\"0 0 480 240\""), std::string::npos);
  EXPECT_NE(svg.find("M0 0h238.75"), std::string::npos) << "cells are scaled with the page";
}

TEST(FigureFile, SvgIsValidXml) {
  if (shell("xmllint --version 2>/dev/null") != 0) GTEST_SKIP() << "xmllint is not installed";
  const TemporaryFolder folder;
  Figure figure = full_figure();
  figure.title = "a < b & \"c\" ]]> \x01";
  figure.heatmaps[0].about = "<b>\xFF";
  figure.heatmaps[0].row_labels = {"<s>", "&amp;"};
  ASSERT_TRUE(write_figure(figure, {}, folder / "figure.svg"));
  EXPECT_EQ(shell("xmllint --noout " + (folder / "figure.svg").string()), 0);
}

TEST(FigureFile, OptionsOutOfRangeAreNamed) {
  const auto error = [](double width, int dpi) {
    EXPECT_FALSE(check_figure_options({Theme::paper, width, dpi}));
    const Result<std::string> bytes = figure_bytes(full_figure(), FigureFormat::svg, {Theme::paper, width, dpi});
    EXPECT_FALSE(bytes);
    EXPECT_EQ(bytes.error().kind, Error::Kind::usage);
    return message(bytes);
  };
  EXPECT_EQ(error(0.4, 300), "width of 0.4 inches: must be 0.5 to 100");
  EXPECT_EQ(error(101, 300), "width of 101 inches: must be 0.5 to 100");
  EXPECT_EQ(error(std::nan(""), 300), "width of NaN inches: must be 0.5 to 100");
  EXPECT_EQ(error(7, 9), "resolution of 9 dpi: must be 10 to 2400");
  EXPECT_EQ(error(7, 2401), "resolution of 2401 dpi: must be 10 to 2400");
}

TEST(FigureFile, HeightAndTypeOutOfRangeAreNamed) {
  const auto error = [](FigureFileOptions options) {
    const Result<void> checked = check_figure_options(options);
    EXPECT_FALSE(checked);
    return checked ? "" : checked.error().message;
  };
  EXPECT_EQ(error({.height_inches = 0.4}), "height of 0.4 inches: must be 0.5 to 200");
  EXPECT_EQ(error({.height_inches = -1}), "height of −1 inches: must be 0.5 to 200");
  EXPECT_EQ(error({.height_inches = std::nan("")}), "height of NaN inches: must be 0.5 to 200");
  EXPECT_EQ(error({.font_points = 2.9}), "type of 2.9 points: must be 3 to 48");
  EXPECT_EQ(error({.font_points = 49}), "type of 49 points: must be 3 to 48");
  EXPECT_TRUE(check_figure_options({.height_inches = 200, .font_points = 48}));
}

TEST(FigureFile, RoundingErrorsAmongLargerNumbersAreZero) {
  Figure figure = blank_figure();
  figure.heatmaps.push_back(sample_heatmap({0, 0, 192, 96}, 2, {0.5F, 1e-9F, -0.25F, 2e-4F}));
  figure.heatmaps[0].scale = {ColorMap::red_blue, -0.5, 0.5};
  const std::string svg = figure_bytes(figure, FigureFormat::svg).value();
  for (const char* const shown : {"0.500", "0.000", "−0.250", "0.0002"})
    EXPECT_NE(svg.find(shown), std::string::npos) << shown;
  EXPECT_EQ(svg.find("e-09"), std::string::npos);
}

TEST(FigureFile, WithAHeightThePageHasExactlyThat) {
  Figure figure = blank_figure();  // twice as wide as high
  figure.heatmaps.push_back(sample_heatmap({0, 0, 192, 96}, 1, {1}));
  const FigureFileOptions high = {.width_inches = 2, .dpi = 100, .height_inches = 2};
  const Picture picture(figure_bytes(figure, FigureFormat::png, high).value());
  EXPECT_EQ(picture.width(), 200);
  EXPECT_EQ(picture.height(), 200);
  const Rgb yellow = color_at(ColorMap::viridis, 1);
  EXPECT_GT(picture.count(yellow, 0, 50, 200, 150), 19'000) << "in the middle, but for the gap between cells";
  EXPECT_EQ(picture.count(yellow, 0, 0, 200, 50), 0);
  const FigureFileOptions wide = {.width_inches = 4, .dpi = 100, .height_inches = 1};
  const Picture low(figure_bytes(figure, FigureFormat::png, wide).value());
  EXPECT_GT(low.count(yellow, 100, 0, 300, 100), 19'000);
  EXPECT_EQ(low.count(yellow, 0, 0, 100, 100) + low.count(yellow, 300, 0, 400, 100), 0);
  const std::string svg = figure_bytes(figure, FigureFormat::svg, high).value();
  EXPECT_NE(svg.find("width=\"2in\" height=\"2in\""), std::string::npos);
  const std::string pdf = pdf_text(figure_bytes(figure, FigureFormat::pdf, high).value());
  EXPECT_NE(pdf.find("[ 0 0 144 144 ]"), std::string::npos);
}

TEST(FigureFile, IsLaidOutForItsSizeAndItsType) {
  std::vector<Point> asked;
  const auto build = [&](double width, double height) {
    asked.push_back({width, height});
    Figure figure;
    figure.width = width;
    figure.height = height > 0 ? height : 100;
    figure.texts.push_back(title_mark("title", {10, 20}, "Title"));
    figure.heatmaps.push_back(sample_heatmap({10, 40, 30, figure.height - 50}, 1, {1}));
    return figure;
  };
  EXPECT_EQ(figure_for_file(build, {}).height, 100);
  EXPECT_EQ(asked.back(), (Point{672, 0}));
  EXPECT_EQ(figure_for_file(build, {.width_inches = 5, .height_inches = 3, .font_points = 19.5}).height, 144);
  EXPECT_EQ(asked.back(), (Point{240, 144}));
  // The rest gets the line of the title.
  const Figure less = figure_for_file(build, {.height_inches = 3, .content = {.title = false}});
  EXPECT_GT(asked.back().y, 300);
  EXPECT_NEAR(less.height, 288, 0.01);
}

TEST(FigureFile, KnowsWhereTypeIsSmallerThanAskedAndAPageWithRoom) {
  // As wide and high as it needs, or as the page.
  const auto found = [](double width, double height, const FigureFileOptions& options) {
    const BuildFigure build = [=](double across, double down) {
      Figure figure;
      figure.width = std::max(width, across);
      figure.height = std::max(height, down);
      return figure;
    };
    return smaller_type(build, figure_for_file(build, options), options);
  };
  EXPECT_EQ(found(600, 5000, {}), std::nullopt);
  EXPECT_EQ(found(674, 100, {}), std::nullopt) << "less than a twentieth of a point";
  EXPECT_EQ(found(1344, 100, {}), (SmallerType{4.875, 9.75, 14, 0}));
  // 19.5 pt are 48 logical pixels to an inch.
  EXPECT_EQ(found(384, 100, {.width_inches = 6, .font_points = 19.5}), (SmallerType{14.625, 19.5, 8, 0}));
  EXPECT_EQ(found(672, 576, {.height_inches = 3}), (SmallerType{4.875, 9.75, 7, 6}));
  // No page is that large.
  EXPECT_EQ(found(96 * 150, 100, {}), (SmallerType{9.75 * 7 / 150, 9.75, 0, 0}));
}

TEST(FigureFile, FindsNoPageForAViewThatAlwaysNeedsMoreAndStopsLooking) {
  int built = 0;
  const BuildFigure build = [&](double across, double /*down*/) {
    ++built;
    Figure figure;
    figure.width = across * 1.2;
    figure.height = 100;
    return figure;
  };
  EXPECT_EQ(smaller_type(build, build(672, 0), {}), (SmallerType{9.75 / 1.2, 9.75, 0, 0}));
  EXPECT_LT(built, 10);
  // Building was stopped.
  EXPECT_EQ(smaller_type(build, Figure(), {}), std::nullopt);
}

TEST(FigureFile, SaysHowSmallTypeIsAndWhatHasRoom) {
  EXPECT_EQ(smaller_type_text({4.875, 9.75, 0, 0}, false), "text is 4.9 pt high on this page instead of 9.75 pt");
  EXPECT_EQ(smaller_type_text({8.14, 12, 10.4, 0}, false),
            "text is 8.1 pt high on this page instead of 12 pt; a page 10.4 in wide has room for that");
  EXPECT_EQ(
      smaller_type_text({8.14, 12, 10, 5}, true),
      "text is 8.1 pt high on this page instead of 12 pt; a page 25.4 cm wide and 12.7 cm high has room for that");
}

TEST(FigureFile, LengthsHaveUnits) {
  EXPECT_EQ(parse_length("7"), 7);
  EXPECT_EQ(parse_length("0.5in"), 0.5);
  EXPECT_NEAR(parse_length("12cm").value(), 4.7244, 1e-4);
  EXPECT_NEAR(parse_length("127 mm").value(), 5, 1e-12);
  for (const char* wrong : {"", "cm", "7 parsec", "7,5", "nan", "inf", "1in cm"})
    EXPECT_FALSE(parse_length(wrong)) << wrong;
}

TEST(FigureFile, RangesAreTwoNumbers) {
  EXPECT_EQ(parse_range("0,0.5"), (ColorRange{0, 0.5}));
  EXPECT_EQ(parse_range("-1, 1"), (ColorRange{-1, 1}));
  EXPECT_TRUE(parse_range("-1e38,1e38"));
  for (const char* wrong :
       {"", "1", "1,1", "1,0", "a,b", "0,nan", "0,inf", "0,1,2", "0,1e39", "-1e39,0", "-3e38,3e38", "1,1.00000000001"})
    EXPECT_FALSE(parse_range(wrong)) << wrong;
}

TEST(FigureFile, TooLargeAPictureIsRefusedBeforeMemoryIsTaken) {
  Figure figure = blank_figure();
  figure.height = 192;
  EXPECT_EQ(message(figure_bytes(figure, FigureFormat::png, {Theme::paper, 100, 2400})),
            "a picture of 240,000 × 240,000 pixels is too large: at most 32,767 along a side and 400 million");
  EXPECT_EQ(message(figure_bytes(figure, FigureFormat::png, {Theme::paper, 100, 201})),
            "a picture of 20,100 × 20,100 pixels is too large: at most 32,767 along a side and 400 million");
  EXPECT_TRUE(figure_bytes(figure, FigureFormat::pdf, {Theme::paper, 100, 2400})) << "only bitmaps have pixels";
  const auto refusal = [](const FigureFileOptions& options) {
    const Result<void> possible = check_picture_size(options);
    return possible ? "" : possible.error().message;
  };
  EXPECT_EQ(refusal({Theme::paper, 100, 2400}),
            "a picture 240,000 pixels wide is too large: at most 32,767 along a side and 400 million");
  EXPECT_EQ(refusal({Theme::paper, 100, 201, 100}),
            "a picture of 20,100 × 20,100 pixels is too large: at most 32,767 along a side and 400 million");
  EXPECT_EQ(refusal({Theme::paper, 100, 201}), "") << "it may be low";
}

TEST(FigureFile, FiguresWithoutASizeAreRefused) {
  for (const double width : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    Figure figure = blank_figure();
    figure.width = width;
    EXPECT_EQ(message(figure_bytes(figure, FigureFormat::pdf)), "the figure is empty") << width;
  }
  Figure figure = blank_figure();
  figure.height = 192 * 100;
  EXPECT_EQ(message(figure_bytes(figure, FigureFormat::pdf)),
            "the figure would be 700 inches high at a width of 7; at most 200");
}

TEST(FigureFile, ErrorsNameTheFile) {
  const TemporaryFolder folder;
  const Result<void> written = write_figure(Figure(), {}, folder / "empty.png");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("empty.png: the figure is empty"), std::string::npos);
  EXPECT_FALSE(write_figure(full_figure(), {}, folder / "missing/figure.png"));
  EXPECT_EQ(folder.size(), 0);
}

}  // namespace
}  // namespace attnscope::test
