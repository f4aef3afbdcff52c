// A frame of the window: heads with sixteen and more heatmaps, at rest and while a slider is dragged. Drawn by Mesa's
// software renderer, the slowest there is.
#include <benchmark/benchmark.h>

#include "io/experiment_file.h"
#include "offscreen/offscreen_interface.h"

namespace attnscope::test {
namespace {

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

/// Nothing but the interface of it: what the processor does before anything is drawn.
void frame_at_rest(benchmark::State& state, bool drawn) {
  OffscreenInterface screen(many_heads());
  screen.set_drawn(drawn);
  screen.frame(3);
  const std::uint64_t uploads = screen.workbench().heatmaps().uploads();
  for (auto _ : state) {
    screen.frame();
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["heatmaps"] = static_cast<double>(screen.workbench().figure().heatmaps.size());
  state.counters["uploads"] = static_cast<double>(screen.workbench().heatmaps().uploads() - uploads);
}
BENCHMARK_CAPTURE(frame_at_rest, drawn, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(frame_at_rest, not_drawn, false)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace attnscope::test
