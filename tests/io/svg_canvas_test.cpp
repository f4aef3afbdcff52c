// SVG, character by character.
#include "io/canvas/svg_canvas.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "sample_figure.h"
#include "support/picture.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

constexpr Rgb kBlack = {0, 0, 0};
constexpr Rgb kRed = {255, 0, 0};

/// The elements that `draw` adds to an empty document.
template <typename Draw>
std::string added(const Draw& draw) {
  SvgCanvas canvas(192, 96, "", {255, 255, 255});
  const std::string before = canvas.document();
  draw(canvas);
  const std::string after = canvas.document();
  // The same up to "</svg>\n".
  EXPECT_EQ(after.substr(0, before.size() - 7), before.substr(0, before.size() - 7));
  return after.substr(before.size() - 7, after.size() - before.size());
}

std::string text(const PlacedText& placed) {
  return added([&](SvgCanvas& canvas) { canvas.text(placed); });
}

PlacedText placed(std::vector<TextSpan> spans) {
  return {{10, 20}, std::move(spans), 10, FontWeight::regular, kBlack, {}, VerticalAlign::baseline, 0};
}

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(SvgCanvas, ThePageHasItsSizeInInchesAndABackground) {
  EXPECT_EQ(SvgCanvas(672, 432.5, "Q & <K>", {20, 22, 26}).document(),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\" "
            "width=\"7in\" height=\"4.5052in\" viewBox=\"0 0 672 432.5\" xml:space=\"preserve\" "
            "font-family=\"'Inter', 'DejaVu Sans', sans-serif\" "
            "style=\"font-variant-numeric:tabular-nums;font-variant-ligatures:no-contextual\">\n"
            "<title>Q &amp; &lt;K&gt;</title>\n"
            "<rect x=\"0\" y=\"0\" width=\"672\" height=\"432.5\" fill=\"#14161a\"/>\n"
            "</svg>\n");
}

TEST(SvgCanvas, ScriptsAreSpansOffTheLine) {
  using enum TextSpan::Level;
  EXPECT_EQ(text(placed({{"W", base}, {"Q", subscript}})),
            "<text x=\"10\" y=\"20\" font-size=\"10\" fill=\"#000000\">"
            "W<tspan dy=\"2\" font-size=\"7.2\">Q</tspan></text>\n");
  EXPECT_EQ(text(placed({{"K", base}, {"T", superscript}, {" / ", base}, {"d", subscript}, {"k", superscript}})),
            "<text x=\"10\" y=\"20\" font-size=\"10\" fill=\"#000000\">"
            "K<tspan dy=\"-3.6\" font-size=\"7.2\">T</tspan><tspan dy=\"3.6\"> / </tspan>"
            "<tspan dy=\"2\" font-size=\"7.2\">d</tspan><tspan dy=\"-5.6\" font-size=\"7.2\">k</tspan></text>\n");
}

TEST(SvgCanvas, TextIsAlignedByTheReader) {
  PlacedText right = placed({{"sat", TextSpan::Level::base}});
  right.horizontal = HorizontalAlign::right;
  right.vertical = VerticalAlign::middle;
  right.weight = FontWeight::semibold;
  EXPECT_EQ(text(right),
            "<text x=\"10\" y=\"23.63\" font-size=\"10\" fill=\"#000000\" font-weight=\"600\" "
            "text-anchor=\"end\">sat</text>\n");
  PlacedText upright = placed({{"sat", TextSpan::Level::base}});
  upright.horizontal = HorizontalAlign::center;
  upright.angle = -90;
  EXPECT_EQ(text(upright),
            "<text x=\"10\" y=\"20\" font-size=\"10\" fill=\"#000000\" text-anchor=\"middle\" "
            "transform=\"rotate(-90 10 20)\">sat</text>\n");
}

TEST(SvgCanvas, AnyBytesCanBeText) {
  EXPECT_NE(text(placed({{"<a & \"b\">", TextSpan::Level::base}})).find(">&lt;a &amp; &quot;b&quot;&gt;</text>"),
            std::string::npos);
  EXPECT_NE(text(placed({{"a\nb\x01\xC0z", TextSpan::Level::base}})).find(">a b\uFFFD\uFFFDz</text>"),
            std::string::npos);
  EXPECT_NE(text(placed({{kNoncharacters, TextSpan::Level::base}})).find(">\uFFFD\uFFFD\uFFFD\uFFFD</text>"),
            std::string::npos);
}

TEST(SvgCanvas, CellsOfOneColourAreOnePath) {
  HeatmapMark mark = sample_heatmap({0, 0, 0, 0}, 2, {0, 1, 1, 0, 0, 1});
  mark.about = "weights of head 2";
  EXPECT_EQ(added([&](SvgCanvas& canvas) {
              canvas.heatmap(mark, {10, 20, 29, 19}, 1);
            }),
            "<g role=\"img\"><title>weights of head 2</title>\n"
            "<path shape-rendering=\"crispEdges\" fill=\"#440154\" "
            "d=\"M10 20h9v9h-9zM10 30h9v9h-9zM20 30h9v9h-9z\"/>\n"
            "<path shape-rendering=\"crispEdges\" fill=\"#fde725\" "
            "d=\"M20 20h9v9h-9zM30 20h9v9h-9zM30 30h9v9h-9z\"/>\n"
            "</g>\n");
}

TEST(SvgCanvas, NeighboursThatTouchAreOneShape) {
  const HeatmapMark mark = sample_heatmap({0, 0, 0, 0}, 2, {0, 1, 1, 0, 0, 1});
  const std::string cells = added([&](SvgCanvas& canvas) { canvas.heatmap(mark, {10, 20, 30, 20}, 0); });
  EXPECT_NE(cells.find("\"M10 20h10v10h-10zM10 30h20v10h-20z\""), std::string::npos) << cells;
  EXPECT_NE(cells.find("\"M20 20h20v10h-20zM30 30h10v10h-10z\""), std::string::npos) << cells;
}

TEST(SvgCanvas, WhatIsNoNumberHasItsOwnColour) {
  const HeatmapMark mark = sample_heatmap({0, 0, 0, 0}, 1, {0, std::numeric_limits<float>::quiet_NaN()});
  const std::string cells = added([&](SvgCanvas& canvas) { canvas.heatmap(mark, {10, 20, 20, 10}, 0); });
  EXPECT_NE(cells.find("fill=\"#ff00ff\" d=\"M20 20h10"), std::string::npos) << cells;
}

/// The picture embedded in `document`.
Picture embedded_picture(const std::string& document) {
  constexpr std::string_view before = "xlink:href=\"data:image/png;base64,";
  const std::size_t begin = document.find(before) + before.size();
  const std::string_view base64 = std::string_view(document).substr(begin, document.find('"', begin) - begin);
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  unsigned held = 0;
  for (const char c : base64.substr(0, base64.find('='))) {
    bits = (bits << 6U) | static_cast<unsigned>(alphabet.find(c));
    held += 6;
    if (held >= 8) bytes += static_cast<char>(bits >> (held -= 8U));
  }
  return Picture(bytes);
}

TEST(SvgCanvas, VeryManyCellsAreAPicture) {
  for (const Index columns : {Index{70}, Index{71}, Index{72}}) {  // for every length that base64 has to fill up
    std::vector<float> numbers = same_numbers(100, columns, 0);
    numbers[static_cast<std::size_t>(30 * columns + 7)] = 1;
    const HeatmapMark mark = sample_heatmap({0, 0, 0, 0}, 100, numbers);
    const std::string image = added([&](SvgCanvas& canvas) { canvas.heatmap(mark, {10, 20, 30.5, 60}, 0); });
    EXPECT_NE(image.find("<image x=\"10\" y=\"20\" width=\"30.5\" height=\"60\" preserveAspectRatio=\"none\" "
                         "style=\"image-rendering:optimizeSpeed;image-rendering:pixelated\""),
              std::string::npos);
    const Picture picture = embedded_picture(image);
    EXPECT_EQ(picture.width(), columns);
    EXPECT_EQ(picture.height(), 100);
    EXPECT_EQ(picture.at(7, 30), color_at(ColorMap::viridis, 1));
    EXPECT_EQ(picture.count(color_at(ColorMap::viridis, 0), 0, 0, static_cast<int>(columns), 100), 100 * columns - 1);
  }
}

TEST(SvgCanvas, EvenALargePictureKeepsEveryCell) {
  std::vector<float> numbers = same_numbers(5, 10007, 0);
  numbers[2 * 10007 + 9001] = 1;
  const HeatmapMark mark = sample_heatmap({0, 0, 0, 0}, 5, numbers);
  const Picture picture = embedded_picture(added([&](SvgCanvas& canvas) { canvas.heatmap(mark, {0, 0, 100, 5}, 0); }));
  EXPECT_EQ(picture.width(), 2048);
  EXPECT_EQ(picture.height(), 5);
  EXPECT_EQ(picture.count(color_at(ColorMap::viridis, 1), 0, 2, 2048, 3), 1);
}

TEST(SvgCanvas, AGradientIsDefinedOnce) {
  SvgCanvas canvas(192, 96, "", {255, 255, 255});
  canvas.gradient(ColorMap::viridis, {10, 10, 100, 8});
  canvas.gradient(ColorMap::magma, {10, 30, 100, 8});
  canvas.gradient(ColorMap::viridis, {10, 50, 100, 8});
  const std::string document = canvas.document();
  EXPECT_EQ(occurrences(document, "<linearGradient"), 2U);
  EXPECT_EQ(occurrences(document, "<linearGradient id=\"viridis\"><stop offset=\"0\" stop-color=\"#440154\"/>"), 1U);
  EXPECT_EQ(occurrences(document, "<stop offset=\"1\" stop-color=\"#fde725\"/>"), 1U);
  EXPECT_EQ(occurrences(document, "<rect x=\"10\" y=\"50\" width=\"100\" height=\"8\" fill=\"url(#viridis)\"/>"), 1U);
}

TEST(SvgCanvas, LinesAndShapes) {
  EXPECT_EQ(added([](SvgCanvas& canvas) {
              canvas.line({1, 2}, {3.456, -0.001}, kRed, 1.5, true);
            }),
            "<line x1=\"1\" y1=\"2\" x2=\"3.46\" y2=\"0\" stroke=\"#ff0000\" stroke-width=\"1.5\" "
            "stroke-dasharray=\"4.5\"/>\n");
  EXPECT_EQ(added([](SvgCanvas& canvas) {
              canvas.triangle({1, 2}, {3, 4}, {5, 6}, kRed);
            }),
            "<polygon points=\"1,2 3,4 5,6\" fill=\"#ff0000\"/>\n");
  EXPECT_EQ(added([](SvgCanvas& canvas) {
              canvas.outline({1, 2, 3, 4}, kRed, 2, 3);
            }),
            "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" rx=\"3\" fill=\"none\" stroke=\"#ff0000\" "
            "stroke-width=\"2\"/>\n");
  EXPECT_EQ(added([](SvgCanvas& canvas) {
              canvas.fill({1, 2, 3, 4}, kRed, 1);
            }),
            "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" fill=\"#ff0000\"/>\n");
  EXPECT_EQ(added([](SvgCanvas& canvas) {
              canvas.fill({1, 2, 3, 4}, kRed, 0.0125);
            }),
            "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" fill=\"#ff0000\" fill-opacity=\"0.0125\"/>\n");
  const std::array<Point, 3> points = {Point{1, 2}, Point{3, 4.5}, Point{5, 6}};
  EXPECT_EQ(added([&](SvgCanvas& canvas) { canvas.curve(points, kRed, 0.5, 2, false); }),
            "<polyline points=\"1,2 3,4.5 5,6\" fill=\"none\" stroke=\"#ff0000\" stroke-opacity=\"0.5\" "
            "stroke-width=\"2\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n");
  EXPECT_EQ(added([&](SvgCanvas& canvas) { canvas.curve(std::span(points).first(2), kRed, 1, 2, true); }),
            "<polyline points=\"1,2 3,4.5\" fill=\"none\" stroke=\"#ff0000\" stroke-width=\"2\" "
            "stroke-linejoin=\"round\" stroke-dasharray=\"6\"/>\n");
}

}  // namespace
}  // namespace attnscope::test
