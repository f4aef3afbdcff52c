#include "core/studies/attention_timing.h"

#include <chrono>

#include "core/base/stop.h"
#include "core/studies/benchmark.h"

namespace attnscope {

std::vector<AttentionTime> time_attention(Index dim, double budget, const StopToken& stop) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
  };
  // Twice the tokens have four times the scores; each length runs several times.
  constexpr double kGrowth = 4;
  constexpr double kRuns = 5;
  constexpr double kShare = 0.04;  // share of the budget for each length
  std::vector<AttentionTime> times;
  Experiment experiment = *default_experiment("scaled-dot-product");
  experiment.parameters["head_dim"] = dim;
  Benchmark benchmark(1, budget * kShare);
  const auto start = Clock::now();
  for (Index tokens = kFewestTimedTokens; tokens <= kMaxTimedTokens; tokens *= 2) {
    if (stop.stop_requested()) break;
    if (!times.empty() && seconds_since(start) + kRuns * kGrowth * times.back().seconds > budget) break;
    experiment.parameters["queries"] = tokens;
    experiment.parameters["keys"] = tokens;
    const Result<Timing> timing = benchmark.forward(experiment);
    if (!timing) break;
    times.push_back({tokens, timing->best});
  }
  return times;
}

}  // namespace attnscope
