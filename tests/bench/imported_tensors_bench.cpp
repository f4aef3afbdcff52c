// Attention that another program computed, 12 layers of 12 heads over 512 tokens: how soon it is there, and what the
// frames take in which somebody explores it. Drawn by Mesa's software renderer, until the last pixel is there.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "offscreen/offscreen_interface.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr int kLayers = 12;
constexpr int kHeads = 12;
constexpr int kTokens = 512;

/// 151 MB of rows that sum to 1, as safetensors.
std::filesystem::path attention_file(const TemporaryFolder& folder) {
  const auto count = static_cast<std::size_t>(kLayers * kHeads * kTokens) * kTokens;
  std::string header = "{\"attentions\":{\"dtype\":\"F32\",\"shape\":[12,12,512,512],\"data_offsets\":[0," +
                       std::to_string(count * sizeof(float)) + "]}}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const auto path = folder.file("attentions.safetensors", "");
  std::ofstream file(path, std::ios::binary);
  std::string length(8, '\0');
  length[0] = static_cast<char>(header.size());
  file << length << header;
  std::minstd_rand random(1);
  std::vector<float> row(kTokens);
  for (std::size_t i = 0; i < count / kTokens; ++i) {
    float sum = 0;
    for (float& each : row) {
      const float share = static_cast<float>(random()) / 2147483647.0F;
      each = share * share * share * share;
      sum += each;
    }
    for (float& each : row) each /= sum;
    file.write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(row.size() * sizeof(float)));
  }
  return path;
}

/// From the file's name to the last pixel of all 144 heads.
void open_imported_tensors(benchmark::State& state) {
  const TemporaryFolder folder;
  const std::string path = attention_file(folder).string();
  InterfaceOptions options;
  options.width = 1280;
  options.height = 800;
  double seconds = 0;
  for (auto _ : state) {
    OffscreenInterface screen(options);
    const auto start = Clock::now();
    screen.workbench().open_files({path});
    screen.settle();
    const double taken = seconds_since(start);
    seconds += taken;
    state.SetIterationTime(taken);
  }
  state.counters["of_a_second"] = seconds / static_cast<double>(state.iterations());
}
BENCHMARK(open_imported_tensors)->Unit(benchmark::kMillisecond)->UseManualTime();

/// What people do with it, one after the other; of every doing the frames for half a second are drawn. What is built or
/// read meanwhile is shown in the frame in which it comes.
void explore_imported_tensors(benchmark::State& state) {
  const TemporaryFolder folder;
  InterfaceOptions options;
  options.width = 1280;
  options.height = 800;
  OffscreenInterface screen(options);
  screen.workbench().open_files({attention_file(folder).string()});
  screen.settle();
  const auto view = [&](const char* name) { screen.click_item("Views", {std::string(name)}); };
  const auto middle = [&] { return screen.picture_place().center(); };
  struct Doing {
    const char* name;
    std::function<void()> act;
  };
  const std::vector<Doing> doings = {
      {"hover", [&] { screen.move(screen.cell_center(70, 100, 200)); }},
      {"zoom", [&] { screen.wheel(3); }},
      {"pan",
       [&] {
         screen.drag(middle(), {middle().x + 90, middle().y + 60}, 12);
       }},
      {"let_go", [&] { screen.release(); }},
      {"head", [&] { view("head"); }},
      {"next_head", [&] { screen.key('2'); }},
      {"other_head", [&] { screen.key('7'); }},
      {"lines", [&] { view("lines"); }},
      {"compare", [&] { view("compare"); }},
      {"metrics", [&] { view("metrics"); }},
      {"heads", [&] { view("heads"); }},
  };
  double slowest = 0;
  double total = 0;
  double frames = 0;
  std::map<std::string, double> slowest_of;
  for (auto _ : state) {
    for (const Doing& doing : doings) {
      // The search for a tab is the test's own; the frames after it are what the user sees.
      screen.set_drawn(false);
      doing.act();
      screen.set_drawn(true);
      const auto begin = Clock::now();
      while (seconds_since(begin) < 0.5) {
        const auto start = Clock::now();
        screen.frame();
        const double taken = seconds_since(start);
        slowest_of[doing.name] = std::max(slowest_of[doing.name], taken);
        slowest = std::max(slowest, taken);
        total += taken;
        ++frames;
      }
    }
    screen.settle();
  }
  state.counters["of_a_60th_second"] = total / frames * 60;
  state.counters["slowest_of_a_60th"] = slowest * 60;
  for (const auto& [name, seconds] : slowest_of) state.counters["slowest_" + name] = seconds * 60;
}
BENCHMARK(explore_imported_tensors)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace attnscope::test
