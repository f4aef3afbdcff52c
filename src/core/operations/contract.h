// Sums of products: matrix products, layers, scores.
#pragma once

#include <string>
#include <vector>

#include "core/kernels/contraction.h"
#include "core/operations/einsum.h"

namespace attnscope {

/// out[…] = Σ a[…] · b[…] / divisor, summed over the labels that the result lacks. With a bias (a third input, whose
/// axes are labelled `bias`) the sum starts from that instead of 0; there is no divisor then.
struct ContractOperation : EinsumOperation {
  double divisor = 1;
  std::string divisor_text;  ///< "√7"; empty: no divisor
  std::vector<int> bias;
  bool fused = false;  ///< products are added without being rounded first; see `rounds_once`

  [[nodiscard]] std::string name() const { return "contract"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& result) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& result) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const;

  /// The order of the sums, and where they round, are the same.
  [[nodiscard]] bool continues(const ContractOperation& last) const {
    return same_labels(*this, last) && divisor == last.divisor && bias == last.bias && fused == last.fused;
  }

  friend bool operator==(const ContractOperation&, const ContractOperation&) = default;
};

/// `operation.compute`, which tells `made`, unless it is null, of the results.
void multiply(const ContractOperation& operation, Inputs inputs, const StepContext& context, Tensor& out,
              const RowSink* made);

}  // namespace attnscope
