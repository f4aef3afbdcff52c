// Numbers from other programs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/experiment/imported_tensors.h"
#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// One of the user's tensors or a slice of it, its axes perhaps in another order.
struct ImportOperation {
  std::shared_ptr<const ImportedTensors> from;
  std::size_t which = 0;
  std::vector<int> axes;   ///< per axis of the result: which one of the tensor it is
  std::vector<Index> at;   ///< per axis of the tensor: its index, if the result lacks it
  bool is_weight = false;  ///< of a trained model
  std::vector<EditedNumber> edits = {};

  [[nodiscard]] bool is_edited(Index at_number) const;

  [[nodiscard]] std::string name() const { return "given"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] double magnitude_bound(const Axes& result, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const;
  [[nodiscard]] OperationTraits traits() const;
  [[nodiscard]] ImportOperation with_numbers(std::vector<EditedNumber> numbers) const;

  friend bool operator==(const ImportOperation&, const ImportOperation&) = default;

 private:
  /// Fills `out` with the box `region` of the result, which has the axes `whole`. When reading fails, notes that in
  /// `context.failure`.
  void read(const Region& region, const Axes& whole, const StepContext& context, Tensor& out) const;
};

}  // namespace attnscope
