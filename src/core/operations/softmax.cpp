#include "core/operations/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/python_text.h"
#include "core/kernels/softmax.h"
#include "core/operations/mask.h"
#include "core/operations/ops.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

// Elements that are one piece of work.
constexpr std::size_t kSoftmaxBlock = 65536;

}  // namespace

Value softmax(PlanBuilder& r, std::string name, Value input, double temperature) {
  return record_elementwise(r, std::move(name), input, SoftmaxOperation{temperature}, 5);
}

std::string SoftmaxOperation::formula(const StepInPlan& step) const {
  return "softmax_" + step.step.axes.back().name + " " + input_text(step) +
         (temperature == 1 ? "" : " / " + exact_text(temperature));
}

void SoftmaxOperation::compute(Inputs inputs, const StepContext& context, Tensor& out) const {
  const auto length = static_cast<std::size_t>(out.size(-1));
  const auto from = inputs[0]->values();
  const auto to = out.values();
  if (length == 0) return;
  const std::size_t rows = from.size() / length;
  const auto divisor = static_cast<float>(temperature);
  // As many rows as make one block some hundredths of a millisecond long.
  const std::size_t rows_each = std::max<std::size_t>(1, kSoftmaxBlock / length);
  const auto blocks = static_cast<Index>((rows + rows_each - 1) / rows_each);
  run_blocks(context.pool, 5 * static_cast<double>(from.size()), blocks, [&](Index block) {
    const std::size_t begin = static_cast<std::size_t>(block) * rows_each;
    for (std::size_t row = begin; row < std::min(begin + rows_each, rows) && !context.stop.stop_requested(); ++row)
      softmax_row(from.subspan(row * length, length), divisor, to.subspan(row * length, length));
  });
}

std::vector<Region> SoftmaxOperation::input_regions(const StepInPlan& step, const Region& region) const {
  Region rows = same_cells(step, region);
  rows.begin.back() = 0;
  rows.end.back() = step.step.axes.back().size;
  return {rows};
}

void SoftmaxOperation::compute_part(const StepPart& part, Inputs inputs, const StepContext& context,
                                    Tensor& out) const {
  compute_part_of_source(*this, part, inputs, context, out);
}

double SoftmaxOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
  return std::isfinite(inputs[0]) ? 1 : inputs[0];
}

void SoftmaxOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const Index length = cell.step.axes.back().size;
  double largest = -std::numeric_limits<double>::infinity();
  std::vector<Index> at(cell.index.begin(), cell.index.end());
  for (at.back() = 0; at.back() < length; ++at.back()) {
    e.operands.push_back(cell.operand(0, at));
    largest = std::max(largest, e.operands.back().value);
  }
  const std::string over = temperature == 1 ? ")" : ") / " + exact_text(temperature) + ")";
  std::vector<Index> row(cell.index.begin(), cell.index.end() - 1);
  std::string row_index = index_text(row);
  row_index.insert(row_index.size() - 1, row.empty() ? "j" : ", j");
  const std::string open = temperature == 1 ? "exp(" : "exp((";
  e.formula = open + cell.name(0) + " − m" + over + " / Σ_j " + open + cell.input(0).name + row_index + " − m" + over;
  double sum = 0;
  const bool nothing = std::all_of(e.operands.begin(), e.operands.end(), [](const Operand& operand) {
    return std::isinf(operand.value) && operand.value < 0;
  });
  for (const Operand& operand : e.operands) {
    // Where every score is −∞, so is the largest, and their difference is no number.
    const double exponent = nothing ? operand.value : (operand.value - largest) / temperature;
    const double value = std::exp(exponent);
    e.terms.push_back({"exp(" + number_text(exponent) + ")", value, 1});
    sum += value;
  }
  e.own_term = static_cast<std::size_t>(cell.index.back());
  const double own = e.terms[*e.own_term].value;
  e.results.push_back({"m: the largest score", largest});
  e.results.push_back({"denominator", sum});
  e.results.push_back({"numerator", own});
  e.computed = sum == 0 ? 0 : own / sum;
  if (sum == 0) e.note = "every key is masked in this row, so its weights are 0";
}

std::string SoftmaxOperation::python(const StepInPlan& step, std::span<const std::string> inputs) const {
  std::string weights =
      "torch.softmax(" + inputs[0] + (temperature == 1 ? "" : " / " + python_number(temperature)) + ", -1)";
  const auto* const mask = as<MaskOperation>(step.input(0).operation);
  if (mask == nullptr || mask->field->empty_rows() == 0) return weights;
  // PyTorch makes NaN of a row without any key.
  return "torch.where(" + inputs[0] + ".isneginf().all(-1, keepdim=True), 0.0, " + weights + ")";
}

}  // namespace attnscope
