// Activations of MLPs, and products of two tensors element by element.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/kernels/isa/instruction_set.h"
#include "core/operations/einsum.h"
#include "core/operations/ops.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

struct ActivationFormula {
  Activation activation;
  std::string_view name;
  std::string_view before;  ///< of the formula, with the argument between the two
  std::string_view after;
  double (*value)(double x);
};

double gelu_value(double x) { return x * 0.5 * (1 + std::erf(x / std::numbers::sqrt2)); }

double gelu_tanh_value(double x) {
  const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

constexpr std::array<ActivationFormula, 6> kFormulas = {{
    {Activation::relu, "relu", "max(0, ", ")", [](double x) { return x < 0 ? 0 : x; }},
    {Activation::gelu, "gelu", "x · Φ(x) of ", "", gelu_value},
    {Activation::gelu_tanh, "gelu_tanh", "½ x (1 + tanh(√(2/π) (x + 0.044715 x³))) of ", "", gelu_tanh_value},
    {Activation::quick_gelu, "quick_gelu", "x · sigmoid(1.702 x) of ", "",
     [](double x) { return x / (1 + std::exp(-1.702 * x)); }},
    {Activation::silu, "silu", "x · sigmoid(x) of ", "", [](double x) { return x / (1 + std::exp(-x)); }},
    {Activation::tanh, "tanh", "tanh(", ")", [](double x) { return std::tanh(x); }},
}};

const ActivationFormula& formula_of(Activation activation) { return kFormulas[static_cast<std::size_t>(activation)]; }

constexpr float kQuickGelu = 1.702F;

/// f of `count` numbers.
void activate_run(Activation activation, const float* in, float* out, Index count) {
  switch (activation) {
    case Activation::relu: std::transform(in, in + count, out, [](float x) { return x < 0 ? 0 : x; }); return;
    case Activation::gelu: kernels().gelu(in, out, count); return;
    case Activation::gelu_tanh: kernels().gelu_tanh(in, out, count); return;
    case Activation::quick_gelu: kernels().times_sigmoid(in, kQuickGelu, out, count); return;
    case Activation::silu: kernels().times_sigmoid(in, 1, out, count); return;
    case Activation::tanh: std::transform(in, in + count, out, [](float x) { return std::tanh(x); }); return;
  }
}

/// out = f(in) for each number.
struct ActivationOperation {
  Activation activation = Activation::relu;

  [[nodiscard]] std::string name() const { return std::string(formula_of(activation).name); }

  [[nodiscard]] std::string formula(const StepInPlan& step) const {
    const ActivationFormula& f = formula_of(activation);
    return std::string(f.before) + input_text(step) + std::string(f.after);
  }

  void compute(Inputs inputs, const StepContext& context, Tensor& out) const {
    const Index length = run_length(out);
    share_out(context, length == 0 ? 0 : out.count() / length, length * 8, [&](Index run) {
      activate_run(activation, inputs[0]->values().data() + run * length, out.values().data() + run * length, length);
    });
  }

  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const {
    return {same_cells(step, region)};
  }

  [[nodiscard]] double magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
    return std::isfinite(inputs[0]) ? inputs[0] + 1 : inputs[0];
  }

  void explain(const ExplainedCell& cell, Explanation& e) const {
    const double x = add_same_cell(cell, e);
    const ActivationFormula& f = formula_of(activation);
    e.formula = std::string(f.before) + cell.name(0) + std::string(f.after);
    e.computed = f.value(x);
    if (activation == Activation::gelu)
      e.results.push_back(
          {"Φ, the share of a normal distribution below it", 0.5 * (1 + std::erf(x / std::numbers::sqrt2))});
    if (activation == Activation::gelu_tanh)
      e.results.push_back({"√(2/π) · (x + 0.044715 x³)", std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)});
    if (activation == Activation::quick_gelu) e.results.push_back({"sigmoid(1.702 x)", 1 / (1 + std::exp(-1.702 * x))});
    if (activation == Activation::silu) e.results.push_back({"sigmoid(x)", 1 / (1 + std::exp(-x))});
  }

  [[nodiscard]] std::string python(const StepInPlan& /*step*/, std::span<const std::string> inputs) const {
    switch (activation) {
      case Activation::relu: return "torch.relu(" + inputs[0] + ")";
      case Activation::gelu: return "functional.gelu(" + inputs[0] + ")";
      case Activation::gelu_tanh: return "functional.gelu(" + inputs[0] + ", approximate=\"tanh\")";
      case Activation::quick_gelu: return inputs[0] + " * torch.sigmoid(1.702 * " + inputs[0] + ")";
      case Activation::silu: return "functional.silu(" + inputs[0] + ")";
      case Activation::tanh: break;
    }
    return "torch.tanh(" + inputs[0] + ")";
  }

  friend bool operator==(const ActivationOperation&, const ActivationOperation&) = default;
};

/// out = a · b for each number; both have the axes of the result.
struct MultiplyOperation {
  [[nodiscard]] std::string name() const { return "multiply"; }

  [[nodiscard]] std::string formula(const StepInPlan& step) const {
    return input_text(step) + " · " + input_text(step, 1);
  }

  void compute(Inputs inputs, const StepContext& context, Tensor& out) const {
    const Index length = run_length(out);
    share_out(context, length == 0 ? 0 : out.count() / length, length, [&](Index run) {
      const float* const a = inputs[0]->values().data() + run * length;
      const float* const b = inputs[1]->values().data() + run * length;
      float* const to = out.values().data() + run * length;
      for (Index i = 0; i < length; ++i) to[i] = a[i] * b[i];
    });
  }

  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const {
    return {same_cells(step, region), {step.step.inputs[1], region.begin, region.end}};
  }

  [[nodiscard]] double magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
    return inputs[0] * inputs[1];
  }

  void explain(const ExplainedCell& cell, Explanation& e) const {
    const double a = add_same_cell(cell, e);
    e.operands.push_back(cell.operand(1, {cell.index.begin(), cell.index.end()}));
    e.formula = cell.name(0) + " · " + cell.name(1);
    e.computed = a * e.operands.back().value;
  }

  [[nodiscard]] std::string python(const StepInPlan& /*step*/, std::span<const std::string> inputs) const {
    return inputs[0] + " * " + inputs[1];
  }

  friend bool operator==(const MultiplyOperation&, const MultiplyOperation&) = default;
};

}  // namespace

std::optional<Activation> activation_called(std::string_view name) {
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast") return Activation::gelu_tanh;
  if (name == "swish") return Activation::silu;
  for (const ActivationFormula& f : kFormulas) {
    if (f.name == name) return f.activation;
  }
  return std::nullopt;
}

Value activate(PlanBuilder& r, std::string name, Value input, Activation activation) {
  return record_elementwise(r, std::move(name), input, ActivationOperation{activation}, 20);
}

Value multiply(PlanBuilder& r, std::string name, Value a, Value b) {
  Axes axes = r.axes(a);
  const auto flops = static_cast<double>(element_count(axes));
  return r.record({std::move(name), MultiplyOperation{}, {a.step, b.step}, std::move(axes), flops});
}

}  // namespace attnscope
