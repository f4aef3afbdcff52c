// What this machine can do at most, and how long it takes for the program's own work.
#pragma once

#include <functional>

#include "core/base/result.h"
#include "core/base/thread_pool.h"
#include "core/plan/plan.h"

namespace attnscope {

/// How long one piece of work took that was done again and again, in seconds.
struct Timing {
  double best = 0;
  double median = 0;
  Index runs = 0;
};

/// What a machine can do at most with the loops that `kernels()` has chosen, a second. Measured, so that what else
/// runs at the time takes part of it.
struct MachineLimits {
  double thread_flops = 0;  ///< multiplications and additions of one thread, all in registers
  double flops = 0;         ///< those of all threads together
  double write_bytes = 0;   ///< written to memory, past the caches, by all threads
  double copy_bytes = 0;    ///< read from memory and written to it, both counted

  /// The larger ones of both.
  void take_larger(const MachineLimits& other);
};

/// Multiplications and additions of a plan's matrix products alone. All scores count, masked or not.
double product_flops(const Plan& plan);

/// Measures with some threads, about so many seconds for each figure but three runs at least.
class Benchmark {
 public:
  /// `threads`: at least 1.
  Benchmark(unsigned threads, double seconds) : pool_(threads - 1), threads_(threads), seconds_(seconds) {}

  MachineLimits limits();

  /// From draws and constants that are there to all other tensors of a valid experiment, in memory that was used
  /// before. Fails when memory runs out.
  Result<Timing> forward(const Experiment& experiment);

  /// The whole experiment with a new seed each time.
  Result<Timing> redraw(Experiment experiment);

  /// The experiment after one whose parameter `tokens` was larger by one.
  Result<Timing> change_tokens(const Experiment& experiment);

  /// First looks at the tensor `weights` [query, key] of an experiment, which is too large to be held. All threads of
  /// the machine take part, however many this benchmark has.
  struct FirstLooks {
    Timing sketch;    ///< one row for each of the overview's
    Timing tile;      ///< kTileSide × kTileSide numbers
    Timing overview;  ///< all of it
  };
  static constexpr Index kTileSide = 256;
  static constexpr Index kOverviewSide = 1024;
  Result<FirstLooks> first_looks(const Experiment& experiment);

 private:
  /// `work` returns how long it took.
  [[nodiscard]] Result<Timing> repeat(const std::function<Result<double>()>& work) const;
  [[nodiscard]] double best_of(const std::function<void()>& work) const;
  [[nodiscard]] double flops_limit(ThreadPool* pool) const;
  void measure_memory(MachineLimits& limits);

  ThreadPool pool_;
  Index threads_ = 1;
  double seconds_ = 0;
};

}  // namespace attnscope
