// The pixels of a PNG file, read without the library that wrote it.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "figure/style/colormap.h"

namespace attnscope::test {

/// An 8-bit RGB picture without interlacing, which is what figures are; others may write an opacity with every pixel,
/// which is passed over. Throws std::runtime_error on anything else.
class Picture {
 public:
  explicit Picture(std::string_view png) {
    if (!png.starts_with("\x89PNG\r\n\x1A\n")) throw std::runtime_error("no PNG file");
    std::string compressed;
    for (std::size_t at = 8; at + 12 <= png.size();) {
      const std::size_t length = number(png, at);
      const std::string_view name = png.substr(at + 4, 4);
      const std::string_view content = png.substr(at + 8, length);
      const auto checksum = crc32(0, bytes(png.substr(at + 4)), static_cast<uInt>(length + 4));
      if (number(png, at + 8 + length) != checksum) throw std::runtime_error("wrong checksum");
      if (name == "IHDR") read_header(content);
      if (name == "pHYs") pixels_per_metre_ = number(content, 0);
      if (name == "IDAT") compressed += content;
      at += length + 12;
    }
    rows_.resize(height_ * (stride() + 1));
    uLongf size = rows_.size();
    if (uncompress(rows_.data(), &size, bytes(compressed), compressed.size()) != Z_OK || size != rows_.size()) {
      throw std::runtime_error("wrong pixel data");
    }
    unfilter();
  }

  [[nodiscard]] int width() const { return static_cast<int>(width_); }
  [[nodiscard]] int height() const { return static_cast<int>(height_); }
  [[nodiscard]] std::uint32_t pixels_per_metre() const { return pixels_per_metre_; }
  [[nodiscard]] Rgb at(int x, int y) const {
    const std::size_t byte = static_cast<std::size_t>(y) * (stride() + 1) + 1 + static_cast<std::size_t>(x) * channels_;
    return {rows_.at(byte), rows_.at(byte + 1), rows_.at(byte + 2)};
  }
  /// How many pixels of a rectangle have that colour.
  [[nodiscard]] int count(Rgb color, int x0, int y0, int x1, int y1) const {
    int pixels = 0;
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) pixels += at(x, y) == color ? 1 : 0;
    }
    return pixels;
  }

 private:
  static const Bytef* bytes(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }
  static std::uint32_t number(std::string_view text, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = (value << 8U) | static_cast<unsigned char>(text.at(at + i));
    return value;
  }
  [[nodiscard]] std::size_t stride() const { return width_ * channels_; }

  void read_header(std::string_view content) {
    width_ = number(content, 0);
    height_ = number(content, 4);
    const bool has_opacity = content.substr(8) == std::string_view("\x08\x06\0\0\0", 5);
    if (!has_opacity && content.substr(8) != std::string_view("\x08\x02\0\0\0", 5))
      throw std::runtime_error("no 8-bit RGB picture");
    channels_ = has_opacity ? 4 : 3;
  }

  /// PNG specification, chapter 9.
  void unfilter() {
    const std::vector<std::uint8_t> nothing(stride() + 1);
    const std::uint8_t* above = nothing.data();
    for (std::size_t row = 0; row < height_; ++row) {
      std::uint8_t* const line = rows_.data() + row * (stride() + 1);
      for (std::size_t i = 1; i <= stride(); ++i) {
        const int a = i > channels_ ? line[i - channels_] : 0;
        const int b = above[i];
        const int c = i > channels_ ? above[i - channels_] : 0;
        line[i] = static_cast<std::uint8_t>(line[i] + predicted(line[0], a, b, c));
      }
      above = line;
    }
  }

  static int predicted(int filter, int a, int b, int c) {
    switch (filter) {
      case 0: return 0;
      case 1: return a;
      case 2: return b;
      case 3: return (a + b) / 2;
      case 4: return paeth(a, b, c);
      default: throw std::runtime_error("unknown filter");
    }
  }

  static int paeth(int a, int b, int c) {
    const int near_a = std::abs(b - c);
    const int near_b = std::abs(a - c);
    const int near_c = std::abs(a + b - 2 * c);
    if (near_a <= near_b && near_a <= near_c) return a;
    return near_b <= near_c ? b : c;
  }

  std::size_t width_ = 0;
  std::size_t height_ = 0;
  std::size_t channels_ = 3;
  std::uint32_t pixels_per_metre_ = 0;
  std::vector<std::uint8_t> rows_;  // each behind the number of its filter
};

}  // namespace attnscope::test
