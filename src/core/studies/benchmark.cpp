#include "core/studies/benchmark.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <limits>

#include "core/kernels/isa/instruction_set.h"
#include "core/operations/contract.h"
#include "core/trace/lazy_matrix.h"
#include "core/trace/run.h"

namespace attnscope {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The trace is released afterwards, except for what the executor keeps.
Result<double> seconds_of_run(Executor& runner, const Experiment& experiment, const Progress& progress) {
  const auto start = Clock::now();
  const Result<std::shared_ptr<const Trace>> trace = runner.run(experiment, progress);
  const double seconds = seconds_since(start);
  if (!trace) return tl::unexpected(trace.error());
  return seconds;
}

/// Writes `out` past the caches with repeated copies of `in`.
void stream_pieces(std::span<const float> in, std::span<float> out) {
  while (!out.empty()) {
    const std::size_t count = std::min(in.size(), out.size());
    kernels().stream(in.data(), out.data(), static_cast<Index>(count));
    out = out.subspan(count);
  }
  kernels().end_stream();
}

}  // namespace

void MachineLimits::take_larger(const MachineLimits& other) {
  thread_flops = std::max(thread_flops, other.thread_flops);
  flops = std::max(flops, other.flops);
  read_bytes = std::max(read_bytes, other.read_bytes);
  write_bytes = std::max(write_bytes, other.write_bytes);
  copy_bytes = std::max(copy_bytes, other.copy_bytes);
  exponentials = std::max(exponentials, other.exponentials);
}

double product_flops(const PlannedStep& step) {
  const auto* contract = as<ContractOperation>(step.operation);
  if (contract == nullptr) return 0;
  double products = 1;
  for (const Index size : contract->sizes) products *= static_cast<double>(size);
  return 2 * products;
}

double product_flops(const Plan& plan) {
  double flops = 0;
  for (const PlannedStep& step : plan.steps) flops += product_flops(step);
  return flops;
}

double weight_bytes(const Plan& plan) {
  double bytes = 0;
  for (const PlannedStep& step : plan.steps) {
    if (step.operation->traits().is_weight) bytes += sizeof(float) * static_cast<double>(element_count(step.axes));
  }
  return bytes;
}

ModelText numbered_text(Index tokens, Index vocabulary) {
  // A prime: neighbours are far apart.
  constexpr Index kApart = 7919;
  ModelText text;
  text.ids.reserve(static_cast<std::size_t>(tokens));
  for (Index i = 0; i < tokens; ++i) text.ids.push_back(i * kApart % vocabulary);
  return text;
}

Result<Timing> Benchmark::repeat(const std::function<Result<double>()>& work) const {
  constexpr std::size_t kFewest = 3;
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < kFewest || seconds_since(start) < seconds_) {
    const Result<double> time = work();
    if (!time) return tl::unexpected(time.error());
    times.push_back(*time);
  }
  std::ranges::sort(times);
  return Timing{times.front(), times[times.size() / 2], static_cast<Index>(times.size())};
}

double Benchmark::best_of(const std::function<void()>& work) const {
  return repeat([&]() -> Result<double> {
           const auto start = Clock::now();
           work();
           return seconds_since(start);
         })
      ->best;
}

double Benchmark::flops_limit(ThreadPool* pool) const {
  // A block takes 0.1 ms: a late thread delays the result only a little.
  constexpr Index kRounds = 50000;
  constexpr Index kBlocksPerThread = 16;
  const Index blocks = kBlocksPerThread * (pool == nullptr ? 1 : threads_);
  const auto flops = static_cast<double>(blocks * kRounds * kernels().limit_flops);
  return flops /
         best_of([&] { run_blocks(pool, flops, blocks, [](Index) { kernels().run_to_limit(0.999F, kRounds); }); });
}

void Benchmark::measure_memory(MachineLimits& limits) {
  // Far more than the caches hold, also those of servers with hundreds of megabytes; in many blocks per thread.
  constexpr std::size_t kNumbers = std::size_t{1} << 27U;
  constexpr std::size_t kBlock = std::size_t{1} << 17U;
  constexpr std::size_t kCached = 1024;
  constexpr double kBytes = kNumbers * sizeof(float);
  std::vector<float> numbers(kNumbers);
  const auto block_at = [&](Index block) {
    return std::span(numbers).subspan(static_cast<std::size_t>(block) * kBlock, kBlock);
  };
  constexpr Index kBlocks = kNumbers / kBlock;
  std::vector<float> most(kBlocks);
  limits.read_bytes = kBytes / best_of([&] {
                        pool_.run(kBlocks, [&](Index block) {
                          most[static_cast<std::size_t>(block)] = kernels().largest(block_at(block).data(), kBlock);
                        });
                      });
  const std::vector<float> cached(kCached);
  limits.write_bytes =
      kBytes / best_of([&] { pool_.run(kBlocks, [&](Index block) { stream_pieces(cached, block_at(block)); }); });
  // One half to the other, which takes as much reading as writing.
  limits.copy_bytes =
      kBytes / best_of([&] {
        pool_.run(kBlocks / 2, [&](Index block) { stream_pieces(block_at(block), block_at(block + kBlocks / 2)); });
      });
}

double Benchmark::exponentials_limit() {
  constexpr Index kCached = 2048;
  constexpr Index kRounds = 32;
  const Index blocks = 16 * threads_;
  const std::vector<float> numbers(kCached, -0.5F);
  std::vector<float> sums(static_cast<std::size_t>(blocks));
  const double best = best_of([&] {
    pool_.run(blocks, [&](Index block) {
      for (Index round = 0; round < kRounds; ++round)
        sums[static_cast<std::size_t>(block)] += kernels().exponentials(numbers.data(), {}, nullptr, kCached);
    });
  });
  return static_cast<double>(blocks * kRounds * kCached) / best;
}

MachineLimits Benchmark::limits() {
  MachineLimits limits;
  limits.thread_flops = flops_limit(nullptr);
  // If other programs leave only one processor, all threads together are no faster than one.
  limits.flops = std::max(limits.thread_flops, flops_limit(&pool_));
  measure_memory(limits);
  limits.exponentials = exponentials_limit();
  return limits;
}

Result<Timing> Benchmark::forward(const Experiment& experiment) {
  Executor runner(kUnlimitedMemory);
  Progress progress;
  progress.pool = &pool_;
  if (const Result<double> first = seconds_of_run(runner, experiment, progress); !first)
    return tl::unexpected(first.error());
  return repeat([&]() -> Result<double> {
    runner.forget_results();
    // Keeps the previous trace: releasing it is not part of the pass.
    const Result<std::shared_ptr<const Trace>> trace = runner.run(experiment, progress);
    if (!trace) return tl::unexpected(trace.error());
    return (*trace)->compute_seconds();
  });
}

Result<Timing> Benchmark::redraw(Experiment experiment) {
  Executor runner;
  Progress progress;
  progress.pool = &pool_;
  return repeat([&] {
    ++experiment.seed;
    return seconds_of_run(runner, experiment, progress);
  });
}

Result<Timing> Benchmark::change_tokens(const Experiment& experiment) {
  Executor runner;
  Progress progress;
  progress.pool = &pool_;
  Experiment larger = experiment;
  larger.parameters["tokens"] = experiment.integer("tokens") + 1;
  return repeat([&] {
    const Result<double> before = seconds_of_run(runner, larger, progress);
    return before ? seconds_of_run(runner, experiment, progress) : before;
  });
}

Result<Timing> Benchmark::one_more_token(const Experiment& experiment) {
  // As many tokens of the text are added one by one before it starts over.
  constexpr std::size_t kAdded = 16;
  const std::size_t all = experiment.text.ids.size();
  assert(all > 1);
  Executor runner(kUnlimitedMemory);
  Progress progress;
  progress.pool = &pool_;
  std::size_t next = all + 1;
  const auto run_next = [&] {
    Experiment shorter = experiment;
    shorter.text.ids.resize(next++);
    return seconds_of_run(runner, shorter, progress);
  };
  return repeat([&]() -> Result<double> {
    if (next > all) {
      next = all - std::min(all - 1, kAdded);
      if (Result<double> before = run_next(); !before) return before;
      // The first token that is added makes room for more.
      if (next < all) {
        if (Result<double> before = run_next(); !before) return before;
      }
    }
    return run_next();
  });
}

Result<Benchmark::FirstLooks> Benchmark::first_looks(const Experiment& experiment) {
  Progress progress;
  progress.pool = &pool_;
  const Result<std::shared_ptr<const Trace>> run = Executor(0).run(experiment, progress);
  if (!run) return tl::unexpected(run.error());
  const Trace& trace = **run;
  assert(trace.find("weights")->tensor == nullptr);
  const MatrixPlace place = {static_cast<int>(trace.find("weights") - trace.steps().data()), {}, 1};
  std::vector<std::shared_ptr<const Tensor>> held;
  for (const Step& step : trace.steps()) held.push_back(step.tensor);

  // Earlier looks are cached, so each run uses a new matrix. What comes before the look is not timed.
  using Look = std::function<void(const LazyMatrix&)>;
  const auto time_look = [&](const Look& look, const Look& before = nullptr) {
    return repeat([&]() -> Result<double> {
      const LazyMatrix matrix(std::make_shared<const LazyTensors>(trace.plan(), held, experiment.seed), place, false);
      if (before) before(matrix);
      const auto start = Clock::now();
      look(matrix);
      return seconds_since(start);
    });
  };
  std::vector<float> texels(static_cast<std::size_t>(kOverviewSide * kOverviewSide));
  const auto reading = [&texels](const MatrixPart& part) -> Look {
    return [&texels, part](const LazyMatrix& matrix) {
      matrix.read(part, std::span(texels).first(static_cast<std::size_t>(part.rows * part.columns)), {});
    };
  };
  const LazyMatrix matrix(trace.lazy(), place, false);
  const MatrixPart tile = {.first_row = matrix.rows() / 2,
                           .first_column = matrix.columns() / 2,
                           .rows = std::min(kTileSide, matrix.rows() / 2),
                           .columns = std::min(kTileSide, matrix.columns() / 2)};
  MatrixPart beside = tile;
  beside.first_column -= tile.columns;
  return FirstLooks{.sketch = *time_look([](const LazyMatrix& each) { each.sketch({}); }),
                    .tile = *time_look(reading(tile)),
                    .next_tile = *time_look(reading(tile), reading(beside)),
                    .overview = *time_look(reading(overview_part(matrix, kOverviewSide)))};
}

}  // namespace attnscope
