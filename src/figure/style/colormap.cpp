#include "figure/style/colormap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "figure/style/colormap_data.h"

namespace attnscope {

namespace {

constexpr std::size_t kTableSize = 256;

struct Named {
  ColorMap map;
  std::string_view name;
};

constexpr std::array<Named, 6> kNames{{
    {ColorMap::viridis, "viridis"},
    {ColorMap::magma, "magma"},
    {ColorMap::red_blue, "red_blue"},
    {ColorMap::greys, "greys"},
    {ColorMap::brightness, "brightness"},
    {ColorMap::blue_brown, "blue_brown"},
}};

constexpr std::array<ColorMap, kNames.size()> kAllMaps{ColorMap::viridis, ColorMap::magma,      ColorMap::red_blue,
                                                       ColorMap::greys,   ColorMap::brightness, ColorMap::blue_brown};

constexpr Rgb unpack(std::uint32_t color) {
  return {static_cast<std::uint8_t>(color >> 16U), static_cast<std::uint8_t>(color >> 8U),
          static_cast<std::uint8_t>(color)};
}

using Colors = std::array<Rgb, kTableSize>;

Colors unpack_all(const colormap_data::Table& table) {
  Colors colors;
  std::ranges::transform(table, colors.begin(), unpack);
  return colors;
}

Colors backwards(Colors colors) {
  std::ranges::reverse(colors);
  return colors;
}

// Orange and blue come first: two heads are the most common comparison. The faintest on white come last.
constexpr std::array<std::uint32_t, 8> kCategories{0xE69F00, 0x0072B2, 0x009E73, 0xD55E00,
                                                   0xCC79A7, 0x56B4E9, 0xF0E442, 0x999999};

constexpr std::size_t kBlue = 1;
// A fifth of the way to white: thin lines of the other blue are hard to see on dark.
constexpr std::uint32_t kBlueOnDark = 0x338EC1;

double linear(std::uint8_t channel) {
  const double value = channel / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

}  // namespace

std::span<const ColorMap> color_maps() { return kAllMaps; }

std::string_view color_map_name(ColorMap map) { return std::ranges::find(kNames, map, &Named::map)->name; }

std::optional<ColorMap> parse_color_map(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, &Named::name);
  return found == kNames.end() ? std::nullopt : std::optional(found->map);
}

bool is_grey_safe(ColorMap map) { return map != ColorMap::red_blue; }

std::span<const Rgb, 256> lut(ColorMap map) {
  static const Colors viridis = unpack_all(colormap_data::kViridis);
  static const Colors magma = unpack_all(colormap_data::kMagma);
  static const Colors red_blue = unpack_all(colormap_data::kRedBlue);
  static const Colors greys = unpack_all(colormap_data::kGreys);
  static const Colors brightness = backwards(greys);
  static const Colors blue_brown = unpack_all(colormap_data::kBlueBrown);
  switch (map) {
    case ColorMap::viridis: return viridis;
    case ColorMap::magma: return magma;
    case ColorMap::red_blue: return red_blue;
    case ColorMap::greys: return greys;
    case ColorMap::brightness: return brightness;
    case ColorMap::blue_brown: return blue_brown;
  }
  return viridis;
}

Rgb color_at(ColorMap map, float t) {
  // Written so that NaN fails the comparison and lands at the low end.
  const float inside = t > 0.0F ? std::min(t, 1.0F) : 0.0F;
  const auto entry = static_cast<std::size_t>(inside * static_cast<float>(kTableSize));
  return lut(map)[std::min(entry, kTableSize - 1)];
}

std::optional<Rgb> special_color(float value) {
  if (std::isfinite(value)) return std::nullopt;
  if (std::isnan(value)) return Rgb{0xFF, 0x00, 0xFF};
  return value > 0 ? Rgb{0x00, 0xFF, 0xCC} : Rgb{0x77, 0x00, 0xFF};
}

std::optional<Rgb> masked_color(ColorMap map) {
  const bool has_greys = map == ColorMap::greys || map == ColorMap::brightness || map == ColorMap::blue_brown;
  return has_greys ? std::nullopt : std::optional(Rgb{0x80, 0x80, 0x80});
}

Rgb categorical_color(int index, bool on_dark) {
  constexpr int count = static_cast<int>(kCategories.size());
  const auto place = static_cast<std::size_t>((index % count + count) % count);
  return unpack(on_dark && place == kBlue ? kBlueOnDark : kCategories[place]);
}

double luminance(Rgb color) {
  return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

Rgb ink_on(Rgb background) {
  // Contrast is (lighter + 0.05) / (darker + 0.05); black wins where (L + 0.05) / 0.05 ≥ 1.05 / (L + 0.05).
  const double shifted = luminance(background) + 0.05;
  return shifted * shifted >= 1.05 * 0.05 ? Rgb{0, 0, 0} : Rgb{255, 255, 255};
}

}  // namespace attnscope
