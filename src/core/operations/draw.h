// Numbers from the seeded generator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/picture.h"
#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

struct DrawOperation {
  enum class Distribution { uniform, normal };

  Distribution distribution = Distribution::uniform;
  double from = 0;  ///< uniform: [from, to)
  double to = 1;
  std::string range_text;            ///< uniform: "±1/√32"; empty: the numbers themselves
  std::uint64_t numbers_before = 0;  ///< how many numbers the seed gave before the first of this tensor
  std::uint64_t discarded = 0;       ///< raw draws thrown away just before it
  bool of_weights = false;           ///< from the weights' own seed, see `weights_seed`
  bool restarts = false;             ///< the first draw of that seed
  /// Per row along the first axis the row whose numbers it has, at most its own; empty: each its own. All are drawn.
  std::vector<Index> same_rows = {};
  std::vector<EditedNumber> edits = {};
  /// Replaces all drawn numbers. They are drawn all the same, so later draws stay what they were.
  std::optional<PlacedPicture> picture = {};

  [[nodiscard]] bool is_edited(Index at) const;

  /// "picture" where a picture replaces the draws.
  [[nodiscard]] std::string name() const { return picture ? "picture" : "draw"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] OperationTraits traits() const {
    return {.draws = true, .restarts_draws = restarts, .discards = discarded};
  }
  [[nodiscard]] DrawOperation with_numbers(std::vector<EditedNumber> numbers) const;

  friend bool operator==(const DrawOperation&, const DrawOperation&) = default;
};

}  // namespace attnscope
