// Pictures made small, so that they can be kept and compared: as PNG files of a few kilobytes, in which the letters of
// another version of a font or of a rasteriser are the same grey.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "figure/style/geometry.h"
#include "support/picture.h"

namespace attnscope::test {

class SmallPicture {
 public:
  /// Each pixel the mean of `side` × `side` of `picture`, of those that there are at its right and lower edge.
  template <typename Pixels>
  explicit SmallPicture(const Pixels& picture, int side = 1)
      : width_((picture.width() + side - 1) / side), height_((picture.height() + side - 1) / side) {
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) pixels_.push_back(mean(picture, x * side, y * side, side));
    }
  }

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] Rgb at(int x, int y) const { return pixels_.at(static_cast<std::size_t>(y * width_ + x)); }

  /// As an 8-bit RGB PNG file: what `Picture` reads.
  [[nodiscard]] std::string png() const {
    std::string rows;
    for (int y = 0; y < height_; ++y) {
      rows += '\1';  // every byte less the one of the pixel before it, which makes the file smaller
      for (int x = 0; x < width_; ++x) {
        const Rgb color = at(x, y);
        const Rgb before = x == 0 ? Rgb() : at(x - 1, y);
        rows += static_cast<char>(color.red - before.red);
        rows += static_cast<char>(color.green - before.green);
        rows += static_cast<char>(color.blue - before.blue);
      }
    }
    uLongf size = compressBound(static_cast<uLong>(rows.size()));
    std::string compressed(size, '\0');
    const auto* const from = reinterpret_cast<const Bytef*>(rows.data());
    if (compress2(reinterpret_cast<Bytef*>(compressed.data()), &size, from, static_cast<uLong>(rows.size()),
                  Z_BEST_COMPRESSION) != Z_OK) {
      throw std::runtime_error("the picture cannot be compressed");
    }
    compressed.resize(size);
    const std::string sizes =
        big_endian(static_cast<std::uint32_t>(width_)) + big_endian(static_cast<std::uint32_t>(height_));
    return "\x89PNG\r\n\x1A\n" + chunk("IHDR" + sizes + std::string("\x08\x02\0\0\0", 5)) + chunk("IDAT" + compressed) +
           chunk("IEND");
  }

 private:
  template <typename Pixels>
  static Rgb mean(const Pixels& picture, int left, int top, int side) {
    const int right = std::min(left + side, picture.width());
    const int bottom = std::min(top + side, picture.height());
    std::array<int, 3> sums{};
    for (int y = top; y < bottom; ++y) {
      for (int x = left; x < right; ++x) {
        const Rgb color = picture.at(x, y);
        sums[0] += color.red, sums[1] += color.green, sums[2] += color.blue;
      }
    }
    const int count = (right - left) * (bottom - top);
    const auto rounded = [&](int sum) { return static_cast<std::uint8_t>((sum + count / 2) / count); };
    return {rounded(sums[0]), rounded(sums[1]), rounded(sums[2])};
  }

  static std::string big_endian(std::uint32_t number) {
    std::string bytes;
    for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(number >> shift);
    return bytes;
  }

  /// `content` begins with the four letters of the chunk's name.
  static std::string chunk(const std::string& content) {
    const auto* const bytes = reinterpret_cast<const Bytef*>(content.data());
    const auto checksum = static_cast<std::uint32_t>(crc32(0, bytes, static_cast<uInt>(content.size())));
    return big_endian(static_cast<std::uint32_t>(content.size() - 4)) + content + big_endian(checksum);
  }

  int width_;
  int height_;
  std::vector<Rgb> pixels_;
};

/// The pixels of `picture`, reduced by `side`, that one of `boxes` touches; those are in pixels before it was reduced.
inline std::vector<bool> touched_pixels(const SmallPicture& picture, int side, const std::vector<Rect>& boxes) {
  std::vector<bool> touched(static_cast<std::size_t>(picture.width() * picture.height()));
  const auto first = [&](double at) { return std::max(0, static_cast<int>(std::floor(at / side))); };
  const auto end = [&](double at, int limit) { return std::min(limit, static_cast<int>(std::ceil(at / side))); };
  for (const Rect& box : boxes) {
    for (int y = first(box.y); y < end(box.bottom(), picture.height()); ++y) {
      for (int x = first(box.x); x < end(box.right(), picture.width()); ++x)
        touched[static_cast<std::size_t>(y * picture.width() + x)] = true;
    }
  }
  return touched;
}

/// How far apart two pictures of the same size are, in steps of 8-bit colours.
struct PictureDifference {
  double mean = 0;     ///< of all channels of the pixels without letters
  int largest = 0;     ///< of one channel of such a pixel
  int of_letters = 0;  ///< of one of a pixel with letters
};

inline PictureDifference difference(const SmallPicture& a, const SmallPicture& b, const std::vector<bool>& letters) {
  PictureDifference found;
  int without = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (int x = 0; x < a.width(); ++x) {
      const Rgb one = a.at(x, y);
      const Rgb other = b.at(x, y);
      const std::array<int, 3> apart = {std::abs(one.red - other.red), std::abs(one.green - other.green),
                                        std::abs(one.blue - other.blue)};
      const int most = *std::max_element(apart.begin(), apart.end());
      if (letters[static_cast<std::size_t>(y * a.width() + x)]) {
        found.of_letters = std::max(found.of_letters, most);
        continue;
      }
      ++without;
      found.mean += (apart[0] + apart[1] + apart[2]) / 3.0;
      found.largest = std::max(found.largest, most);
    }
  }
  if (without > 0) found.mean /= without;
  return found;
}

// Letters differ with the version of the font: between Inter 4.0 and 4.1 by up to 39, in quotation marks by 61.
// All else is drawn alike everywhere but for the edges of curves; one pixel that is half black instead of white is 2.
inline constexpr double kMaxMean = 0.1;
inline constexpr int kMaxBesideLetters = 3;
inline constexpr int kMaxOfLetters = 50;  // of the same font
inline constexpr int kMaxOfOtherLetters = 62;

/// What is wrong with `actual`, which has those `letters`; empty where it shows what `expected` does, but for differences
/// of letters up to `most_of_letters`.
inline std::string picture_fault(const SmallPicture& actual, const SmallPicture& expected,
                                 const std::vector<bool>& letters, int most_of_letters = kMaxOfLetters) {
  const auto size = [](const SmallPicture& picture) {
    return std::to_string(picture.width()) + " × " + std::to_string(picture.height());
  };
  if (size(actual) != size(expected)) return size(actual) + " pixels instead of " + size(expected);
  const PictureDifference found = difference(actual, expected, letters);
  if (found.mean <= kMaxMean && found.largest <= kMaxBesideLetters && found.of_letters <= most_of_letters) return "";
  return "differs by " + std::to_string(found.of_letters) + " where letters are (at most " +
         std::to_string(most_of_letters) + "), elsewhere by " + std::to_string(found.largest) + " (at most " +
         std::to_string(kMaxBesideLetters) + "), on average by " + fixed_text(found.mean, 2) + " (at most " +
         fixed_text(kMaxMean, 2) + ")";
}

}  // namespace attnscope::test
