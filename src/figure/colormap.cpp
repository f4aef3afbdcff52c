#include "figure/colormap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "figure/colormap_data.h"

namespace attnscope {

namespace {

constexpr std::size_t table_size = 256;

struct Named {
  ColorMap map;
  std::string_view name;
};

constexpr std::array<Named, 4> names{{
    {ColorMap::viridis, "viridis"},
    {ColorMap::magma, "magma"},
    {ColorMap::red_blue, "red_blue"},
    {ColorMap::greys, "greys"},
}};

constexpr std::array<ColorMap, names.size()> all_maps{ColorMap::viridis, ColorMap::magma, ColorMap::red_blue,
                                                      ColorMap::greys};

constexpr Rgb unpack(std::uint32_t color) {
  return {static_cast<std::uint8_t>(color >> 16U), static_cast<std::uint8_t>(color >> 8U),
          static_cast<std::uint8_t>(color)};
}

using Colors = std::array<Rgb, table_size>;

Colors unpack_all(const colormap_data::Table& table) {
  Colors colors;
  std::ranges::transform(table, colors.begin(), unpack);
  return colors;
}

// Orange and blue come first: two heads are the most common comparison. The faintest on white come last.
constexpr std::array<std::uint32_t, 8> categories{0xE69F00, 0x0072B2, 0x009E73, 0xD55E00,
                                                  0xCC79A7, 0x56B4E9, 0xF0E442, 0x999999};

double linear(std::uint8_t channel) {
  const double value = channel / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

}  // namespace

std::span<const ColorMap> color_maps() { return all_maps; }

std::string_view color_map_name(ColorMap map) { return std::ranges::find(names, map, &Named::map)->name; }

std::optional<ColorMap> parse_color_map(std::string_view name) {
  const auto* const found = std::ranges::find(names, name, &Named::name);
  return found == names.end() ? std::nullopt : std::optional(found->map);
}

std::span<const Rgb, 256> lut(ColorMap map) {
  static const Colors viridis = unpack_all(colormap_data::viridis);
  static const Colors magma = unpack_all(colormap_data::magma);
  static const Colors red_blue = unpack_all(colormap_data::red_blue);
  static const Colors greys = unpack_all(colormap_data::greys);
  switch (map) {
    case ColorMap::viridis:
      return viridis;
    case ColorMap::magma:
      return magma;
    case ColorMap::red_blue:
      return red_blue;
    case ColorMap::greys:
      return greys;
  }
  return viridis;
}

Rgb color_at(ColorMap map, float t) {
  // Written so that NaN fails the comparison and lands at the low end.
  const float inside = t > 0.0F ? std::min(t, 1.0F) : 0.0F;
  const auto entry = static_cast<std::size_t>(inside * static_cast<float>(table_size));
  return lut(map)[std::min(entry, table_size - 1)];
}

Rgb categorical_color(int index) {
  constexpr int count = static_cast<int>(categories.size());
  return unpack(categories[static_cast<std::size_t>((index % count + count) % count)]);
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
