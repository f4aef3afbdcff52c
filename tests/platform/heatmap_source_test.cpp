// Heatmaps of sources: read by another thread, stood in for meanwhile, exact in the end.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>

#include "core/base/stop.h"
#include "drawing.h"

namespace attnscope::platform {
namespace {

std::shared_ptr<ResidentMatrix> held(const Numbers& numbers) {
  auto tensor = std::make_shared<Tensor>(Axes{{"query", numbers.rows}, {"key", numbers.columns}});
  std::copy(numbers.values.begin(), numbers.values.end(), tensor->values().begin());
  return std::make_shared<ResidentMatrix>(tensor, tensor->matrix());
}

std::shared_ptr<ResidentMatrix> with_hot_column(Index rows, Index columns, Index hot) {
  auto tensor = std::make_shared<Tensor>(Axes{{"query", rows}, {"key", columns}});
  for (Index row = 0; row < rows; ++row) tensor->values()[static_cast<std::size_t>(row * columns + hot)] = 200;
  return std::make_shared<ResidentMatrix>(tensor, tensor->matrix());
}

/// A held matrix whose reading waits until it is let go on.
class Gated final : public MatrixSource {
 public:
  explicit Gated(std::shared_ptr<const MatrixSource> source) : source_(std::move(source)) {}

  [[nodiscard]] Index rows() const override { return source_->rows(); }
  [[nodiscard]] Index columns() const override { return source_->columns(); }
  bool read(const MatrixPart& part, std::span<float> out, const StopToken& stop) const override {
    {
      std::unique_lock lock(mutex_);
      parts_.push_back(part);
      changed_.notify_all();
      while (!open_ && !stop.stop_requested()) changed_.wait_for(lock, std::chrono::milliseconds(1));
      if (!open_) return false;
    }
    return source_->read(part, out, stop);
  }
  [[nodiscard]] bool ready(const MatrixPart& /*part*/) const override { return false; }

  void set_open(bool open) {
    const std::scoped_lock lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }
  /// Until something is asked for.
  void wait_for_read() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !parts_.empty(); });
  }
  /// What was asked for since the last call.
  std::vector<MatrixPart> take_parts() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(parts_, {});
  }

 private:
  std::shared_ptr<const MatrixSource> source_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::vector<MatrixPart> parts_;
  bool open_ = true;
};

/// The same picture as from memory.
void expect_same(const Image& found, const Image& wanted) {
  int different = 0;
  for (int y = 0; y < wanted.height; ++y) {
    for (int x = 0; x < wanted.width; ++x) different += found.pixel(x, y) != wanted.pixel(x, y) ? 1 : 0;
  }
  EXPECT_EQ(different, 0);
}

TEST_F(Drawing, ASourceIsDrawnAsMemoryIs) {
  start(200, 150, {});
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1000, 1100}, {40, 3000}, {3000, 5}, {3, 2}, {700, 700}}) {
    const Numbers numbers = Numbers::random(rows, columns, 0, 255, 31);
    const std::shared_ptr<ResidentMatrix> source = held(numbers);
    for (const double zoom : {1.0, 1.7, 4.0, 23.0, 300.0}) {
      for (const int gap : {0, 1}) {
        HeatmapQuad from_memory = quad(numbers.view(), static_cast<std::uint64_t>(rows));
        from_memory.area = {-60 * zoom, -50 * zoom, 140 * zoom, 100 * zoom};
        from_memory.gap = gap;
        from_memory.gap_color = {1, 1, 1, 1};
        HeatmapQuad from_source = from_memory;
        from_source.matrix = {};
        from_source.source = source;
        expect_same(settled({from_source}), draw({from_memory}));
      }
    }
  }
}

/// How far off a stand-in may show a column: half of a texel of the overview.
bool shows_hot_column(const Image& image, double wanted_x, double slack) {
  const int y = image.height / 2;
  const int first = std::max(0, static_cast<int>(std::floor(wanted_x - slack)));
  const int last = std::min(image.width - 1, static_cast<int>(std::ceil(wanted_x + slack)));
  for (int x = first; x <= last; ++x) {
    if (near(image.pixel(x, y), pixel_of(200))) return true;
  }
  return false;
}

TEST_F(Drawing, AStandInShowsAHotColumnBeforeItsTilesArrive) {
  constexpr Index side = 4096;
  constexpr Index hot = 2741;
  start(400, 300, {});
  const auto source = std::make_shared<Gated>(with_hot_column(side, side, hot));
  settled({quad_of(source)});
  source->set_open(false);
  for (const double zoom : {1.5, 2.0, 3.0, 7.0, 16.0, 40.0, 150.0, 1000.0}) {
    for (const double share : {0.1, 0.5, 0.83}) {
      HeatmapQuad zoomed = quad_of(source);
      const double width = 400 * zoom;
      const double column = (hot + 0.5) / side * width;
      zoomed.area = {share * 400 - column, -100 * zoom, share * 400 - column + width, 200 * zoom};
      const Image image = draw({zoomed});
      EXPECT_TRUE(renderer->loading());
      EXPECT_TRUE(shows_hot_column(image, share * 400, width / 256)) << zoom << " " << share;
      for (int x = 0; x < std::min(400.0, zoomed.area.x1 - 1); x += 7)
        EXPECT_FALSE(near(image.pixel(x, 150), kBackgroundPixel)) << "blank at " << x;
    }
  }
  source->set_open(true);
}

TEST_F(Drawing, SixteenHeadsShowTheirHotColumnsWhereverTheyArePannedTo) {
  constexpr Index side = 4096;
  start(800, 500, {});
  std::vector<std::shared_ptr<const MatrixSource>> heads;
  for (Index head = 0; head < 16; ++head) heads.push_back(with_hot_column(side, side, 100 + head * 251));
  const auto quads_at = [&](double zoom, double pan_x, double pan_y) {
    std::vector<HeatmapQuad> quads;
    for (int head = 0; head < 16; ++head) {
      HeatmapQuad at = quad_of(heads[static_cast<std::size_t>(head)]);
      const double pitch = 120 * zoom;
      const double x = head % 4 * pitch - pan_x;
      const double y = head / 4 * pitch - pan_y;
      at.area = {x, y, x + 110 * zoom, y + 110 * zoom};
      quads.push_back(at);
    }
    return quads;
  };
  const auto expect_columns = [&](const Image& image, const std::vector<HeatmapQuad>& quads, double slack) {
    for (int head = 0; head < 16; ++head) {
      const PixelRect& area = quads[static_cast<std::size_t>(head)].area;
      const double hot = area.x0 + (100 + head * 251 + 0.5) / side * (area.x1 - area.x0);
      const double top = std::max(area.y0, 0.0);
      if (hot < 2 || hot > image.width - 2 || top > std::min<double>(area.y1, image.height) - 2) continue;
      const int y = static_cast<int>(top + 1);
      bool seen = false;
      for (int x = static_cast<int>(hot - slack); x <= static_cast<int>(hot + slack); ++x) {
        if (x >= 0 && x < image.width) seen = seen || near(image.pixel(x, y), pixel_of(200));
      }
      EXPECT_TRUE(seen) << "head " << head << " at " << hot << ", " << y;
    }
  };
  settled(quads_at(1, 0, 0));
  for (const double zoom : {1.0, 2.3, 6.0, 31.0, 150.0}) {
    for (int step = 0; step < 6; ++step) {
      const auto quads = quads_at(zoom, 70.0 * step * zoom, 55.0 * step * zoom);
      expect_columns(draw(quads), quads, 1 + zoom);  // whatever is there
      expect_columns(settled(quads), quads, 1 + 110 * zoom / side);
    }
  }
  EXPECT_LE(renderer->bytes(), HeatmapOptions{}.source_bytes);
}

TEST_F(Drawing, AHotCellOfALongMatrixIsSeenAtEveryZoom) {
  constexpr Index rows = 65536;
  start(64, 400, {});
  auto tensor = std::make_shared<Tensor>(Axes{{"query", rows}, {"key", 64}});
  constexpr Index hot = 41235;
  tensor->values()[hot * 64 + 63] = 200;
  const auto source = std::make_shared<ResidentMatrix>(tensor, tensor->matrix());
  for (double zoom = 1; zoom < 4000; zoom *= 2.7) {
    HeatmapQuad zoomed = quad_of(source);
    const double height = 400 * zoom;
    const double row = (hot + 0.5) / rows * height;
    zoomed.area = {0, 123 - row, 64, 123 - row + height};
    const Image image = settled({zoomed});
    EXPECT_TRUE(near(image.pixel(63, 122), pixel_of(200)) || near(image.pixel(63, 123), pixel_of(200)) ||
                near(image.pixel(63, 124), pixel_of(200)))
        << zoom;
  }
}

TEST_F(Drawing, TheGuessIsShownUntilTheMatrixWasRead) {
  const Numbers numbers(1000, 1000, 77);
  const Image first = draw({quad_of(held(numbers))});
  EXPECT_TRUE(renderer->loading());
  EXPECT_TRUE(near(first.pixel(30, 30), pixel_of(77)));
}

TEST_F(Drawing, NothingIsDrawnWithoutAGuess) {
  const auto source = std::make_shared<Gated>(held(Numbers(1000, 1000, 77)));
  source->set_open(false);
  EXPECT_TRUE(near(draw({quad_of(source)}).pixel(30, 30), kBackgroundPixel));
  source->set_open(true);
  EXPECT_TRUE(near(settled({quad_of(source)}).pixel(30, 30), pixel_of(77)));
}

TEST_F(Drawing, IdleFramesReadAndSendNothing) {
  std::atomic<int> wakes = 0;
  start(64, 64, {.arrived = [&] { ++wakes; }});
  const auto source = std::make_shared<Gated>(held(Numbers(2000, 2000, 5)));
  HeatmapQuad zoomed = quad_of(source);
  zoomed.area = {-500, -500, 500, 500};
  settled({zoomed});
  EXPECT_GE(wakes, 1);
  const std::uint64_t uploads = renderer->uploads();
  const int woken = wakes;
  source->take_parts();
  for (int i = 0; i < 20; ++i) draw({zoomed});
  EXPECT_EQ(renderer->uploads(), uploads);
  EXPECT_EQ(wakes, woken);
  EXPECT_TRUE(source->take_parts().empty());
  EXPECT_EQ(renderer->upload_seconds(), 0);
}

TEST_F(Drawing, WhatIsOutOfSightIsNotRead) {
  const auto source = std::make_shared<Gated>(held(Numbers(4096, 4096, 5)));
  settled({quad_of(source)});
  source->set_open(false);
  source->take_parts();
  HeatmapQuad zoomed = quad_of(source);
  const auto look_at = [&](double x, double y) { zoomed.area = {-x, -y, 4096 - x, 4096 - y}; };
  look_at(100, 100);
  draw({zoomed});
  source->wait_for_read();
  look_at(3000, 3000);
  draw({zoomed});
  source->take_parts();
  source->set_open(true);
  settled({zoomed});
  for (const MatrixPart& part : source->take_parts()) EXPECT_GT(part.first_row, 2000);
}

TEST_F(Drawing, SendingKeepsToItsTimeInAFrame) {
  start(512, 512, {.source_tile_side = 64, .upload_seconds = 0});
  const auto source = held(Numbers::random(2000, 2000, 0, 255, 33));
  const HeatmapQuad whole = quad_of(source);
  std::uint64_t before = renderer->uploads();
  for (int i = 0; i < 3; ++i) draw({whole});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  while (renderer->loading()) {
    before = renderer->uploads();
    draw({whole});
    // One tile, and perhaps the overview made anew.
    EXPECT_LE(renderer->uploads(), before + 2);
  }
  EXPECT_GT(renderer->textures(), 80U);
}

TEST_F(Drawing, MemoryForTilesOfSourcesIsLimited) {
  constexpr std::size_t limit = std::size_t{3} << 20U;
  start(256, 256, {.source_bytes = limit});
  const auto source = std::shared_ptr<const MatrixSource>(held(Numbers::random(4096, 4096, 0, 255, 34)));
  HeatmapQuad zoomed = quad_of(source);
  for (int step = 0; step < 12; ++step) {
    const double at = 300.0 * step;
    zoomed.area = {-at, -at, 4096 - at, 4096 - at};
    settled({zoomed});
    EXPECT_LE(renderer->bytes(), limit);
  }
  // Where one was last is still there.
  const std::uint64_t uploads = renderer->uploads();
  draw({});
  draw({zoomed});
  EXPECT_EQ(renderer->uploads(), uploads);
}

TEST_F(Drawing, AMatrixThatIsGoneTakesItsTexturesAlong) {
  auto source = std::shared_ptr<const MatrixSource>(held(Numbers(2000, 2000, 5)));
  settled({quad_of(source)});
  EXPECT_GT(renderer->textures(), 0U);
  const std::weak_ptr<const MatrixSource> watched = source;
  source.reset();
  EXPECT_TRUE(watched.expired()) << "nobody but its owner keeps a matrix";
  draw({});
  EXPECT_EQ(renderer->textures(), 0U);
  EXPECT_EQ(renderer->bytes(), 0U);
}

TEST_F(Drawing, TheRendererEndsWhileAMatrixIsRead) {
  const auto source = std::make_shared<Gated>(held(Numbers(2000, 2000, 5)));
  source->set_open(false);
  draw({quad_of(source)});
  renderer.reset();
}

}  // namespace
}  // namespace attnscope::platform
