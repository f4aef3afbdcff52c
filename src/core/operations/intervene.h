// Parts of a trained model that something else takes the place of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/experiment/intervention.h"
#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// Input [head, position, feature] or [position, feature] with the changes. A second input, if there is one, is the
/// same tensor of the other text, which may have other positions: those that it lacks stay as they are.
struct InterveneOperation {
  struct Change {
    Index head = -1;      ///< −1: the tensor has no heads
    Index position = -1;  ///< −1: all
    Intervention::Kind kind = Intervention::Kind::off;

    friend bool operator==(const Change&, const Change&) = default;
  };
  std::vector<Change> changes;  ///< at most one of the same head and position; one of a position counts for it

  [[nodiscard]] std::string name() const { return "intervene"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const;

  /// A mean changes with every token that follows.
  [[nodiscard]] bool continues(const InterveneOperation& last) const;

  friend bool operator==(const InterveneOperation&, const InterveneOperation&) = default;

 private:
  /// Fills `out` with the numbers of `region`, made from the boxes `sources` of the inputs.
  void fill(const Region& region, std::span<const Region> sources, Inputs inputs, Tensor& out) const;
  /// What happens to a row; null: nothing.
  [[nodiscard]] const Change* change_of(Index head, Index position) const;
};

}  // namespace attnscope
