// Pictures that replace random input: made by a formula, or given by the user.
//
// All arithmetic uses integers up to one final division: every program that does the same gets the same bits.
// script/script_picture.cpp repeats it in Python.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/stop.h"
#include "core/base/tensor.h"

namespace attnscope {

/// Number of colours: red, green and blue.
inline constexpr Index kColors = 3;
/// The maximum of a colour.
inline constexpr Index kFullColor = 255;
/// The maximum number of pixels along a side of an experiment's picture.
inline constexpr Index kMaxPictureSide = 2048;
/// The same where every pixel is a token: none of these systems has more rows or columns.
inline constexpr Index kMaxTokenPictureSide = 64;

/// An RGB picture.
struct ColorPicture {
  Index rows = 0;
  Index columns = 0;
  std::vector<std::uint8_t> rgb;  ///< three numbers per pixel, row by row

  [[nodiscard]] bool empty() const { return rgb.empty(); }
  [[nodiscard]] Index color(Index row, Index column, Index which) const {
    return rgb[static_cast<std::size_t>((row * columns + column) * kColors + which)];
  }

  friend bool operator==(const ColorPicture&, const ColorPicture&) = default;
};

/// A picture that an experiment and its copies share, in the history as well; or none.
class SharedPicture {
 public:
  SharedPicture() = default;
  SharedPicture(ColorPicture picture)
      : picture_(picture.empty() ? nullptr : std::make_shared<const ColorPicture>(std::move(picture))) {}

  [[nodiscard]] bool empty() const { return picture_ == nullptr; }
  /// There must be one.
  const ColorPicture& operator*() const { return *picture_; }
  const ColorPicture* operator->() const { return picture_.get(); }
  /// Null: none.
  [[nodiscard]] const std::shared_ptr<const ColorPicture>& shared() const { return picture_; }

  friend bool operator==(const SharedPicture& a, const SharedPicture& b) {
    return a.picture_ == b.picture_ || (!a.empty() && !b.empty() && *a == *b);
  }

 private:
  std::shared_ptr<const ColorPicture> picture_;
};

/// Area averaging along one axis, from `from` cells to `to` cells of the same total length: each new cell is the mean
/// of the old cells that it covers. `AreaShare` says which old cells the new cell `at` covers.
struct AreaShare {
  AreaShare(Index from, Index to, Index at);

  /// How much of `old` the new cell covers; the shares of all old cells sum to `from`.
  [[nodiscard]] Index parts(Index old) const;

  Index first = 0;  ///< first covered old cell
  Index last = 0;

 private:
  Index to_;
  Index begin_;  ///< of the new cell, in units in which an old cell has length `to`
  Index end_;
};

/// A picture with more than `longest` pixels along a side, averaged by area to `longest` along the longer one, with the
/// same ratio of the sides, rounded to whole pixels and to 8 bits. A smaller one stays.
ColorPicture averaged(const ColorPicture& picture, Index longest);

/// Replaces a random picture [batch, channel, row, column]; the same picture in every batch item. A formula draws
/// `shapes` and `stripes` at the required size; `file` is the user's picture, averaged to that size.
struct PlacedPicture {
  std::string name;  ///< shapes, stripes or file
  Index height = 0;
  Index width = 0;
  Index channels = 0;
  std::shared_ptr<const ColorPicture> file;  ///< null if a formula draws the picture

  /// One colour of a pixel, from 0 to `full_color()`.
  [[nodiscard]] Index color(Index row, Index column, Index which) const;
  [[nodiscard]] Index full_color() const;
  /// The same, rounded to 8 bits.
  [[nodiscard]] Index byte(Index row, Index column, Index which) const;
  /// All pixels, rounded to 8 bits.
  [[nodiscard]] ColorPicture pixels() const;
  /// 2c − 1, where c is the value of the channel after averaging the three colours (0 to 1) to the channels.
  [[nodiscard]] double value(Index channel, Index row, Index column) const;
  /// Fills a tensor [batch, channel, row, column].
  void fill(std::span<float> values, const StopToken& stop) const;

  friend bool operator==(const PlacedPicture& a, const PlacedPicture& b);
};

/// Two hexadecimal digits per byte.
std::string hex_text(std::span<const std::uint8_t> bytes);

/// "red", "green" or "blue".
const char* color_name(Index which);

}  // namespace attnscope
