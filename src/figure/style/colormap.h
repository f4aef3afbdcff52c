// Colour maps, colours for categories, and the ink that is readable on them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace attnscope {

/// An opaque colour, 8 bits per channel, in sRGB.
struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// The colour maps. All are readable with every kind of colour blindness: lightness alone carries the order (in
/// `red_blue` from the middle outwards, see `is_grey_safe`).
enum class ColorMap {
  viridis,     ///< dark violet to yellow; attention weights, 0 to 1
  magma,       ///< black to cream; numbers of one sign, from 0
  red_blue,    ///< blue through near-white to red; numbers of both signs: negative blue, 0 in the middle, positive red
  greys,       ///< white to black; for print
  brightness,  ///< black to white; pixels of a picture
  blue_brown,  ///< light blue through grey to dark brown; numbers of both signs, whose order greys keep
};

/// Whether the colours keep the order of the numbers when they are printed in grey. `red_blue` does not: as dark as a
/// negative number is its opposite.
bool is_grey_safe(ColorMap map);

/// All of them, in the order of the enumeration.
std::span<const ColorMap> color_maps();

/// The name on the command line and in files: "viridis", "magma", "red_blue", "greys", "brightness", "blue_brown".
std::string_view color_map_name(ColorMap map);

/// The map of that name, if any.
std::optional<ColorMap> parse_color_map(std::string_view name);

/// The map as 256 colours, low values first; entry i covers the values from i/256 to (i+1)/256. In `red_blue` entry
/// 128, the one for 0.5, is exactly neutral, and in `blue_brown`. Lives as long as the program. Source: viridis and magma, S. van der Walt
/// and N. Smith (CC0); red_blue from ColorBrewer's RdBu.
std::span<const Rgb, 256> lut(ColorMap map);

/// The colour for `t` between 0 and 1: the entry of `lut` that the shader takes. Beyond the ends, the colour of the
/// end; for NaN, of the low end (views paint NaN in its `special_color`).
Rgb color_at(ColorMap map, float t);

/// The colour of numbers outside every map: magenta for NaN, mint for +∞, violet for −∞; nullopt for finite numbers.
std::optional<Rgb> special_color(float value);

/// The colour of scores that a mask replaced, whatever by; nullopt for maps with greys, where they have the colour of
/// their number.
std::optional<Rgb> masked_color(ColorMap map);

/// Eight colours for heads and other categories that people with any kind of colour vision can tell apart; `index`
/// counts from 0 and wraps around, also below 0. M. Okabe and K. Ito's set with grey in place of black, and `on_dark` with
/// a lighter blue: all are visible on their background.
Rgb categorical_color(int index, bool on_dark = false);

/// WCAG 2 relative luminance, 0 (black) to 1 (white).
double luminance(Rgb color);

/// Black or white: whichever is more readable on `background`. The contrast is at least 4.5 : 1.
Rgb ink_on(Rgb background);

}  // namespace attnscope
