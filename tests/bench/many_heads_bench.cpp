// What a frame takes of the window's thread with very many heads, layers or tokens, the graphics left aside: the
// longest of those in which somebody opens them, turns pages, changes the view, drags a slider, points at cells and
// types labels.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/imported/imported_layers.h"
#include "offscreen/offscreen_interface.h"
#include "support/imported_tensors.h"
#include "support/many_heads.h"
#include "ui/imgui/imgui_compat.h"

namespace attnscope::test {
namespace {

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Frames of which the longest is kept; they are not drawn.
class Frames {
 public:
  explicit Frames(OffscreenInterface& screen) : screen_(screen) { screen.set_drawn(false); }

  void one() {
    const double start = thread_seconds();
    screen_.frame();
    longest_ = std::max(longest_, thread_seconds() - start);
  }
  /// Until nothing is computed or built any more.
  void settle() {
    do one();
    while (screen_.workbench().busy() || screen_.workbench().animating());
    for (int i = 0; i < 3; ++i) one();
  }
  [[nodiscard]] double longest() const { return longest_; }

 private:
  OffscreenInterface& screen_;
  double longest_ = 0;
};

void report(benchmark::State& state, const Frames& frames, const OffscreenInterface& screen) {
  state.counters["longest_frame_ms"] = frames.longest() * 1000;
  state.counters["labels"] = static_cast<double>(screen.experiment().labels.size());
}

struct Size {
  std::vector<int> shape;
  int labels = 0;
};

InterfaceOptions as_usual() {
  InterfaceOptions options;
  options.width = 1280;
  options.height = 800;
  options.patience = std::chrono::milliseconds(8);
  return options;
}

std::unique_ptr<OffscreenInterface> open(const TemporaryFolder& folder, const Size& size) {
  auto screen = std::make_unique<OffscreenInterface>(as_usual());
  screen->workbench().open_files({weights_file(folder, size.shape).string()});
  screen->settle();
  if (size.labels == 0) return screen;
  std::string words;
  for (int i = 0; i < size.labels; ++i) words += "word" + std::to_string(i) + "\n";
  screen->workbench().open_files({folder.file("tokens.txt", words).string()});
  screen->settle();
  return screen;
}

void frame_at_rest(benchmark::State& state, const Size& size) {
  const TemporaryFolder folder;
  const auto screen = open(folder, size);
  screen->set_drawn(false);
  screen->move(screen->picture_place().center());
  for (auto _ : state) screen->frame();
  state.counters["marks"] = static_cast<double>(mark_count(screen->workbench().shown_figure().figure()));
}

void turn_pages(benchmark::State& state, const Size& size) {
  const TemporaryFolder folder;
  const auto screen = open(folder, size);
  Frames frames(*screen);
  const Rect slider = screen->item("Figure", {std::string("##page")});
  screen->drag({slider.x + 4, slider.center().y}, {slider.x + 8, slider.center().y}, 1);
  double share = 0;
  for (auto _ : state) {
    share = share > 0.9 ? 0.1 : share + 0.013;
    ui::feed_mouse_position(static_cast<float>(slider.x + slider.width * share), static_cast<float>(slider.center().y));
    frames.one();
  }
  screen->release();
  report(state, frames, *screen);
}

void change_views(benchmark::State& state, const Size& size) {
  const TemporaryFolder folder;
  const auto screen = open(folder, size);
  Frames frames(*screen);
  for (auto _ : state) {
    for (std::size_t i = 0; i < views().size(); ++i) {
      screen->workbench().press({platform::KeyPress::kPageDown, true, false});
      frames.settle();
    }
  }
  report(state, frames, *screen);
}

void point_at_cells(benchmark::State& state, const Size& size) {
  const TemporaryFolder folder;
  const auto screen = open(folder, size);
  Frames frames(*screen);
  const Rect place = screen->picture_place();
  double share = 0;
  for (auto _ : state) {
    share = share > 0.9 ? 0.1 : share + 0.0037;
    ui::feed_mouse_position(static_cast<float>(place.x + place.width * share),
                            static_cast<float>(place.y + place.height * (0.2 + share / 2)));
    frames.one();
  }
  report(state, frames, *screen);
}

void type_labels(benchmark::State& state, const Size& size) {
  const TemporaryFolder folder;
  const auto screen = open(folder, size);
  Frames frames(*screen);
  screen->click_item("Parameters", {std::string("##labels")});
  for (auto _ : state) {
    ImGui::GetIO().AddInputCharacter('a');
    frames.one();
    frames.one();
  }
  report(state, frames, *screen);
}

void drag_temperature(benchmark::State& state) {
  InterfaceOptions options = as_usual();
  Experiment experiment = *experiment_on(made({{"q", {100000, 4, 4}}, {"k", {100000, 4, 4}}, {"v", {100000, 4, 4}}}));
  experiment.parameters["axes"] = std::string("head token dim");
  experiment.view.name = "heads";
  options.experiment = experiment;
  OffscreenInterface screen(options);
  Frames frames(screen);
  const Rect slider = screen.slider("Temperature");
  screen.drag({slider.x + 20, slider.center().y}, {slider.x + 24, slider.center().y}, 1);
  double share = 0;
  for (auto _ : state) {
    share = share > 0.9 ? 0.1 : share + 0.013;
    ui::feed_mouse_position(static_cast<float>(slider.x + slider.width * share), static_cast<float>(slider.center().y));
    frames.one();
  }
  screen.release();
  report(state, frames, screen);
}
BENCHMARK(drag_temperature)->Unit(benchmark::kMillisecond)->UseRealTime();

const bool registered_sizes = [] {
  const std::vector<std::pair<std::string, Size>> sizes = {{"100000_heads", {{100000, 4, 4}, 4}},
                                                           {"48_layers_of_64_heads", {{48, 64, 12, 12}, 12}},
                                                           {"4000_tokens", {{1, 4000, 4000}, 4000}},
                                                           {"32000_labels", {{4, 64, 64}, 32000}}};
  using Scene = void (*)(benchmark::State&, const Size&);
  const std::vector<std::pair<std::string, Scene>> scenes = {{"frame_at_rest", frame_at_rest},
                                                             {"change_views", change_views},
                                                             {"point_at_cells", point_at_cells},
                                                             {"type_labels", type_labels}};
  for (const auto& [name, size] : sizes) {
    for (const auto& [what, scene] : scenes)
      benchmark::RegisterBenchmark((what + "/" + name).c_str(), scene, size)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
  }
  benchmark::RegisterBenchmark("turn_pages/100000_heads", turn_pages, Size{{100000, 4, 4}, 0})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  return true;
}();

}  // namespace
}  // namespace attnscope::test
