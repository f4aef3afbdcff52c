// Colour maps in grey print, and for people who see no red, no green or no blue.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "figure/model/figure_content.h"
#include "figure/style/colormap.h"
#include "figure/style/palette.h"
#include "traces.h"

namespace attnscope::test {
namespace {

using Linear = std::array<double, 3>;

double linear(std::uint8_t channel) {
  const double value = channel / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

Linear linear(Rgb color) { return {linear(color.red), linear(color.green), linear(color.blue)}; }

/// CIE lightness, 0 to 100, as a printer makes grey of it.
double lightness(double luminance) {
  return luminance > 0.008856 ? 116 * std::cbrt(luminance) - 16 : 903.3 * luminance;
}

double lightness(const Linear& c) { return lightness(0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]); }

using Vision = std::array<Linear, 3>;
constexpr Vision kNormal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
// Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
constexpr Vision kNoRed = {
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Vision kNoGreen = {
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Vision kNoBlue = {
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};
constexpr std::array kVisions = {kNormal, kNoRed, kNoGreen, kNoBlue};

Linear seen(const Linear& color, const Vision& vision) {
  Linear out{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) out[i] += vision[i][j] * color[j];
    out[i] = std::clamp(out[i], 0.0, 1.0);
  }
  return out;
}

/// A colour as lightness and two chroma coordinates of CIE L*a*b*.
Linear lab(const Linear& c) {
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.9505);
  const double y = f(0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]);
  const double z = f((0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.089);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double difference(const Linear& a, const Linear& b) {
  const Linear p = lab(a);
  const Linear q = lab(b);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

/// Whether lightness goes one way from the first colour to the last, over most of its range. Steps back of less than
/// anyone can see are rounding.
bool is_monotone(std::span<const Rgb> colors, const Vision& vision) {
  constexpr double hair = 0.6;
  std::vector<double> all;
  for (const Rgb color : colors) all.push_back(lightness(seen(linear(color), vision)));
  if (all.front() > all.back()) std::ranges::reverse(all);
  double most = all.front();
  for (const double each : all) {
    if (each < most - hair) return false;
    most = std::max(most, each);
  }
  return all.back() - all.front() > 55;
}

TEST(Shades, AreRolesOfTheThemeOrHues) {
  const Palette& dark = palette(Theme::dark);
  EXPECT_EQ(dark.color(Shade::of(Ink::dim)), dark.dim);
  for (int hue = 0; hue < 9; ++hue) {
    EXPECT_EQ(dark.color(Shade::of_hue(hue)) == categorical_color(hue), hue != 1) << hue;
    EXPECT_GT(luminance(dark.color(Shade::of_hue(hue))), 0.2) << "seen on dark";
    EXPECT_EQ(palette(Theme::paper).color(Shade::of_hue(hue)), categorical_color(hue));
  }
}

TEST(SafeColors, GreyKeepsTheOrderOfMapsThatAreCalledGreySafe) {
  for (const ColorMap map : color_maps())
    EXPECT_EQ(is_monotone(lut(map), kNormal), is_grey_safe(map)) << color_map_name(map);
  EXPECT_FALSE(is_grey_safe(ColorMap::red_blue)) << "as dark as a negative number is its opposite";
}

TEST(SafeColors, EveryVisionKeepsTheOrder) {
  for (const ColorMap map : color_maps()) {
    if (!is_grey_safe(map)) continue;
    for (const Vision& vision : kVisions) {
      EXPECT_TRUE(is_monotone(lut(map), vision)) << color_map_name(map);
    }
  }
  // From the middle outwards, where red and blue differ.
  const auto map = lut(ColorMap::red_blue);
  for (const Vision& vision : kVisions) {
    EXPECT_TRUE(is_monotone(map.first<129>(), vision));
    EXPECT_TRUE(is_monotone(map.subspan<128>(), vision));
  }
}

TEST(SafeColors, SignsDifferForEveryVision) {
  for (const ColorMap map : {ColorMap::red_blue, ColorMap::blue_brown}) {
    for (const Vision& vision : kVisions) {
      for (const float size : {0.2F, 0.35F, 0.5F}) {
        const Linear negative = seen(linear(color_at(map, 0.5F - size)), vision);
        const Linear positive = seen(linear(color_at(map, 0.5F + size)), vision);
        EXPECT_GT(difference(negative, positive), 20) << color_map_name(map) << " " << size;
      }
    }
  }
}

TEST(SafeColors, OppositeNumbersDifferInGrey) {
  for (const float size : {0.1F, 0.25F, 0.5F}) {
    const auto grey = [&](ColorMap map, float at) { return lightness(linear(color_at(map, at))); };
    EXPECT_GT(grey(ColorMap::blue_brown, 0.5F - size),
              grey(ColorMap::blue_brown, 0.5F + size) + 100 * static_cast<double>(size) * 0.5);
  }
  const Rgb middle = color_at(ColorMap::blue_brown, 0.5F);
  EXPECT_TRUE(middle.red == middle.green && middle.green == middle.blue) << "0 has no hue";
}

TEST(SafeColors, BlueBrownTakesThePlaceOfRedBlueAlone) {
  const auto trace = trace_with({{"random_numbers", "signed"}});
  const Figure before = figure_of(*trace, "flow");
  const Figure after = with_content(before, {.map = ColorMap::blue_brown});
  int changed = 0;
  for (std::size_t i = 0; i < before.heatmaps.size(); ++i) {
    const ColorMap was = before.heatmaps[i].scale.map;
    EXPECT_EQ(after.heatmaps[i].scale.map, was == ColorMap::red_blue ? ColorMap::blue_brown : was);
    changed += was == ColorMap::red_blue ? 1 : 0;
  }
  EXPECT_GT(changed, 0);
  for (const ColorBarMark& bar : after.color_bars) EXPECT_NE(bar.scale.map, ColorMap::red_blue);
}

}  // namespace
}  // namespace attnscope::test
