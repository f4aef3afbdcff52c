#include "core/experiment/picture.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <string_view>

#include "core/base/stop.h"

namespace attnscope {
namespace {

using Color = std::array<Index, kColors>;

constexpr Color kGround = {235, 230, 215};
constexpr Color kRed = {230, 90, 40};
constexpr Color kBlue = {20, 60, 160};
constexpr Color kYellow = {250, 210, 60};

/// A large red disc at the upper left, a small one at the lower left, and a blue square at the lower right. The unit is
/// 1/16 of half the shorter side, the origin is the centre. Distances are integers, stored as doubles because their
/// squares may be large.
const Color& shapes_color(Index height, Index width, Index row, Index column) {
  const auto side = static_cast<double>(std::min(height, width));
  const auto down = 16 * static_cast<double>(2 * row + 1 - height);
  const auto right = 16 * static_cast<double>(2 * column + 1 - width);
  const auto in_disc = [&](double y, double x, double radius) {
    const double dy = down - y * side;
    const double dx = right - x * side;
    return dy * dy + dx * dx <= radius * side * (radius * side);
  };
  if (in_disc(-6, -6, 8) || in_disc(8, -8, 4)) return kRed;
  if (std::abs(down - 8 * side) <= 6 * side && std::abs(right - 8 * side) <= 6 * side) return kBlue;
  return kGround;
}

/// Diagonal stripes of three colours, each 1/8 of the shorter side wide.
const Color& stripes_color(Index height, Index width, Index row, Index column) {
  static constexpr std::array<Color, 3> kColorsInTurn = {kRed, kYellow, kBlue};
  const Index across = std::max<Index>(1, std::min(height, width) / 8);
  return kColorsInTurn[static_cast<std::size_t>((row + column) / across % 3)];
}

}  // namespace

AreaShare::AreaShare(Index from, Index to, Index at)
    : first(at * from / to), last(((at + 1) * from - 1) / to), to_(to), begin_(at * from), end_((at + 1) * from) {}

Index AreaShare::parts(Index old) const { return std::min(end_, (old + 1) * to_) - std::max(begin_, old * to_); }

namespace {

/// The length of a side of `from` pixels if the longer side, of `longer` pixels, becomes `longest`.
Index fitted_side(Index from, Index longer, Index longest) {
  const double side = std::round(static_cast<double>(from * longest) / static_cast<double>(longer));
  return std::max<Index>(1, static_cast<Index>(side));
}

}  // namespace

ColorPicture averaged(const ColorPicture& picture, Index longest) {
  const Index longer = std::max(picture.rows, picture.columns);
  if (longer <= longest) return picture;
  ColorPicture result = {fitted_side(picture.rows, longer, longest), fitted_side(picture.columns, longer, longest), {}};
  result.rgb.reserve(static_cast<std::size_t>(result.rows * result.columns * kColors));
  const Index all = picture.rows * picture.columns;
  for (Index row = 0; row < result.rows; ++row) {
    const AreaShare down(picture.rows, result.rows, row);
    for (Index column = 0; column < result.columns; ++column) {
      const AreaShare across(picture.columns, result.columns, column);
      Color sums = {};
      for (Index r = down.first; r <= down.last; ++r) {
        for (Index c = across.first; c <= across.last; ++c) {
          const Index parts = down.parts(r) * across.parts(c);
          for (Index which = 0; which < kColors; ++which)
            sums[static_cast<std::size_t>(which)] += parts * picture.color(r, c, which);
        }
      }
      for (const Index sum : sums) result.rgb.push_back(static_cast<std::uint8_t>((2 * sum + all) / (2 * all)));
    }
  }
  return result;
}

std::string hex_text(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) text.append(1, kDigits[byte / 16]).append(1, kDigits[byte % 16]);
  return text;
}

const char* color_name(Index which) {
  constexpr std::array<const char*, kColors> kNames = {"red", "green", "blue"};
  return kNames[static_cast<std::size_t>(which)];
}

Index PlacedPicture::color(Index row, Index column, Index which) const {
  if (file == nullptr) {
    const Color& color = (name == "shapes" ? shapes_color : stripes_color)(height, width, row, column);
    return color[static_cast<std::size_t>(which)];
  }
  const AreaShare down(file->rows, height, row);
  const AreaShare across(file->columns, width, column);
  Index sum = 0;
  for (Index r = down.first; r <= down.last; ++r) {
    for (Index c = across.first; c <= across.last; ++c)
      sum += down.parts(r) * across.parts(c) * file->color(r, c, which);
  }
  return sum;
}

Index PlacedPicture::full_color() const {
  return file == nullptr ? kFullColor : kFullColor * file->rows * file->columns;
}

namespace {

double channel_value(const PlacedPicture& picture, const Color& pixel, Index channel) {
  const AreaShare share(kColors, picture.channels, channel);
  Index sum = 0;
  for (Index which = share.first; which <= share.last; ++which)
    sum += share.parts(which) * pixel[static_cast<std::size_t>(which)];
  return 2 * (static_cast<double>(sum) / static_cast<double>(kColors * picture.full_color())) - 1;
}

Color pixel_of(const PlacedPicture& picture, Index row, Index column) {
  return {picture.color(row, column, 0), picture.color(row, column, 1), picture.color(row, column, 2)};
}

}  // namespace

Index PlacedPicture::byte(Index row, Index column, Index which) const {
  return (2 * kFullColor * color(row, column, which) + full_color()) / (2 * full_color());
}

ColorPicture PlacedPicture::pixels() const {
  ColorPicture result = {height, width, {}};
  result.rgb.reserve(static_cast<std::size_t>(height * width * kColors));
  for (Index row = 0; row < height; ++row) {
    for (Index column = 0; column < width; ++column) {
      for (Index which = 0; which < kColors; ++which)
        result.rgb.push_back(static_cast<std::uint8_t>(byte(row, column, which)));
    }
  }
  return result;
}

double PlacedPicture::value(Index channel, Index row, Index column) const {
  return channel_value(*this, pixel_of(*this, row, column), channel);
}

void PlacedPicture::fill(std::span<float> values, const StopToken& stop) const {
  const auto pixels = static_cast<std::size_t>(height * width);
  const std::size_t item = pixels * static_cast<std::size_t>(channels);
  assert(item > 0 && values.size() % item == 0);
  for (Index row = 0; row < height && !stop.stop_requested(); ++row) {
    for (Index column = 0; column < width; ++column) {
      const Color pixel = pixel_of(*this, row, column);
      auto at = static_cast<std::size_t>(row * width + column);
      for (Index channel = 0; channel < channels; ++channel, at += pixels)
        values[at] = static_cast<float>(channel_value(*this, pixel, channel));
    }
  }
  for (std::size_t at = item; at < values.size() && !stop.stop_requested(); at += item)
    std::copy_n(values.begin(), item, values.begin() + static_cast<std::ptrdiff_t>(at));
}

bool operator==(const PlacedPicture& a, const PlacedPicture& b) {
  const bool same_file = a.file == b.file || (a.file != nullptr && b.file != nullptr && *a.file == *b.file);
  return same_file && a.name == b.name && a.height == b.height && a.width == b.width && a.channels == b.channels;
}

}  // namespace attnscope
