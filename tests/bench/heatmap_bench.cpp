// Heatmaps of large matrices: 16 heads of 4096 × 4096 numbers each, a gigabyte, panned and zoomed. Drawn by Mesa's
// software renderer, until the last pixel is there.
#include <benchmark/benchmark.h>
#include <glad/gl.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/matrix/matrix_source.h"
#include "offscreen/offscreen.h"
#include "platform/heatmap/heatmap.h"

namespace attnscope::test {
namespace {

using Clock = std::chrono::steady_clock;
using Source = std::shared_ptr<const MatrixSource>;

constexpr Index kHeads = 16;
constexpr Index kSide = 4096;
constexpr int kWidth = 1280;
constexpr int kHeight = 800;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<Source> sixteen_heads() {
  const auto tensor = std::make_shared<Tensor>(Axes{{"head", kHeads}, {"query", kSide}, {"key", kSide}});
  std::uint32_t state = 1;
  for (float& value : tensor->values()) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<float>(state >> 8U) * 0x1p-24F;
  }
  std::vector<Source> heads;
  for (Index head = 0; head < kHeads; ++head) {
    heads.push_back(std::make_shared<ResidentMatrix>(tensor, tensor->matrix(std::vector<Index>{head})));
  }
  return heads;
}

/// A framebuffer with the sixteen heads in four rows.
class Screen {
 public:
  explicit Screen(std::vector<Source> heads) : heads_(std::move(heads)) {
    setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    Result<platform::OffscreenContext> context = platform::OffscreenContext::create(kWidth, kHeight);
    if (!context) throw std::runtime_error(context.error().message);
    context_ = std::move(*context);
    Result<platform::HeatmapRenderer> renderer =
        platform::HeatmapRenderer::create(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "shaders");
    if (!renderer) throw std::runtime_error(renderer.error().message);
    renderer_ = std::move(*renderer);
    for (std::size_t i = 0; i < colors_.size(); ++i) colors_[i] = {static_cast<std::uint8_t>(i), 0, 0};
  }

  /// One frame; `x` and `y` are the point of the sheet of heads, in its own pixels, at the top left.
  void draw(double zoom, double x, double y, bool quick = false) {
    std::vector<platform::HeatmapQuad> quads;
    for (std::size_t head = 0; head < heads_.size(); ++head) {
      platform::HeatmapQuad quad;
      quad.source = heads_[head];
      const double left = (static_cast<double>(head % 4) * kWidth / 4 - x) * zoom;
      const double top = (static_cast<double>(head / 4) * kHeight / 4 - y) * zoom;
      quad.area = {left, top, left + (kWidth / 4 - 10) * zoom, top + (kHeight / 4 - 10) * zoom};
      quad.clip = {0, 0, kWidth, kHeight};
      quad.colors = &colors_;
      quad.quick = quick;
      quads.push_back(quad);
    }
    context_->clear({0, 0, 0, 1});
    renderer_->begin_frame();
    renderer_->draw(quads, kWidth, kHeight);
    glFinish();
    renderer_->end_frame();
  }

  double settle(double zoom, double x, double y) {
    const auto start = Clock::now();
    for (draw(zoom, x, y); renderer_->loading(); draw(zoom, x, y))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return seconds_since(start);
  }

  [[nodiscard]] const platform::HeatmapRenderer& renderer() const { return *renderer_; }

 private:
  std::vector<Source> heads_;
  std::optional<platform::OffscreenContext> context_;
  std::optional<platform::HeatmapRenderer> renderer_;
  platform::ColorLut colors_{};
};

/// From nothing to the exact picture of all heads.
void first_picture(benchmark::State& state) {
  double seconds = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Screen screen(sixteen_heads());
    state.ResumeTiming();
    seconds += screen.settle(1, 0, 0);
  }
  state.counters["GB_per_s"] = static_cast<double>(state.iterations()) * kHeads * kSide * kSide * 4 / 1e9 / seconds;
}
BENCHMARK(first_picture)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

/// Frames of a pan across all heads, eight pixels further each time, at that zoom.
void pan(benchmark::State& state) {
  Screen screen(sixteen_heads());
  screen.settle(1, 0, 0);
  const auto zoom = static_cast<double>(state.range(0));
  const std::uint64_t uploads = screen.renderer().uploads();
  double slowest = 0;
  double sending = 0;
  double incomplete = 0;
  Index step = 0;
  const auto start = Clock::now();
  for (auto _ : state) {
    const double share = std::abs(static_cast<double>(++step % 400) / 200 - 1);
    const auto frame = Clock::now();
    screen.draw(zoom, share * kWidth * (1 - 1 / zoom), share * kHeight * (1 - 1 / zoom), true);
    slowest = std::max(slowest, seconds_since(frame));
    sending += screen.renderer().upload_seconds();
    incomplete += screen.renderer().loading() ? 1 : 0;
  }
  const auto count = static_cast<double>(state.iterations());
  state.counters["of_a_60th_second"] = seconds_since(start) / count * 60;
  state.counters["slowest_of_a_60th"] = slowest * 60;
  state.counters["uploads"] = static_cast<double>(screen.renderer().uploads() - uploads) / count;
  state.counters["upload_ms"] = sending / count * 1e3;
  state.counters["with_stand_ins"] = incomplete / count;
}
BENCHMARK(pan)->Arg(1)->Arg(2)->Arg(4)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace attnscope::test
