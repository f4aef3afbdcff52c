// Two ways to compute attention that come to the same, computed both ways from the same weights.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/run.h"

namespace attnscope {

/// How far apart two float32 computations of the same thing may be, in units of the largest magnitude.
inline constexpr double kRounding = 1e-5;

/// Both sides of an equivalence for one experiment.
struct EquivalenceSides {
  using Pick = std::function<std::shared_ptr<const Tensor>(const Trace&)>;

  /// A tensor of the one side and what has to equal it of the other.
  struct Pair {
    std::string what;  ///< "scores", "qkv, pixels in rows"
    Pick of_one;
    Pick of_other;
  };

  Experiment one;
  Experiment other;
  std::string one_text;  ///< what it computes, in words
  std::string other_text;
  /// The weights and inputs that the other side takes over, from what the one side computed.
  std::function<Substitutions(const Trace& one)> given;
  std::vector<Pair> pairs;
};

/// A claim of the sources.
struct Equivalence {
  std::string name;                  ///< as in lesson files
  std::string statement;             ///< one sentence
  std::vector<std::string> systems;  ///< what it can be computed for
  /// The sides for an experiment on one of the systems; the error says what the claim needs besides.
  Result<EquivalenceSides> (*sides)(const Experiment&) = nullptr;
};

/// How far apart one pair is.
struct Difference {
  std::string what;
  Axes axes;
  double largest = 0;    ///< |one − other|; infinite where only one of them is finite
  double magnitude = 0;  ///< the largest finite |one|

  [[nodiscard]] bool agrees() const { return largest <= kRounding * magnitude; }
};

struct EquivalenceResult {
  std::string one_text;
  std::string other_text;
  std::vector<Difference> differences;

  [[nodiscard]] bool agrees() const;
};

/// All equivalences.
std::span<const Equivalence> equivalences();

const Equivalence* find_equivalence(std::string_view name);

/// The sides for any experiment; the error says why there are none: another system, sizes that the claim is not about,
/// or a side that is no experiment or takes more than `memory_budget` bytes together with the other.
Result<EquivalenceSides> equivalence_sides(const Equivalence& equivalence, const Experiment& experiment,
                                           double memory_budget = kDefaultMemoryBudget);

/// What both sides together cost, in multiplications and additions.
double equivalence_flops(const EquivalenceSides& sides);

/// Computes both sides and compares them. Fails when it was stopped or memory ran out.
Result<EquivalenceResult> compare(const EquivalenceSides& sides, const Progress& progress = {});

}  // namespace attnscope
