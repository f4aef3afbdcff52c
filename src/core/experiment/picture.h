// Pictures that stand in the place of drawn ones: made by a formula, or given by the user.
//
// Everything about them is computed with whole numbers up to one division at the end, so that every program that does
// the same gets the same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/stop.h"
#include "core/base/tensor.h"

namespace attnscope {

/// Red, green and blue.
inline constexpr Index kColors = 3;
/// The largest of a colour.
inline constexpr Index kFullColor = 255;
/// Pixels that a given picture may have along a side.
inline constexpr Index kMaxPictureSide = 64;

/// A picture as files have it.
struct ColorPicture {
  Index rows = 0;
  Index columns = 0;
  std::vector<std::uint8_t> rgb;  ///< three numbers for each pixel, row by row

  [[nodiscard]] bool empty() const { return rgb.empty(); }
  [[nodiscard]] Index color(Index row, Index column, Index which) const {
    return rgb[static_cast<std::size_t>((row * columns + column) * kColors + which)];
  }

  friend bool operator==(const ColorPicture&, const ColorPicture&) = default;
};

/// `from` numbers along a line, averaged to `to` numbers: both divide the same line evenly, and a new number is the
/// mean of what lies under it. With more numbers than before most are repeated. This is which old ones lie under new
/// number `at`.
struct AreaShare {
  AreaShare(Index from, Index to, Index at);

  /// How much of `old` lies under it: of `from` parts in all.
  [[nodiscard]] Index parts(Index old) const;

  Index first = 0;  ///< of the old ones
  Index last = 0;

 private:
  Index to_;
  Index begin_;  ///< of the new number, where an old one is `to` long
  Index end_;
};

/// What stands in the place of a drawn picture [batch, channel, row, column]: the same one in every item of the batch.
/// `shapes` and `stripes` are made by a formula in their size, `file` is a given picture averaged to it.
struct PlacedPicture {
  std::string name;  ///< shapes, stripes or file
  Index height = 0;
  Index width = 0;
  Index channels = 0;
  std::shared_ptr<const ColorPicture> file;  ///< null: made by a formula

  /// A colour of a pixel, from 0 to `full_color()`.
  [[nodiscard]] Index color(Index row, Index column, Index which) const;
  [[nodiscard]] Index full_color() const;
  /// 2 · c − 1, where c is what lies under the channel when the three colours (0 to 1) are averaged to the channels.
  [[nodiscard]] double value(Index channel, Index row, Index column) const;
  /// Fills a tensor [batch, channel, row, column].
  void fill(std::span<float> values, const StopToken& stop) const;

  friend bool operator==(const PlacedPicture& a, const PlacedPicture& b);
};

/// Two hexadecimal digits for each number.
std::string hex_text(std::span<const std::uint8_t> bytes);

/// "red", "green" or "blue".
const char* color_name(Index which);

}  // namespace attnscope
