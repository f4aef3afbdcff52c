#include "figure/style/colormap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <set>
#include <vector>

#include "support/floats.h"

namespace attnscope {

namespace {

using test::kInfinity;
using test::kNaN;

double contrast(Rgb a, Rgb b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

int distance(Rgb a, Rgb b) {
  return std::max({std::abs(a.red - b.red), std::abs(a.green - b.green), std::abs(a.blue - b.blue)});
}

TEST(ColorMap, HasTheKnownColours) {
  EXPECT_EQ(lut(ColorMap::viridis)[0], (Rgb{0x44, 0x01, 0x54}));
  EXPECT_EQ(lut(ColorMap::viridis)[128], (Rgb{0x21, 0x91, 0x8C}));
  EXPECT_EQ(lut(ColorMap::viridis)[255], (Rgb{0xFD, 0xE7, 0x25}));
  EXPECT_EQ(lut(ColorMap::magma)[0], (Rgb{0x00, 0x00, 0x04}));
  EXPECT_EQ(lut(ColorMap::magma)[128], (Rgb{0xB7, 0x37, 0x79}));
  EXPECT_EQ(lut(ColorMap::magma)[255], (Rgb{0xFC, 0xFD, 0xBF}));
  EXPECT_EQ(lut(ColorMap::red_blue)[0], (Rgb{0x05, 0x30, 0x61}));
  EXPECT_EQ(lut(ColorMap::red_blue)[128], (Rgb{0xF7, 0xF7, 0xF7}));
  EXPECT_EQ(lut(ColorMap::red_blue)[255], (Rgb{0x67, 0x00, 0x1F}));
}

TEST(ColorMap, ChangesSmoothly) {
  for (const ColorMap map : color_maps()) {
    const auto colors = lut(map);
    for (std::size_t i = 1; i < colors.size(); ++i) {
      EXPECT_LE(distance(colors[i - 1], colors[i]), 8) << color_map_name(map) << ' ' << i;
    }
  }
}

TEST(ColorMap, LightnessCarriesTheOrder) {
  // Rounding to 8 bits may reverse a step, by less than the eye can see.
  constexpr double hair = 0.002;
  const auto rises = [](std::span<const Rgb> colors) {
    for (std::size_t i = 1; i < colors.size(); ++i) {
      if (luminance(colors[i]) < luminance(colors[i - 1]) - hair) return false;
    }
    return luminance(colors.back()) > luminance(colors.front()) + 0.5;
  };
  const auto falls = [&rises](std::span<const Rgb> colors) {
    std::vector<Rgb> reversed(colors.rbegin(), colors.rend());
    return rises(reversed);
  };
  EXPECT_TRUE(rises(lut(ColorMap::viridis)));
  EXPECT_TRUE(rises(lut(ColorMap::magma)));
  EXPECT_TRUE(falls(lut(ColorMap::greys)));
  EXPECT_TRUE(rises(lut(ColorMap::brightness)));
  EXPECT_TRUE(rises(lut(ColorMap::red_blue).first<129>()));
  EXPECT_TRUE(falls(lut(ColorMap::red_blue).subspan<128>()));
}

TEST(ColorMap, NegativeIsBlueAndPositiveRed) {
  const Rgb negative = color_at(ColorMap::red_blue, 0.1F);
  const Rgb positive = color_at(ColorMap::red_blue, 0.9F);
  EXPECT_GT(negative.blue, negative.red);
  EXPECT_GT(positive.red, positive.blue);
}

TEST(ColorMap, TakesEveryNumber) {
  for (const ColorMap map : color_maps()) {
    const auto colors = lut(map);
    EXPECT_EQ(color_at(map, 0.0F), colors.front());
    EXPECT_EQ(color_at(map, 1.0F), colors.back());
    EXPECT_EQ(color_at(map, 0.5F), colors[128]);
    EXPECT_EQ(color_at(map, 1.0F / 256), colors[1]);
    EXPECT_EQ(color_at(map, -3.0F), colors.front());
    EXPECT_EQ(color_at(map, 7.0F), colors.back());
    EXPECT_EQ(color_at(map, kInfinity), colors.back());
    EXPECT_EQ(color_at(map, -kInfinity), colors.front());
    EXPECT_EQ(color_at(map, kNaN), colors.front());
  }
}

TEST(ColorMap, NamesComeBack) {
  std::set<std::string_view> names;
  for (const ColorMap map : color_maps()) {
    EXPECT_EQ(parse_color_map(color_map_name(map)), map);
    names.insert(color_map_name(map));
  }
  EXPECT_EQ(names.size(), color_maps().size());
  EXPECT_FALSE(parse_color_map("jet"));
  EXPECT_FALSE(parse_color_map(""));
}

TEST(CategoricalColor, WrapsAround) {
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < i; ++j) EXPECT_NE(categorical_color(i), categorical_color(j));
    EXPECT_EQ(categorical_color(i), categorical_color(i + 8));
    EXPECT_EQ(categorical_color(i), categorical_color(i - 8));
  }
  EXPECT_NO_FATAL_FAILURE(categorical_color(std::numeric_limits<int>::min()));
  EXPECT_NO_FATAL_FAILURE(categorical_color(std::numeric_limits<int>::max()));
}

TEST(Ink, CanAlwaysBeRead) {
  EXPECT_EQ(ink_on({255, 255, 255}), (Rgb{0, 0, 0}));
  EXPECT_EQ(ink_on({0, 0, 0}), (Rgb{255, 255, 255}));
  for (int red = 0; red < 256; red += 15) {
    for (int green = 0; green < 256; green += 15) {
      for (int blue = 0; blue < 256; blue += 15) {
        const Rgb color{static_cast<std::uint8_t>(red), static_cast<std::uint8_t>(green),
                        static_cast<std::uint8_t>(blue)};
        const double black = contrast(color, {0, 0, 0});
        const double white = contrast(color, {255, 255, 255});
        EXPECT_DOUBLE_EQ(contrast(color, ink_on(color)), std::max(black, white));
        EXPECT_GE(contrast(color, ink_on(color)), 4.5);
      }
    }
  }
}

}  // namespace
}  // namespace attnscope
