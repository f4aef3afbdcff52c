#include "core/experiment/resample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace attnscope {
namespace {

/// Weights are whole numbers with this many bits after the point. The bits before it hold eight of a colour, and two
/// because weights may be negative and their sum over 1.
constexpr int kPrecision = 32 - 8 - 2;

double sinc(double x) {
  if (x == 0) return 1;
  const double angle = x * std::numbers::pi;
  return std::sin(angle) / angle;
}

double bilinear(double x) { return std::max(0.0, 1 - std::abs(x)); }

double bicubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

double hamming(double x) {
  x = std::abs(x);
  if (x == 0) return 1;
  if (x >= 1) return 0;
  const double angle = x * std::numbers::pi;
  return std::sin(angle) / angle * (0.54 + 0.46 * std::cos(angle));
}

double lanczos(double x) { return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0; }

struct Filter {
  double (*weight)(double distance);  ///< from a pixel's centre, in pixels
  double support;                     ///< the distance from which on it is 0
};

Filter filter_of(Resampling method) {
  switch (method) {
    case Resampling::box: return {[](double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }, 0.5};
    case Resampling::hamming: return {hamming, 1};
    case Resampling::bicubic: return {bicubic, 2};
    case Resampling::lanczos: return {lanczos, 3};
    case Resampling::nearest:
    case Resampling::bilinear: break;
  }
  return {bilinear, 1};
}

/// The pixels that a new pixel is the weighted mean of.
struct Share {
  Index first = 0;
  std::vector<std::int64_t> weights;
};

/// Along one axis; in a smaller picture the filter is as much wider.
std::vector<Share> shares(Index from, Index to, const Filter& filter) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double wider = std::max(scale, 1.0);
  const double support = filter.support * wider;
  std::vector<Share> all(static_cast<std::size_t>(to));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    Share& share = all[i];
    share.first = std::max<Index>(0, static_cast<Index>(std::floor(center - support + 0.5)));
    const Index end = std::min(from, static_cast<Index>(std::floor(center + support + 0.5)));
    std::vector<double> weights;
    weights.reserve(static_cast<std::size_t>(std::max<Index>(0, end - share.first)));
    double sum = 0;
    for (Index at = share.first; at < end; ++at) {
      weights.push_back(filter.weight((static_cast<double>(at) - center + 0.5) * (1 / wider)));
      sum += weights.back();
    }
    share.weights.reserve(weights.size());
    for (const double weight : weights) {
      const double part = (sum == 0 ? weight : weight / sum) * static_cast<double>(1 << kPrecision);
      share.weights.push_back(static_cast<std::int64_t>(part + std::copysign(0.5, part)));
    }
  }
  return all;
}

/// The weighted mean of a colour of pixels that are `stride` bytes apart.
std::uint8_t mean_of(const std::uint8_t* first, Index stride, const Share& share) {
  std::int64_t sum = std::int64_t{1} << (kPrecision - 1);
  for (const std::int64_t weight : share.weights) {
    sum += weight * *first;
    first += stride;
  }
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> kPrecision, 0, kFullColor));
}

ColorPicture resampled_rows(const ColorPicture& picture, Index columns, const Filter& filter) {
  ColorPicture result = {picture.rows, columns, {}};
  result.rgb.reserve(static_cast<std::size_t>(picture.rows * columns * kColors));
  const std::vector<Share> all = shares(picture.columns, columns, filter);
  for (Index row = 0; row < picture.rows; ++row) {
    const std::uint8_t* const line = picture.rgb.data() + row * picture.columns * kColors;
    for (const Share& share : all) {
      for (Index which = 0; which < kColors; ++which)
        result.rgb.push_back(mean_of(line + share.first * kColors + which, kColors, share));
    }
  }
  return result;
}

ColorPicture resampled_columns(const ColorPicture& picture, Index rows, const Filter& filter) {
  ColorPicture result = {rows, picture.columns, {}};
  const Index line = picture.columns * kColors;
  result.rgb.reserve(static_cast<std::size_t>(rows * line));
  for (const Share& share : shares(picture.rows, rows, filter)) {
    for (Index at = 0; at < line; ++at)
      result.rgb.push_back(mean_of(picture.rgb.data() + share.first * line + at, line, share));
  }
  return result;
}

/// The old pixel under the centre of each new one. The centres add up one by one, with the rounding that Pillow has.
std::vector<Index> nearest(Index from, Index to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  std::vector<Index> all(static_cast<std::size_t>(to));
  double center = scale * 0.5;
  for (Index& each : all) {
    each = std::min(from - 1, static_cast<Index>(center));
    center += scale;
  }
  return all;
}

ColorPicture nearest_pixels(const ColorPicture& picture, Index rows, Index columns) {
  ColorPicture result = {rows, columns, {}};
  result.rgb.reserve(static_cast<std::size_t>(rows * columns * kColors));
  const std::vector<Index> across = nearest(picture.columns, columns);
  for (const Index row : nearest(picture.rows, rows)) {
    for (const Index column : across) {
      const auto at = picture.rgb.begin() + (row * picture.columns + column) * kColors;
      result.rgb.insert(result.rgb.end(), at, at + kColors);
    }
  }
  return result;
}

}  // namespace

std::optional<Resampling> resampling_of(double number) {
  constexpr auto last = static_cast<double>(Resampling::hamming);
  if (!(number >= 0) || number > last || std::floor(number) != number) return std::nullopt;
  return static_cast<Resampling>(static_cast<int>(number));
}

ColorPicture resampled(const ColorPicture& picture, Index rows, Index columns, Resampling method) {
  if (rows == picture.rows && columns == picture.columns) return picture;
  if (method == Resampling::nearest) return nearest_pixels(picture, rows, columns);
  const Filter filter = filter_of(method);
  if (columns == picture.columns) return resampled_columns(picture, rows, filter);
  if (rows == picture.rows) return resampled_rows(picture, columns, filter);
  return resampled_columns(resampled_rows(picture, columns, filter), rows, filter);
}

}  // namespace attnscope
