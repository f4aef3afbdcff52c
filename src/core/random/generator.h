// PyTorch's CPU random numbers, draw for draw.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/tensor.h"
#include "core/random/mersenne_twister.h"

namespace attnscope {

class ThreadPool;

/// The random number generator of PyTorch's CPU backend: `Generator(42)` followed by the same calls in the same order
/// gives the numbers that a notebook gets after `torch.manual_seed(42)`.
///
/// | here                  | PyTorch                                       | agreement                            |
/// |-----------------------|-----------------------------------------------|--------------------------------------|
/// | `fill_uniform(x)`     | `torch.rand`                                  | bit for bit                          |
/// | `fill_uniform(x,a,b)` | `Tensor.uniform_(a, b)`                       | bit for bit (PyTorch with AVX2)      |
/// | `fill_normal(x)`      | `torch.randn`, fewer than 16 elements         | bit for bit                          |
/// | `fill_normal(x)`      | `torch.randn`, 16 elements or more            | within 5e-7 (approximate log, sin)   |
///
/// A generator is a value: a copy continues independently with the same numbers, on any thread. No function fails.
///
/// Source: PyTorch, aten/src/ATen/core/DistributionsHelper.h and native/cpu/DistributionTemplates.h; M. Matsumoto and
/// T. Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998).
class Generator {
 public:
  /// Like `torch.manual_seed(seed)`. Only the low 32 bits matter: seeds that differ by a multiple of 2^32 are
  /// equivalent.
  explicit Generator(std::uint64_t seed);

  /// The next raw draw, uniform over all 32-bit numbers. All other functions consume raw draws.
  std::uint32_t next() { return engine_.next(); }

  /// Discards `draws` raw draws, like `torch.rand(draws)` in PyTorch; each takes about 0.25 ns. A sine half kept by
  /// `fill_normal` survives, as in PyTorch.
  void discard(std::uint64_t draws) { engine_.discard(draws); }

  /// Fills `out`, in order, with numbers uniform in [from, to), one raw draw each: 24 random bits scaled and shifted.
  /// As in PyTorch, rounding to float may produce `to` itself if the interval is not [0, 1).
  void fill_uniform(std::span<float> out, float from = 0.0F, float to = 1.0F);

  /// Fills `out` with standard normal numbers (Box–Muller). PyTorch has two algorithms and chooses by the number of
  /// elements; two calls for 8 numbers differ from one call for 16:
  /// - fewer than 16: pairs in double precision, four raw draws for two numbers. An unused second half of a pair
  ///   is kept for the next call of this kind.
  /// - 16 or more: one raw draw per element, transformed in blocks of 16; if the size is not a multiple of 16, the
  ///   last 16 elements are drawn again (16 more raw draws) and transformed as one block. A kept half is unaffected.
  ///   The threads of `pool`, if any, share the transformation; the numbers are the same.
  void fill_normal(std::span<float> out, ThreadPool* pool = nullptr);

 private:
  double next_normal();

  MersenneTwister engine_;
  std::optional<double> kept_normal_;  // the unused sine half of the last pair
};

/// 1/√fan_in: the range of the weights of `torch.nn.Linear` and of 1×1 `torch.nn.Conv2d`, and of their biases, which are
/// drawn after them: `kaiming_uniform_(a=√5)`. `fan_in` (the number of
/// inputs of a layer) is at least 1.
float fan_in_bound(Index fan_in);

/// √(6 / (fan_in + fan_out)): the range of `torch.nn.init.xavier_uniform_` for a matrix of shape [fan_out, fan_in].
/// Both count the whole matrix, even if it stacks several projections. At least one of them is positive.
float xavier_bound(Index fan_in, Index fan_out);

}  // namespace attnscope
