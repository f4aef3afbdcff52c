// A frame of the window that shows the heads: sliders and twenty heatmaps, at rest and while a slider is dragged. Drawn
// by Mesa's software renderer, the slowest there is, until the last pixel is there.
#include <benchmark/benchmark.h>

#include "offscreen/offscreen_interface.h"

namespace attnscope::test {
namespace {

// What a frame may take on a screen that shows sixty a second.
constexpr double kFrameBudget = 1.0 / 60;

InterfaceOptions many_heads() {
  InterfaceOptions options;
  options.width = 1280;
  options.height = 800;
  Experiment experiment = *default_experiment("worked-example");
  experiment.parameters["heads"] = Index{10};
  experiment.view.name = "heads";
  options.experiment = experiment;
  return options;
}

/// The share of the time that a frame may take, the number of heatmaps in it, and what was sent to the graphics card.
void count(benchmark::State& state, OffscreenInterface& screen, std::uint64_t uploads, std::uint64_t figures) {
  state.SetItemsProcessed(state.iterations());
  const auto iterations = static_cast<double>(state.iterations());
  state.counters["of_a_60th_second"] =
      benchmark::Counter(kFrameBudget, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["heatmaps"] = static_cast<double>(screen.workbench().figure().heatmaps.size());
  state.counters["uploads"] = static_cast<double>(screen.workbench().heatmaps().uploads() - uploads) / iterations;
  state.counters["figures"] = static_cast<double>(screen.workbench().figures_built() - figures) / iterations;
}

void frame_at_rest(benchmark::State& state, bool drawn) {
  OffscreenInterface screen(many_heads());
  screen.set_drawn(drawn);
  screen.frame(3);
  const std::uint64_t uploads = screen.workbench().heatmaps().uploads();
  const std::uint64_t figures = screen.workbench().figures_built();
  for (auto _ : state) screen.frame();
  count(state, screen, uploads, figures);
}
BENCHMARK_CAPTURE(frame_at_rest, drawn, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(frame_at_rest, not_drawn, false)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Every frame has another experiment; what is computed meanwhile is shown in the next.
void frame_while_dragging(benchmark::State& state, bool drawn) {
  OffscreenInterface screen(many_heads());
  screen.set_drawn(drawn);
  const Rect slider = screen.slider("Tokens");
  const auto at = [&](double share) { return Point{slider.x + share * slider.width, slider.center().y}; };
  screen.drag(at(0.4), at(0.5));
  const std::uint64_t uploads = screen.workbench().heatmaps().uploads();
  const std::uint64_t figures = screen.workbench().figures_built();
  Index step = 0;
  for (auto _ : state) screen.move(at(0.3 + 0.075 * static_cast<double>(step++ % 6)));
  count(state, screen, uploads, figures);
  screen.release();
}
BENCHMARK_CAPTURE(frame_while_dragging, drawn, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(frame_while_dragging, not_drawn, false)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace attnscope::test
