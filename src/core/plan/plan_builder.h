// Records the operations of a system in the order of its source.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/plan/plan.h"

namespace attnscope {

/// A tensor of the computation that is being recorded.
struct Value {
  int step = -1;
};

/// A part of the numbers that a seed gives, one after the other.
struct DrawnNumbers {
  std::uint64_t before = 0;     ///< how many numbers the seed gave before the first of these
  std::uint64_t discarded = 0;  ///< raw draws discarded just before it
  bool of_weights = false;      ///< of the weights' own seed
  bool restarts = false;        ///< the first of that seed
};

/// Collects the steps of one computation; the functions of operations/ops.h record them. A plan has names and shapes
/// only, so one piece of code says both what an experiment computes and what it costs.
class PlanBuilder {
 public:
  PlanBuilder() { plan_.steps.reserve(64); }

  /// The axes of a recorded tensor.
  [[nodiscard]] const Axes& axes(Value value) const { return step(value).axes; }
  [[nodiscard]] const PlannedStep& step(Value value) const { return plan_.steps[static_cast<std::size_t>(value.step)]; }

  /// Discards `draws` raw numbers of the generator.
  void discard(std::uint64_t draws);
  /// From now on numbers come from the weights' own seed: what was drawn before does not change them.
  void begin_weights_seed();

  Value record(PlannedStep step);
  /// Puts `prefix` before the names of all steps recorded from now on, except weights of a model.
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  /// Takes back all steps after `last`.
  void drop_after(Value last);
  /// Takes the next `count` numbers of the seed, for a tensor that is drawn.
  DrawnNumbers draw(std::uint64_t count);

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] Plan take_plan() { return std::move(plan_); }
  /// Numbers that the present seed has given so far, including discarded ones.
  [[nodiscard]] std::uint64_t numbers_drawn() const { return numbers_drawn_; }

 private:
  Plan plan_;
  std::string prefix_;
  std::uint64_t numbers_drawn_ = 0;
  std::uint64_t discarded_ = 0;  ///< since the last draw
  bool of_weights_ = false;
  bool restarts_ = false;
};

}  // namespace attnscope
