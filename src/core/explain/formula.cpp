#include <algorithm>

#include "core/base/text.h"
#include "core/plan/plan.h"

namespace attnscope {
namespace {

/// "[head, query, dim]"; nothing for a scalar.
std::string bracketed(const std::vector<std::string>& names) {
  return names.empty() ? "" : "[" + join(names, ", ") + "]";
}

class Formula {
 public:
  Formula(std::span<const PlannedStep> steps, const PlannedStep& step) : steps_(steps), step_(step) {}

  std::string operator()(const DrawOperation& draw) const {
    if (draw.picture)
      return "2 · colour of " + std::string(draw.picture->file ? "the picture" : draw.picture->name) + " − 1";
    if (!draw.range_text.empty()) return "uniform " + draw.range_text;
    if (draw.distribution == DrawOperation::Distribution::normal) return "normal(0, 1)";
    return "uniform[" + exact_text(draw.from) + ", " + exact_text(draw.to) + ")";
  }
  std::string operator()(const ConstantOperation& constant) const { return exact_text(constant.value); }
  std::string operator()(const SetOperation& /*set*/) const { return "set by hand"; }
  std::string operator()(const ImportOperation& given) const {
    const std::string& name = given.from->tensors()[given.which].name;
    // Where it lies is said in the explanation's note.
    const std::string file = given.from->file();
    return "from " + file.substr(file.rfind('/') + 1) + (name.empty() ? "" : ", " + name);
  }

  std::string operator()(const ContractOperation& contract) const {
    std::vector<std::string> summed;
    for (std::size_t i = 0; i < contract.labels.size(); ++i) {
      if (std::find(contract.out.begin(), contract.out.end(), static_cast<int>(i)) == contract.out.end())
        summed.push_back(contract.labels[i]);
    }
    std::string text = summed.empty() ? "" : "Σ_" + join(summed, ",") + " ";
    text += operand(contract, 0, contract.a) + " · " + operand(contract, 1, contract.b);
    if (!contract.divisor_text.empty()) text += " / " + contract.divisor_text;
    if (step_.inputs.size() > 2) text += " + " + operand(contract, 2, contract.bias);
    return text;
  }

  std::string operator()(const AddOperation& add) const {
    const std::string sum = operand(add, 0, add.a) + " + " + operand(add, 1, add.b);
    return add.tanh ? "tanh(" + sum + ")" : sum;
  }
  std::string operator()(const ScaleOperation& scale) const { return reference() + " / " + scale.divisor_text; }

  std::string operator()(const NormalizeOperation& normalize) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < normalize.over.size(); ++i) {
      if (normalize.over[i]) names.push_back(step_.axes[i].name);
    }
    const std::string whose = join(names, ",");
    return "(" + reference() + " − mean_" + whose + ") / √(variance_" + whose + " + " + exact_text(normalize.epsilon) +
           ")";
  }

  std::string operator()(const MeanOperation& mean) const {
    return "mean_" + input(0).axes[static_cast<std::size_t>(mean.axis)].name + " " + reference();
  }
  std::string operator()(const MaskOperation& mask) const {
    return reference() + " where kept, otherwise " + number_text(mask.fill);
  }
  std::string operator()(const SoftmaxOperation& softmax) const {
    return "softmax_" + step_.axes.back().name + " " + reference() +
           (softmax.temperature == 1 ? "" : " / " + exact_text(softmax.temperature));
  }
  std::string operator()(const DropoutOperation& dropout) const {
    return reference() + " · kept / (1 − " + exact_text(dropout.probability) + ")";
  }

  std::string operator()(const KeepHeadsOperation& keep) const {
    std::vector<std::string> off;
    for (const Index head : keep.off) off.push_back(std::to_string(head));
    return reference() + ", 0 for head " + join(off, ", ");
  }

  std::string operator()(const SinusoidOperation& /*sinusoid*/) const {
    return "sin or cos of " + step_.axes[step_.axes.size() - 2].name + " / 10000^(" + step_.axes.back().name + "/" +
           std::to_string(step_.axes.back().size) + ")";
  }
  std::string operator()(const RotateOperation& /*rotate*/) const {
    return reference() + ", each pair turned by " + step_.axes[step_.axes.size() - 2].name + " / 10000^(" +
           step_.axes.back().name + "/" + std::to_string(step_.axes.back().size) + ")";
  }
  std::string operator()(const DistanceBiasOperation& bias) const {
    return reference() + " − " + (bias.head_axis < 0 ? number_text(bias.slope(0)) : "slope_head") + " · |" +
           step_.axes[step_.axes.size() - 2].name + " − " + step_.axes.back().name + "|";
  }

  std::string operator()(const RearrangeOperation& rearrange) const {
    std::vector<bool> stands(rearrange.labels.size(), true);
    for (const std::vector<int>& group : rearrange.out) {
      for (const int label : group) stands[static_cast<std::size_t>(label)] = false;
    }
    std::string slice;
    for (std::size_t i = 0; i < stands.size(); ++i) {
      if (stands[i]) slice += ", " + rearrange.labels[i] + " " + std::to_string(rearrange.at[i]);
    }
    return reference() + (slice.empty() ? ", reordered" : slice);
  }

 private:
  [[nodiscard]] const PlannedStep& input(std::size_t i) const {
    return steps_[static_cast<std::size_t>(step_.inputs[i])];
  }

  /// The first input with the names of its axes.
  [[nodiscard]] std::string reference() const {
    std::vector<std::string> names;
    names.reserve(input(0).axes.size());
    for (const Axis& axis : input(0).axes) names.push_back(axis.name);
    return input(0).name + bracketed(names);
  }

  /// An input with the labels of its axes.
  [[nodiscard]] std::string operand(const EinsumOperation& operation, std::size_t i,
                                    const std::vector<int>& labels) const {
    std::vector<std::string> names;
    names.reserve(labels.size());
    for (const int label : labels) names.push_back(operation.labels[static_cast<std::size_t>(label)]);
    return input(i).name + bracketed(names);
  }

  std::span<const PlannedStep> steps_;
  const PlannedStep& step_;
};

}  // namespace

std::string formula(std::span<const PlannedStep> steps, int step) {
  const PlannedStep& planned = steps[static_cast<std::size_t>(step)];
  return std::visit(Formula(steps, planned), planned.operation);
}

}  // namespace attnscope
