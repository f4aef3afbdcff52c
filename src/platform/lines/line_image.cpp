#include "platform/lines/line_image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/base/thread_pool.h"

namespace attnscope::platform {
namespace {

/// A line, prepared for drawing column by column.
struct RisingLine {
  float x0, x1;
  float y;        ///< at x = 0
  float rise;     ///< per column
  float across;   ///< factor from vertical distance to distance across the line
  float reach;    ///< vertical distance from the middle to the edge
  float edge;     ///< distance across the line from the middle to the edge
  float largest;  ///< maximum coverage of a pixel
  float alpha;
};

/// Consecutive lines of the same colour. The transmittance of the run is the product of the transmittances of its
/// lines, and its colour is blended only once.
struct Run {
  Rgba color;
  std::vector<RisingLine> lines;
};

RisingLine rising_line(const TranslucentLine& line, const PixelArea& area) {
  const float rise = (line.y1 - line.y0) / (line.x1 - line.x0);
  const float steepness = std::sqrt(1 + rise * rise);
  const auto left = static_cast<float>(area.x);
  const float edge = line.width / 2 + 0.5F;
  return {line.x0 - left,
          line.x1 - left,
          line.y0 - static_cast<float>(area.y) - rise * (line.x0 - left),
          rise,
          1 / steepness,
          edge * steepness,
          edge,
          std::min(1.0F, line.width),
          line.color[3]};
}

std::vector<Run> runs_of(std::span<const TranslucentLine> lines, const PixelArea& area) {
  std::vector<Run> runs;
  for (const TranslucentLine& line : lines) {
    if (!(line.color[3] > 0 && line.width > 0 && line.x0 < line.x1)) continue;
    const RisingLine rising = rising_line(line, area);
    if (!std::isfinite(rising.y) || !std::isfinite(rising.reach)) continue;
    if (runs.empty() || !std::equal(line.color.begin(), line.color.end() - 1, runs.back().color.begin()))
      runs.push_back({line.color, {}});
    runs.back().lines.push_back(rising);
  }
  return runs;
}

/// Four vertically adjacent pixels.
using Four __attribute__((vector_size(16))) = float;

Four four_at(const float* numbers) {
  Four four;
  std::memcpy(&four, numbers, sizeof four);
  return four;
}

void put(const Four& four, float* numbers) { std::memcpy(numbers, &four, sizeof four); }

/// One column of pixels, processed in groups of four rows, with padding above and below.
class Column {
 public:
  explicit Column(std::size_t rows) : rows_(static_cast<int>(rows)), left_(rows + kBoth, 1.0F) {
    for (std::vector<float>& channel : channels_) channel.resize(rows + kBoth);
  }

  void clear() {
    for (std::vector<float>& channel : channels_) std::fill(channel.begin(), channel.end(), 0.0F);
  }

  void add(const Run& run, float column) {
    first_ = rows_ + kBeside;
    end_ = 0;
    for (const RisingLine& line : run.lines) dim(line, column);
    for (int row = first_; row < end_; row += 4) {
      const Four left = four_at(&left_[at(row)]);
      put(Four{1, 1, 1, 1}, &left_[at(row)]);
      for (std::size_t i = 0; i < 4; ++i) {
        float* const channel = &channels_[i][at(row)];
        const float color = i < 3 ? run.color[i] : 1;
        put(four_at(channel) * left + color * (1 - left), channel);
      }
    }
  }

  /// The pixel's red, green, blue and alpha, 0 to 255, plus ½: truncation then rounds.
  [[nodiscard]] Rgba bytes(std::size_t row) const {
    Rgba pixel;
    for (std::size_t i = 0; i < 4; ++i) pixel[i] = channels_[i][row + kBeside];
    if (pixel[3] <= 0) return {};
    const float share = 255 / pixel[3];
    for (std::size_t i = 0; i < 3; ++i) pixel[i] = std::min(255.0F, pixel[i] * share) + 0.5F;
    pixel[3] = pixel[3] * 255 + 0.5F;
    return pixel;
  }

 private:
  static constexpr int kBeside = 4;
  static constexpr std::size_t kBoth = 8;  ///< padding above and below

  static std::size_t at(int row) { return static_cast<std::size_t>(row); }

  /// The transmittance of the line.
  void dim(const RisingLine& line, float column) {
    const float along = std::min(column + 1, line.x1) - std::max(column, line.x0);
    if (along <= 0) return;
    // Counts from the first padding row. Pixel centres are at half-integers.
    const float middle = line.y + line.rise * (column + 0.5F) + kBeside;
    const float top = std::max(middle - line.reach - 0.5F, 0.0F);
    const float bottom = std::min(middle + line.reach + 0.5F, static_cast<float>(rows_ + kBeside));
    if (!(top < bottom)) return;
    const auto first = static_cast<int>(top);
    const auto end = static_cast<int>(bottom);
    const Four nothing = {};
    const Four largest = nothing + line.largest;
    const float alpha = line.alpha * along;
    for (int row = first; row < end; row += 4) {
      const Four below = Four{0.5F, 1.5F, 2.5F, 3.5F} + (static_cast<float>(row) - middle);
      const Four distance = (below < 0 ? -below : below) * line.across;
      Four cover = line.edge - distance;
      cover = cover < 0 ? nothing : cover;
      cover = cover > largest ? largest : cover;
      float* const left = &left_[at(row)];
      put(four_at(left) * (1 - cover * alpha), left);
    }
    first_ = std::min(first_, first);
    end_ = std::max(end_, end);
  }

  int rows_;
  std::vector<float> left_;                       ///< transmittance of the current run
  std::array<std::vector<float>, 4> channels_{};  ///< red, green, blue, alpha; premultiplied
  int first_ = 0;                                 ///< first row that the run touches
  int end_ = 0;
};

}  // namespace

Image draw_lines(std::span<const TranslucentLine> lines, const PixelArea& area, ThreadPool* pool) {
  Image image = {std::max(area.width, 0), std::max(area.height, 0), {}};
  const auto width = static_cast<std::size_t>(image.width);
  const auto height = static_cast<std::size_t>(image.height);
  image.rgba.resize(4 * width * height);
  const std::vector<Run> runs = runs_of(lines, area);
  // A few columns at a time keep the written rows in the cache.
  constexpr std::size_t kColumns = 16;
  const std::size_t blocks = (width + kColumns - 1) / kColumns;
  const double work = 20.0 * static_cast<double>(width) * static_cast<double>(lines.size() + height);
  run_blocks(pool, work, static_cast<Index>(blocks), [&](Index block) {
    Column column(height);
    const std::size_t first = static_cast<std::size_t>(block) * kColumns;
    for (std::size_t x = first; x < std::min(first + kColumns, width); ++x) {
      column.clear();
      for (const Run& run : runs) column.add(run, static_cast<float>(x));
      for (std::size_t y = 0; y < height; ++y) {
        const Rgba pixel = column.bytes(y);
        std::uint8_t* const bytes = &image.rgba[4 * (y * width + x)];
        for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(pixel[i]);
      }
    }
  });
  return image;
}

}  // namespace attnscope::platform
