// The limits of this machine, and the time that attnscope's own work takes on it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/thread_pool.h"
#include "core/plan/plan.h"

namespace attnscope {

/// Time of one piece of work over repeated runs, in seconds.
struct Timing {
  double best = 0;
  double median = 0;
  Index runs = 0;
};

/// Limits of the machine with the loops that `kernels()` selected, per second. They are measured: other programs that
/// run at the same time lower them.
struct MachineLimits {
  double thread_flops = 0;  ///< multiplications and additions in registers, one thread
  double flops = 0;         ///< the same, all threads together
  double read_bytes = 0;    ///< read from memory by all threads
  double write_bytes = 0;   ///< written to memory, past the caches, by all threads
  double copy_bytes = 0;    ///< read from memory and written to it, both counted
  double exponentials = 0;  ///< of numbers in the nearest cache, all threads

  /// Takes the larger of both for each limit.
  void take_larger(const MachineLimits& other);
};

/// One part of a forward pass, timed by itself, and the work it needs at least.
struct PartTiming {
  std::string part;  ///< "projection", "copies", "scores", …
  double flops = 0;  ///< of matrix products; masked scores do not count
  double bytes = 0;  ///< read and written; 0 where they fit into the caches
  double exponentials = 0;
  Timing timing;
};

/// Multiplications and additions of the matrix products of a plan. Masked scores count too.
double product_flops(const Plan& plan);
/// The same of one step; 0 for one that is no product.
double product_flops(const PlannedStep& step);

/// Bytes of the weights of a trained model's plan.
double weight_bytes(const Plan& plan);

/// A text of `tokens` token ids, spread over those below `vocabulary`.
ModelText numbered_text(Index tokens, Index vocabulary);

/// Measures with a given number of threads, about `seconds` per measurement but at least three runs.
class Benchmark {
 public:
  /// `threads`: at least 1.
  Benchmark(unsigned threads, double seconds) : pool_(threads - 1), threads_(threads), seconds_(seconds) {}

  MachineLimits limits();

  /// Times the computation of all tensors of a valid experiment except draws and constants, in memory used before.
  /// Fails if memory runs out.
  Result<Timing> forward(const Experiment& experiment);

  /// Times the parts of that computation, each from and to memory used before, and attention as a pass computes it: a
  /// few rows of scores, weights and outputs at a time. The system has attention of queries and keys, kept whole.
  Result<std::vector<PartTiming>> parts(const Experiment& experiment);

  /// Times the whole experiment, with a new seed each time.
  Result<Timing> redraw(Experiment experiment);

  /// Times the experiment after one with one more token.
  Result<Timing> change_tokens(const Experiment& experiment);

  /// Times the run of a model that reads one more token than before, the last ones of the experiment's text,
  /// which has two or more.
  Result<Timing> one_more_token(const Experiment& experiment);

  /// Times first looks at the tensor `weights` [query, key] of an experiment, which must be too large for memory.
  /// Always uses all threads of the machine.
  struct FirstLooks {
    Timing sketch;     ///< one row per row of the overview
    Timing tile;       ///< kTileSide × kTileSide numbers
    Timing next_tile;  ///< the same after another one of those rows
    Timing overview;   ///< the whole matrix
  };
  static constexpr Index kTileSide = 256;
  static constexpr Index kOverviewSide = 1024;
  Result<FirstLooks> first_looks(const Experiment& experiment);

 private:
  /// Repeats `work`, which returns its time in seconds.
  [[nodiscard]] Result<Timing> repeat(const std::function<Result<double>()>& work) const;
  [[nodiscard]] double best_of(const std::function<void()>& work) const;
  [[nodiscard]] double flops_limit(ThreadPool* pool) const;
  void measure_memory(MachineLimits& limits);
  [[nodiscard]] double exponentials_limit();

  ThreadPool pool_;
  Index threads_ = 1;
  double seconds_ = 0;
};

}  // namespace attnscope
