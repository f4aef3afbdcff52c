#include "support/alike.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace attnscope::test {
namespace {

constexpr int kBlock = 8;

/// The left upper part of that size: the picture itself where that is its own.
const Raster& cropped(const Raster& picture, int width, int height, Raster& crop) {
  if (picture.width == width && picture.height == height) return picture;
  crop = {width, height, {}};
  for (int y = 0; y < height; ++y) {
    const auto row = picture.bytes.begin() + static_cast<std::ptrdiff_t>(y) * picture.width * 3;
    crop.bytes.insert(crop.bytes.end(), row, row + static_cast<std::ptrdiff_t>(width) * 3);
  }
  return crop;
}

/// Each byte chosen from itself and those `step` before and after it in its piece.
template <typename Choose>
void choose_beside(const std::uint8_t* from, std::uint8_t* to, std::size_t piece, std::size_t step,
                   const Choose& choose) {
  if (step >= piece) {
    std::copy_n(from, piece, to);
    return;
  }
  // In a piece shorter than two steps the middle has nothing beside it.
  const std::size_t first_alone = std::min(step, piece - step);
  const std::size_t last_alone = std::max(step, piece - step);
  for (std::size_t i = 0; i < first_alone; ++i) to[i] = choose(from[i], from[i + step]);
  std::copy(from + first_alone, from + step, to + first_alone);
  for (std::size_t i = step; i < piece - step; ++i) to[i] = choose(from[i], choose(from[i - step], from[i + step]));
  for (std::size_t i = last_alone; i < piece; ++i) to[i] = choose(from[i], from[i - step]);
}

/// The least or the largest of each byte and its neighbours of the same colour, `reach` pixels to all sides.
template <typename Choose>
std::vector<std::uint8_t> around(const Raster& picture, int reach, const Choose& choose) {
  const std::size_t row = static_cast<std::size_t>(picture.width) * 3;
  std::vector<std::uint8_t> now = picture.bytes;
  std::vector<std::uint8_t> next(now.size());
  // Three places at a time, so far apart that what is known around each of them leaves no gap.
  for (int known = 0; known < reach;) {
    const int apart = std::min(2 * known + 1, reach - known);
    for (const std::size_t step : {static_cast<std::size_t>(apart) * 3, static_cast<std::size_t>(apart) * row}) {
      const std::size_t piece = step < row ? row : now.size();  // what one must not look out of
      for (std::size_t begin = 0; begin < now.size(); begin += piece)
        choose_beside(now.data() + begin, next.data() + begin, piece, step, choose);
      std::swap(now, next);
    }
    known += apart;
  }
  return now;
}

/// For every byte how far it is outside of what the other picture has around it.
void take_outside(const Raster& picture, const Raster& other, int reach, std::vector<std::uint8_t>& outside) {
  const auto least = [](std::uint8_t a, std::uint8_t b) { return a < b ? a : b; };
  const auto largest = [](std::uint8_t a, std::uint8_t b) { return a > b ? a : b; };
  const std::vector<std::uint8_t> low = around(other, reach, least);
  const std::vector<std::uint8_t> high = around(other, reach, largest);
  for (std::size_t i = 0; i < outside.size(); ++i) {
    const std::uint8_t byte = picture.bytes[i];
    const auto above = static_cast<std::uint8_t>(byte > high[i] ? byte - high[i] : 0);
    const auto below = static_cast<std::uint8_t>(byte < low[i] ? low[i] - byte : 0);
    outside[i] = largest(outside[i], largest(above, below));
  }
}

}  // namespace

Unlikeness unlikeness(const Raster& a, const Raster& b, int reach, const std::vector<PixelBox>& without) {
  const int width = std::min(a.width, b.width);
  const int height = std::min(a.height, b.height);
  Raster part_of_a;
  Raster part_of_b;
  const Raster& one = cropped(a, width, height, part_of_a);
  const Raster& other = cropped(b, width, height, part_of_b);
  std::vector<std::uint8_t> outside(one.bytes.size());
  take_outside(one, other, reach, outside);
  take_outside(other, one, reach, outside);
  const auto at = [&](int x, int y) { return outside.begin() + (static_cast<std::ptrdiff_t>(y) * width + x) * 3; };
  for (const PixelBox& box : without) {
    const int left = std::clamp(box.left, 0, width);
    const int right = std::clamp(box.right, left, width);
    for (int y = std::max(box.top, 0); y < std::min(box.bottom, height); ++y)
      std::fill(at(left, y), at(right, y), std::uint8_t{0});
  }
  Unlikeness found;
  double all = 0;
  for (int top = 0; top < height; top += kBlock) {
    for (int left = 0; left < width; left += kBlock) {
      int sum = 0;
      for (int y = top; y < std::min(top + kBlock, height); ++y) {
        for (int x = left; x < std::min(left + kBlock, width); ++x) sum += *std::max_element(at(x, y), at(x, y) + 3);
      }
      all += sum;
      const double mean = static_cast<double>(sum) / (kBlock * kBlock);
      if (mean > found.worst) found = {0, mean, left, top};
    }
  }
  found.mean = all / (static_cast<double>(width) * height);
  return found;
}

}  // namespace attnscope::test
