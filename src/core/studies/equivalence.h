// Claims that two ways to compute attention agree, tested by computing both from the same weights.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/run.h"

namespace attnscope {

/// The maximum difference of two float32 computations that agree, relative to the largest magnitude.
inline constexpr double kRounding = 1e-5;

/// Both sides of an equivalence for one experiment.
struct EquivalenceSides {
  using Pick = std::function<std::shared_ptr<const Tensor>(const Trace&)>;

  /// Two tensors that must agree, one from each side.
  struct Pair {
    std::string what;  ///< "scores", "qkv, pixels in rows"
    Pick of_one;
    Pick of_other;
  };

  Experiment one;
  Experiment other;
  std::string one_text;  ///< a description of the computation
  std::string other_text;
  /// The weights and inputs that the other side takes from the trace of the first.
  std::function<Substitutions(const Trace& one)> given;
  std::vector<Pair> pairs;
};

/// A claim made by the sources.
struct Equivalence {
  std::string name;                  ///< as in lesson files
  std::string statement;             ///< one sentence
  std::vector<std::string> systems;  ///< the systems that it applies to
  /// The sides for an experiment on one of the systems; the error states what else the claim requires.
  Result<EquivalenceSides> (*sides)(const Experiment&) = nullptr;
};

/// The difference of one pair.
struct Difference {
  std::string what;
  Axes axes;
  double largest = 0;    ///< max |one − other|; infinite if only one of two numbers is finite
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

/// The sides for any experiment. Fails if the claim does not apply to its system or sizes, if a side is not valid, or
/// if both sides together exceed `memory_budget` bytes.
Result<EquivalenceSides> equivalence_sides(const Equivalence& equivalence, const Experiment& experiment,
                                           double memory_budget = kDefaultMemoryBudget);

/// Multiplications and additions of both sides together.
double equivalence_flops(const EquivalenceSides& sides);

/// Computes both sides and compares them, a slice of time after the other. Fails if stopped or out of memory.
class Comparison {
 public:
  Comparison(EquivalenceSides sides, const Progress& progress);

  /// See Executor::go_on.
  std::optional<Result<EquivalenceResult>> go_on(std::optional<StopClock::time_point> until = std::nullopt);

 private:
  Result<EquivalenceResult> differences(const Trace& other) const;

  EquivalenceSides sides_;
  Progress progress_;
  Executor run_of_one_;
  Executor run_of_other_;
  std::shared_ptr<const Trace> one_;  ///< once it is computed
};

/// The same in one go.
Result<EquivalenceResult> compare(const EquivalenceSides& sides, const Progress& progress = {});

}  // namespace attnscope
