// What the explanations of single operations share: each says how the operation made one number.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/explain/explain.h"

namespace attnscope {

/// What the explanation of one operation needs at hand.
struct ExplainedCell {
  const Trace& trace;
  const Step& step;
  std::span<const Index> index;
  std::span<const Region> regions;                    ///< of the inputs
  std::vector<std::shared_ptr<const Tensor>> behind;  ///< the numbers of those regions

  [[nodiscard]] const Step& input(std::size_t i) const {
    return trace.steps()[static_cast<std::size_t>(step.inputs[i])];
  }
  [[nodiscard]] Operand operand(std::size_t i, std::vector<Index> at) const {
    std::vector<Index> within = at;
    for (std::size_t axis = 0; axis < at.size(); ++axis) within[axis] -= regions[i].begin[axis];
    return {step.inputs[i], std::move(at), static_cast<double>(behind[i]->at(within))};
  }
  [[nodiscard]] std::string name(std::size_t i) const { return input(i).name + index_text(index); }
};

// What nothing is computed from: drawn, set, or a picture. In explain_source.cpp.
void explain_operation(const ExplainedCell& cell, const DrawOperation& draw, Explanation& e);
void explain_operation(const ExplainedCell& cell, const ConstantOperation& constant, Explanation& e);
void explain_operation(const ExplainedCell& cell, const SetOperation& set, Explanation& e);
void explain_operation(const ExplainedCell& cell, const ImportOperation& given, Explanation& e);

// What tells positions apart. In explain_positions.cpp.
void explain_operation(const ExplainedCell& cell, const SinusoidOperation& sinusoid, Explanation& e);
void explain_operation(const ExplainedCell& cell, const RotateOperation& rotate, Explanation& e);
void explain_operation(const ExplainedCell& cell, const DistanceBiasOperation& bias, Explanation& e);

}  // namespace attnscope
