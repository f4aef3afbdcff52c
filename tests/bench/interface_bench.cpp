// A frame of the window that shows the heads: sliders and twenty heatmaps, at rest and while a slider is dragged. Drawn
// by Mesa's software renderer, the slowest there is, with its threads, until the last pixel is there.
#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <span>

#include "offscreen/offscreen_interface.h"
#include "ui/imgui/imgui_compat.h"

namespace attnscope::test {
namespace {

using Clock = std::chrono::steady_clock;

InterfaceOptions as_in_a_window() {
  InterfaceOptions options;
  options.renderer_threads = true;
  return options;
}

InterfaceOptions many_heads() {
  InterfaceOptions options = as_in_a_window();
  options.width = 1280;
  options.height = 800;
  Experiment experiment = *default_experiment("worked-example");
  experiment.parameters["heads"] = Index{10};
  experiment.view.name = "heads";
  options.experiment = experiment;
  return options;
}

/// Frames, each after `before_frame`; counts how much of the time for one they take, how many heatmaps there are, and
/// what is built and sent to the graphics card for a frame.
template <typename BeforeFrame>
void frames(benchmark::State& state, OffscreenInterface& screen, const BeforeFrame& before_frame) {
  const std::uint64_t uploads = screen.workbench().shown_figure().heatmaps().uploads();
  const std::uint64_t figures = screen.workbench().shown_figure().built();
  const auto start = Clock::now();
  for (auto _ : state) {
    before_frame();
    screen.frame();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const auto count = static_cast<double>(state.iterations());
  state.SetItemsProcessed(state.iterations());
  state.counters["of_a_60th_second"] = seconds / count * 60;
  state.counters["heatmaps"] = static_cast<double>(screen.workbench().shown_figure().figure().heatmaps.size());
  state.counters["uploads"] =
      static_cast<double>(screen.workbench().shown_figure().heatmaps().uploads() - uploads) / count;
  state.counters["figures"] = static_cast<double>(screen.workbench().shown_figure().built() - figures) / count;
}

void frame_at_rest(benchmark::State& state, bool drawn) {
  OffscreenInterface screen(many_heads());
  screen.set_drawn(drawn);
  screen.frame(3);
  frames(state, screen, [] {});
}
BENCHMARK_CAPTURE(frame_at_rest, drawn, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(frame_at_rest, not_drawn, false)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Every frame has another experiment; what is computed meanwhile is shown in the next.
void frame_while_dragging(benchmark::State& state, bool drawn) {
  OffscreenInterface screen(many_heads());
  screen.set_drawn(drawn);
  const Rect slider = screen.slider("Tokens");
  const auto at = [&](Index step) {
    return Point{slider.x + (0.3 + 0.075 * static_cast<double>(step % 6)) * slider.width, slider.center().y};
  };
  screen.drag(at(0), at(1));
  Index step = 0;
  frames(state, screen, [&] {
    const Point to = at(++step);
    ui::feed_mouse_position(static_cast<float>(to.x), static_cast<float>(to.y));
  });
  screen.release();
}
BENCHMARK_CAPTURE(frame_while_dragging, drawn, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(frame_while_dragging, not_drawn, false)->Unit(benchmark::kMillisecond)->UseRealTime();

/// A slider dragged to and fro between `places` (0 to 1 across it) until each change is on the screen, that of a slow
/// view included, which is built beside. Returns the seconds it took.
double updates(benchmark::State& state, OffscreenInterface& screen, const char* label, std::span<const double> places) {
  const Rect slider = screen.slider(label);
  std::size_t step = 0;
  const auto next = [&] { return Point{slider.x + places[step++ % places.size()] * slider.width, slider.center().y}; };
  const Point from = next();
  screen.drag(from, next());
  screen.settle();
  const auto start = Clock::now();
  for (auto _ : state) {
    const Trace* const before = &screen.trace();
    const Point to = next();
    ui::feed_mouse_position(static_cast<float>(to.x), static_cast<float>(to.y));
    // Small experiments are computed while the frame that asks for them is drawn.
    do screen.frame();
    while (&screen.trace() == before || screen.workbench().busy());
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  screen.release();
  return seconds;
}

/// From one changed parameter to the picture of the four heads that shows it: computed, built, sent and drawn.
void slider_to_picture(benchmark::State& state) {
  InterfaceOptions options = as_in_a_window();
  options.experiment = *default_experiment("worked-example");
  options.experiment->view.name = "heads";
  OffscreenInterface screen(options);
  updates(state, screen, "Tokens", std::array{0.4, 0.6});
}
BENCHMARK(slider_to_picture)->Unit(benchmark::kMillisecond)->UseRealTime();

/// A view of 64 tokens and 8 heads, or of as many pixels.
InterfaceOptions large_view(const std::string& view) {
  InterfaceOptions options = as_in_a_window();
  options.width = 1280;
  options.height = 800;
  const bool pixels = view == "image";
  Experiment experiment = *default_experiment(pixels ? "image-multihead" : "stacked-multihead");
  experiment.parameters["heads"] = Index{8};
  if (pixels) {
    experiment.parameters["height"] = experiment.parameters["width"] = Index{8};
    experiment.parameters["batch"] = Index{1};
  } else {
    experiment.parameters["tokens"] = Index{64};
  }
  experiment.view.name = view;
  options.experiment = experiment;
  return options;
}

/// From a changed parameter to the picture that shows it, that of a slow view included, which is built beside.
void updates_of_view(benchmark::State& state, const std::string& view) {
  OffscreenInterface screen(large_view(view));
  const double seconds = updates(state, screen, "Temperature", std::array{0.5, 0.53, 0.56, 0.59});
  state.counters["of_60_a_second"] = static_cast<double>(state.iterations()) / seconds / 60;
}

/// A slider that moves with every frame: how many other pictures are shown in a second. A slow view's is built while
/// the one before is drawn.
void dragged_view(benchmark::State& state, const std::string& view) {
  OffscreenInterface screen(large_view(view));
  const Rect slider = screen.slider("Temperature");
  std::size_t step = 0;
  const auto next = [&] {
    return Point{slider.x + (0.5 + 0.03 * static_cast<double>(step++ % 4)) * slider.width, slider.center().y};
  };
  const Point from = next();
  screen.drag(from, next());
  screen.settle();
  const std::uint64_t before = screen.workbench().shown_figure().built();
  const auto start = Clock::now();
  for (auto _ : state) {
    const Point to = next();
    ui::feed_mouse_position(static_cast<float>(to.x), static_cast<float>(to.y));
    screen.frame();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  screen.release();
  const auto shown = static_cast<double>(screen.workbench().shown_figure().built() - before);
  state.counters["of_60_a_second"] = shown / seconds / 60;
}

const bool registered = [] {
  for (const View& view : views()) {
    benchmark::RegisterBenchmark(("updates_of_view/" + view.name).c_str(), updates_of_view, view.name)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
    benchmark::RegisterBenchmark(("dragged_view/" + view.name).c_str(), dragged_view, view.name)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
  return true;
}();

}  // namespace
}  // namespace attnscope::test
