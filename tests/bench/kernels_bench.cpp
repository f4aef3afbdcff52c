// The hot loops as shares of what the processor could do at most, measured in the same run: `of_limit` is of the
// multiplications and additions that registers allow, fused if the processor can, `of_memory` of the rate at which zeros are
// written.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/kernels/attention.h"
#include "core/kernels/attention_overview.h"
#include "core/kernels/contraction.h"
#include "core/kernels/isa/instruction_set.h"
#include "core/random/generator.h"

namespace attnscope::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Index kHeads = 12;
constexpr Index kDim = 64;
constexpr Index kWidth = kHeads * kDim;

bool never_stopped() { return false; }

template <typename Work>
double shortest_seconds(int runs, const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

/// Operations a second that one thread does at most.
double flops_limit(const Kernels& loops = kernels(), int runs = 100) {
  constexpr Index kRounds = 100000;
  return static_cast<double>(kRounds * loops.limit_flops) /
         shortest_seconds(runs, [&] { loops.run_to_limit(0.999F, kRounds); });
}

/// Bytes a second that one thread writes to memory.
double memory_limit() {
  std::vector<char> memory(std::size_t{1} << 26U);
  return static_cast<double>(memory.size()) / shortest_seconds(5, [&] {
           std::memset(memory.data(), 1, memory.size());
           benchmark::DoNotOptimize(memory.data());
         });
}

std::vector<float> numbers(Index count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  Generator(42).fill_uniform(values, -1, 1);
  return values;
}

void report(benchmark::State& state, double flops, double best, Index threads) {
  state.counters["flops"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["of_limit"] = flops / best / flops_limit() / static_cast<double>(threads);
}

void product(benchmark::State& state, const std::vector<ContractionLabel>& labels, Index a, Index b, Index out) {
  ThreadPool pool(static_cast<unsigned>(state.range(0) - 1));
  const std::vector<float> left = numbers(a);
  const std::vector<float> right = numbers(b);
  std::vector<float> result(static_cast<std::size_t>(out));
  double flops = 2;
  for (const ContractionLabel& label : labels) flops *= static_cast<double>(label.size);
  double best = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    best = std::min(best, shortest_seconds(1, [&] {
                      contract_strided(labels, left.data(), right.data(), result.data(), out, 8, &pool, never_stopped);
                    }));
  }
  report(state, flops, best, state.range(0));
}

void projection(benchmark::State& state) {
  const Index tokens = state.range(1);
  const Index out = 3 * kWidth;
  product(state, {{tokens, kWidth, 0, out}, {out, 0, kWidth, 1}, {kWidth, 1, 1, 0}}, tokens * kWidth, out * kWidth,
          tokens * out);
}

void scores(benchmark::State& state) {
  const Index tokens = state.range(1);
  product(state,
          {{kHeads, kDim, kDim, tokens * tokens}, {tokens, kWidth, 0, tokens}, {tokens, 0, kWidth, 1}, {kDim, 1, 1, 0}},
          tokens * kWidth, tokens * kWidth, kHeads * tokens * tokens);
}

void weighted_sum(benchmark::State& state) {
  const Index tokens = state.range(1);
  product(state,
          {{kHeads, tokens * tokens, kDim, kDim}, {tokens, tokens, 0, kWidth}, {kDim, 0, 1, 1}, {tokens, 1, kWidth, 0}},
          kHeads * tokens * tokens, tokens * kWidth, tokens * kWidth);
}

void threads_and_tokens(benchmark::internal::Benchmark* benchmark) {
  for (const Index threads : {1, 2}) {
    for (const Index tokens : {512, 1024, 2048}) benchmark->Args({threads, tokens});
  }
  benchmark->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK(projection)->Apply(threads_and_tokens);
BENCHMARK(scores)->Apply(threads_and_tokens);
BENCHMARK(weighted_sum)->Apply(threads_and_tokens);

/// A block of rows with a packed matrix, in the loops of one instruction set, whichever is chosen.
void panels(benchmark::State& state) {
  constexpr Index kRows = 48;
  constexpr Index kDepth = 256;
  constexpr Index kColumns = 768;
  const Kernels& loops = *compiled_kernels()[static_cast<std::size_t>(state.range(0))];
  const Index lanes = loops.spread != nullptr ? loops.lanes : 1;
  const std::vector<float> left = numbers(kRows * kDepth);
  const std::vector<float> right = numbers(kDepth * kColumns);
  std::vector<float> spread = left;
  spread.resize(left.size() * static_cast<std::size_t>(lanes));
  std::vector<float> result(static_cast<std::size_t>(kRows * kColumns));
  PanelProduct product;
  product.rows = kRows;
  product.depth = kDepth;
  product.columns = loops.block_columns;
  product.a = spread.data();
  product.a_row = kDepth * lanes;
  product.a_depth = lanes;
  product.spread = loops.spread != nullptr;
  product.fused = true;
  product.out_row = kColumns;
  double best = std::numeric_limits<double>::infinity();
  double limit = 0;
  for (auto _ : state) {
    const double seconds = shortest_seconds(1, [&] {
      if (product.spread) loops.spread(left.data(), 1, kRows * kDepth, spread.data());
      for (Index j = 0; j < kColumns; j += loops.block_columns) {
        product.b = right.data() + j * kDepth;
        product.out = result.data() + j;
        loops.multiply_panel(product);
      }
    });
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    // By turns: a processor that others use too is not always equally fast.
    limit = std::max(limit, flops_limit(loops, 1));
  }
  constexpr double kFlops = 2.0 * kRows * kDepth * kColumns;
  state.SetLabel(std::string(loops.name));
  state.counters["flops"] = benchmark::Counter(kFlops, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["of_limit"] = kFlops / best / limit;
}
BENCHMARK(panels)->Apply([](benchmark::internal::Benchmark* benchmark) {
  benchmark->UseManualTime();
  for (std::size_t i = 0; i < compiled_kernels().size(); ++i) {
    if (runs_here(*compiled_kernels()[i])) benchmark->Arg(static_cast<std::int64_t>(i));
  }
});

void small_product(benchmark::State& state) {
  product(state, {{4, 0, 63, 42}, {6, 9, 0, 7}, {7, 0, 1, 1}, {9, 1, 7, 0}}, 54, 252, 168);
}
BENCHMARK(small_product)->Arg(1);

/// weights[query, key] · v[key, dim], not summed.
void weighted_values(benchmark::State& state) {
  const Index tokens = 512;
  const Index count = tokens * tokens * kDim;
  const std::vector<ContractionLabel> labels = {
      {tokens, 1, kDim, tokens * kDim}, {tokens, tokens, 0, kDim}, {kDim, 0, 1, 1}};
  ThreadPool pool(static_cast<unsigned>(state.range(0) - 1));
  const std::vector<float> weights = numbers(tokens * tokens);
  const std::vector<float> v = numbers(tokens * kDim);
  std::vector<float> out(static_cast<std::size_t>(count));
  double best = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    best = std::min(best, shortest_seconds(1, [&] {
                      contract_strided(labels, weights.data(), v.data(), out.data(), count, 1, &pool, never_stopped);
                    }));
  }
  state.counters["of_memory"] = static_cast<double>(count) * sizeof(float) / best / memory_limit();
}
BENCHMARK(weighted_values)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void attention(benchmark::State& state) {
  const Index tokens = state.range(1);
  ThreadPool pool(static_cast<unsigned>(state.range(0) - 1));
  const std::vector<float> qkv = numbers(tokens * 3 * kWidth);
  std::vector<float> score_rows(static_cast<std::size_t>(kHeads * tokens * tokens));
  std::vector<float> weights(score_rows.size());
  std::vector<float> output(static_cast<std::size_t>(tokens * kWidth));
  std::vector<AttentionHead> heads;
  for (Index h = 0; h < kHeads; ++h) {
    const float* q = qkv.data() + h * kDim;
    heads.push_back({.q = q,
                     .q_row = 3 * kWidth,
                     .k = q + kWidth,
                     .k_row = 3 * kWidth,
                     .v = q + 2 * kWidth,
                     .v_row = 3 * kWidth,
                     .scores = score_rows.data() + h * tokens * tokens,
                     .weights = weights.data() + h * tokens * tokens,
                     .output = output.data() + h * kDim,
                     .output_row = kWidth});
  }
  double best = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    best = std::min(best, shortest_seconds(1, [&] {
                      attend(heads, {tokens, tokens, kDim, kDim}, {8, 1, 0}, &pool, never_stopped);
                    }));
  }
  report(state, 4 * static_cast<double>(kHeads * tokens * tokens * kDim), best, state.range(0));
}
BENCHMARK(attention)->Apply(threads_and_tokens);

void attention_overview(benchmark::State& state) {
  const Index tokens = 16384;
  const Index rows = 1024;
  constexpr Index kBin = 64;
  ThreadPool pool(static_cast<unsigned>(state.range(0) - 1));
  const std::vector<float> q = numbers(tokens * kDim);
  const OverviewHead head = {.q = q.data(),
                             .q_row = kDim,
                             .k = q.data(),
                             .k_row = kDim,
                             .sizes = {tokens, tokens, kDim, 0},
                             .options = {8, 1, 0},
                             .fused = true};
  const AttentionOverview overview(head, &pool);
  std::vector<SoftmaxStatistics> statistics(static_cast<std::size_t>(rows));
  std::vector<float> maxima(static_cast<std::size_t>(rows * overview.bins(kBin)));
  double best = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    best = std::min(best,
                    shortest_seconds(1, [&] { overview.rows(0, 1, kBin, statistics, maxima, &pool, never_stopped); }));
  }
  report(state, 2 * static_cast<double>(rows * tokens * kDim), best, state.range(0));
}
BENCHMARK(attention_overview)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void softmax_rows(benchmark::State& state) {
  const auto length = static_cast<std::size_t>(state.range(0));
  const std::vector<float> logits = numbers(65536);
  std::vector<float> weights(logits.size());
  for (auto _ : state) {
    for (std::size_t at = 0; at + length <= logits.size(); at += length)
      softmax_row(std::span(logits).subspan(at, length), 1, std::span(weights).subspan(at, length));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(logits.size()));
}
BENCHMARK(softmax_rows)->Arg(64)->Arg(1024)->Arg(4096)->Unit(benchmark::kMicrosecond);

void draw_uniform(benchmark::State& state) {
  Generator generator(42);
  std::vector<float> values(1 << 16);
  for (auto _ : state) generator.fill_uniform(values, -0.1F, 0.1F);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(values.size()));
}
BENCHMARK(draw_uniform)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace attnscope::test
