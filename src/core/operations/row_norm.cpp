// The length of vectors.
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/operations/einsum.h"
#include "core/operations/ops.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

/// √(Σ x²) along the last axis, which the result lacks.
struct RowNormOperation {
  Index length = 0;  ///< of that axis

  [[nodiscard]] std::string name() const { return "norm"; }

  [[nodiscard]] std::string formula(const StepInPlan& step) const {
    return "√(Σ_" + step.input(0).axes.back().name + " " + input_text(step) + "²)";
  }

  /// In double precision: the squares of large numbers do not fit into floats.
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const {
    share_out(context, out.count(), length, [&](Index row) {
      const float* const numbers = inputs[0]->values().data() + row * length;
      double squares = 0;
      for (Index i = 0; i < length; ++i) squares += static_cast<double>(numbers[i]) * static_cast<double>(numbers[i]);
      out.values()[static_cast<std::size_t>(row)] = static_cast<float>(std::sqrt(squares));
    });
  }

  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const {
    Region along = same_cells(step, region);
    along.begin.push_back(0);
    along.end.push_back(length);
    return {along};
  }

  [[nodiscard]] double magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
    return std::sqrt(static_cast<double>(length)) * inputs[0];
  }

  void explain(const ExplainedCell& cell, Explanation& e) const {
    std::vector<Index> at(cell.index.begin(), cell.index.end());
    std::vector<std::string> parts;
    parts.reserve(at.size() + 1);
    for (const Index index : at) parts.push_back(std::to_string(index));
    const std::string& axis = cell.input(0).axes.back().name;
    parts.push_back(axis);
    at.push_back(0);
    double squares = 0;
    for (; at.back() < length; ++at.back()) {
      const Operand& operand = e.operands.emplace_back(cell.operand(0, at));
      squares += operand.value * operand.value;
      e.terms.push_back({number_text(operand.value) + "²", operand.value * operand.value, 1});
    }
    e.formula = "√(Σ_" + axis + " " + cell.input(0).name + "[" + join(parts, ", ") + "]²)";
    e.computed = std::sqrt(squares);
    e.results.push_back({"sum", squares});
    e.results.push_back({"√", e.computed});
  }

  friend bool operator==(const RowNormOperation&, const RowNormOperation&) = default;
};

}  // namespace

Value row_norm(PlanBuilder& r, std::string name, Value input) {
  Axes axes = r.axes(input);
  const auto flops = 2 * static_cast<double>(element_count(axes));
  const RowNormOperation operation = {axes.back().size};
  axes.pop_back();
  return r.record({std::move(name), operation, {input.step}, std::move(axes), flops});
}

}  // namespace attnscope
