#include "core/explain/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/axis_groups.h"
#include "core/base/text.h"
#include "core/explain/explain_cell.h"
#include "core/operations/rearranged_index.h"

namespace attnscope {
namespace {

/// Values of an operation's labels: those of the result are known, the summed ones run.
class LabelValues {
 public:
  LabelValues(const EinsumOperation& operation, std::span<const Index> index)
      : operation_(operation), values_(operation.labels.size(), 0), summed_(operation.labels.size(), true) {
    for (std::size_t i = 0; i < index.size(); ++i) {
      values_[static_cast<std::size_t>(operation.out[i])] = index[i];
      summed_[static_cast<std::size_t>(operation.out[i])] = false;
    }
  }

  /// The next combination of the summed labels; false after the last one.
  bool advance() {
    for (std::size_t i = values_.size(); i-- > 0;) {
      if (!summed_[i]) continue;
      if (++values_[i] < operation_.sizes[i]) return true;
      values_[i] = 0;
    }
    return false;
  }

  [[nodiscard]] std::vector<Index> index(const std::vector<int>& axes) const {
    std::vector<Index> at;
    at.reserve(axes.size());
    for (const int label : axes) at.push_back(values_[static_cast<std::size_t>(label)]);
    return at;
  }

  /// "[1, 2, dim]": numbers where known, names where summed over.
  [[nodiscard]] std::string text(const std::vector<int>& axes) const {
    std::vector<std::string> parts;
    for (const int label : axes) {
      const auto at = static_cast<std::size_t>(label);
      parts.push_back(summed_[at] ? operation_.labels[at] : std::to_string(values_[at]));
    }
    return "[" + join(parts, ", ") + "]";
  }

  [[nodiscard]] std::vector<std::string> summed() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < summed_.size(); ++i) {
      if (summed_[i]) names.push_back(operation_.labels[i]);
    }
    return names;
  }

 private:
  const EinsumOperation& operation_;
  std::vector<Index> values_;
  std::vector<bool> summed_;
};

/// That a factor of 0, a masked weight for one, does not keep what is not finite out of a product. `terms`: pairs of
/// operands.
std::string zeros_note(const ExplainedCell& cell, std::span<const Operand> terms) {
  const auto text = [&](const Operand& operand) {
    return cell.trace.steps()[static_cast<std::size_t>(operand.step)].name + index_text(operand.index) + " = " +
           number_text(operand.value);
  };
  std::size_t count = 0;
  std::string first;
  for (std::size_t i = 0; i + 1 < terms.size(); i += 2) {
    const bool left = terms[i].value == 0 && !std::isfinite(terms[i + 1].value);
    const bool right = terms[i + 1].value == 0 && !std::isfinite(terms[i].value);
    if (!left && !right) continue;
    if (count == 0) first = text(terms[left ? i : i + 1]) + " does not keep " + text(terms[left ? i + 1 : i]) + " out";
    ++count;
  }
  if (count == 0) return "";
  const std::string more = count == 1 ? "" : " (and " + grouped_text(static_cast<Index>(count - 1)) + " more)";
  return "0 times what is not finite is NaN, as in PyTorch: " + first + more;
}

void explain_operation(const ExplainedCell& cell, const ContractOperation& contract, Explanation& e) {
  LabelValues labels(contract, cell.index);
  const std::vector<std::string> summed = labels.summed();
  e.formula = (summed.empty() ? "" : "Σ_" + join(summed, ",") + " ") + cell.input(0).name + labels.text(contract.a) +
              " · " + cell.input(1).name + labels.text(contract.b);
  if (!contract.divisor_text.empty()) e.formula += " / " + contract.divisor_text;

  double sum = 0;
  const bool nothing = std::any_of(contract.sizes.begin(), contract.sizes.end(), [](Index size) { return size == 0; });
  for (bool more = !nothing; more; more = labels.advance()) {
    e.operands.push_back(cell.operand(0, labels.index(contract.a)));
    e.operands.push_back(cell.operand(1, labels.index(contract.b)));
    const double a = e.operands[e.operands.size() - 2].value;
    const double b = e.operands.back().value;
    e.terms.push_back({number_text(a) + " × " + number_text(b), a * b, 2});
    sum += a * b;
  }
  e.note = zeros_note(cell, e.operands);
  if (!summed.empty()) e.results.push_back({"sum", sum});
  if (cell.step.inputs.size() > 2) {
    e.formula += " + " + cell.input(2).name + labels.text(contract.bias);
    e.operands.push_back(cell.operand(2, labels.index(contract.bias)));
    sum += e.operands.back().value;
    e.results.push_back(
        {"plus " + cell.input(2).name + labels.text(contract.bias) + " = " + number_text(e.operands.back().value),
         sum});
  }
  if (!contract.divisor_text.empty())
    e.results.push_back({"÷ " + contract.divisor_text + " = " + number_text(contract.divisor), sum / contract.divisor});
  e.computed = sum / contract.divisor;
}

void explain_operation(const ExplainedCell& cell, const AddOperation& add, Explanation& e) {
  const LabelValues labels(add, cell.index);
  e.operands = {cell.operand(0, labels.index(add.a)), cell.operand(1, labels.index(add.b))};
  e.formula = cell.input(0).name + labels.text(add.a) + " + " + cell.input(1).name + labels.text(add.b);
  e.computed = e.operands[0].value + e.operands[1].value;
  if (!add.tanh) return;
  e.formula = "tanh(" + e.formula + ")";
  e.results.push_back({"sum", e.computed});
  e.computed = std::tanh(e.computed);
}

void explain_operation(const ExplainedCell& cell, const ScaleOperation& scale, Explanation& e) {
  e.operands.push_back(cell.operand(0, {cell.index.begin(), cell.index.end()}));
  e.formula = cell.name(0) + " / " + scale.divisor_text;
  e.results.push_back({scale.divisor_text, scale.divisor});
  e.computed = e.operands[0].value / scale.divisor;
}

/// Adds the members of the group that `index` of the input belongs to as operands; returns their mean.
double add_group(const ExplainedCell& cell, const std::vector<bool>& over, std::vector<Index> index, Explanation& e) {
  const Axes& axes = cell.input(0).axes;
  for (std::size_t axis = 0; axis < over.size(); ++axis) {
    if (over[axis]) index[axis] = 0;
  }
  const Index start = offset_in(axes, index);
  double sum = 0;
  const std::vector<Index> members = axis_groups(axes, over).members;
  e.operands.reserve(members.size());
  for (const Index member : members) {
    e.operands.push_back(cell.operand(0, index_in(axes, start + member)));
    sum += e.operands.back().value;
  }
  return sum / static_cast<double>(members.size());
}

std::string names_text(const Axes& axes, const std::vector<bool>& over) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (over[i]) names.push_back(axes[i].name);
  }
  return join(names, ",");
}

void explain_operation(const ExplainedCell& cell, const NormalizeOperation& normalize, Explanation& e) {
  const double mean = add_group(cell, normalize.over, {cell.index.begin(), cell.index.end()}, e);
  double sum = 0;
  e.terms.reserve(e.operands.size());
  for (const Operand& operand : e.operands) {
    const double apart = operand.value - mean;
    e.terms.push_back({"(" + number_text(operand.value) + " − mean)²", apart * apart, 1});
    sum += apart * apart;
  }
  const double variance = sum / static_cast<double>(e.operands.size());
  const double own = cell.operand(0, {cell.index.begin(), cell.index.end()}).value - mean;
  const std::string whose = names_text(cell.step.axes, normalize.over);
  const std::string epsilon = exact_text(normalize.epsilon);
  e.formula = "(" + cell.name(0) + " − mean_" + whose + ") / √(variance_" + whose + " + " + epsilon + ")";
  e.results.push_back({"mean of " + grouped_text(static_cast<Index>(e.operands.size())) + " numbers", mean});
  e.results.push_back({"variance: the sum of the squares over their number", variance});
  e.results.push_back({"this number − mean", own});
  e.results.push_back({"√(variance + " + epsilon + ")", std::sqrt(variance + normalize.epsilon)});
  e.computed = own / std::sqrt(variance + normalize.epsilon);
}

std::vector<bool> mean_axes(const ExplainedCell& cell, const MeanOperation& mean) {
  std::vector<bool> over(cell.input(0).axes.size(), false);
  over[static_cast<std::size_t>(mean.axis)] = true;
  return over;
}

/// The cell of the input that is first among those behind `cell`.
std::vector<Index> mean_start(const ExplainedCell& cell, const MeanOperation& mean) {
  std::vector<Index> index(cell.index.begin(), cell.index.end());
  index.insert(index.begin() + mean.axis, 0);
  return index;
}

void explain_operation(const ExplainedCell& cell, const MeanOperation& mean, Explanation& e) {
  e.computed = add_group(cell, mean_axes(cell, mean), mean_start(cell, mean), e);
  for (const Operand& operand : e.operands) e.terms.push_back({number_text(operand.value), operand.value, 1});
  const auto count = static_cast<double>(e.operands.size());
  std::vector<std::string> parts;
  for (const Index at : cell.index) parts.push_back(std::to_string(at));
  const std::string& name = cell.input(0).axes[static_cast<std::size_t>(mean.axis)].name;
  parts.insert(parts.begin() + mean.axis, name);
  e.formula = "mean_" + name + " " + cell.input(0).name + "[" + join(parts, ", ") + "]";
  e.results.push_back({"sum", e.computed * count});
  e.results.push_back({"÷ " + exact_text(count), e.computed});
}

void explain_operation(const ExplainedCell& cell, const MaskOperation& mask, Explanation& e) {
  e.operands.push_back(cell.operand(0, {cell.index.begin(), cell.index.end()}));
  Index batch = 0;
  Index head = 0;
  const Axes& axes = cell.step.axes;
  for (std::size_t i = 0; i + 2 < axes.size(); ++i) (axes[i].name == "head" ? head : batch) = cell.index[i];
  const bool keep = mask.field->keeps(batch, head, cell.index[cell.index.size() - 2], cell.index.back());
  e.formula = keep ? cell.name(0) : number_text(mask.fill);
  e.note = std::string(keep ? "kept" : "masked") + " by " + mask_text(mask.field->mask());
  e.computed = keep ? e.operands[0].value : mask.fill;
}

void explain_operation(const ExplainedCell& cell, const SoftmaxOperation& softmax, Explanation& e) {
  const Index length = cell.step.axes.back().size;
  double largest = -std::numeric_limits<double>::infinity();
  std::vector<Index> at(cell.index.begin(), cell.index.end());
  for (at.back() = 0; at.back() < length; ++at.back()) {
    e.operands.push_back(cell.operand(0, at));
    largest = std::max(largest, e.operands.back().value);
  }
  const std::string over = softmax.temperature == 1 ? "" : " / " + exact_text(softmax.temperature);
  std::vector<Index> row(cell.index.begin(), cell.index.end() - 1);
  std::string row_index = index_text(row);
  row_index.insert(row_index.size() - 1, row.empty() ? "j" : ", j");
  e.formula = "exp(" + cell.name(0) + over + ") / Σ_j exp(" + cell.input(0).name + row_index + over + ")";
  double sum = 0;
  const bool nothing = std::all_of(e.operands.begin(), e.operands.end(), [](const Operand& operand) {
    return std::isinf(operand.value) && operand.value < 0;
  });
  for (const Operand& operand : e.operands) {
    const double value = nothing ? 0 : std::exp((operand.value - largest) / softmax.temperature);
    e.terms.push_back({"exp(" + number_text((operand.value - largest) / softmax.temperature) + ")", value, 1});
    sum += value;
  }
  const double own = e.terms[static_cast<std::size_t>(cell.index.back())].value;
  e.results.push_back({"minus row maximum", largest});
  e.results.push_back({"sum of the row", sum});
  e.results.push_back({"this exponential", own});
  e.computed = sum == 0 ? 0 : own / sum;
  if (sum == 0) e.note = "no key is left in this row, so its weights are 0";
}

void explain_operation(const ExplainedCell& cell, const DropoutOperation& dropout, Explanation& e) {
  e.operands.push_back(cell.operand(0, {cell.index.begin(), cell.index.end()}));
  const bool keep = dropout.keeps(cell.trace.experiment().seed, offset_in(cell.step.axes, cell.index));
  e.note = keep ? "kept by dropout" : "dropped";
  e.formula = keep ? cell.name(0) + " / (1 − " + exact_text(dropout.probability) + ")" : "0";
  e.computed = keep ? e.operands[0].value / (1 - dropout.probability) : 0;
}

void explain_operation(const ExplainedCell& cell, const KeepHeadsOperation& keep, Explanation& e) {
  e.operands.push_back(cell.operand(0, {cell.index.begin(), cell.index.end()}));
  const bool on = keep.keeps(cell.index[static_cast<std::size_t>(keep.axis)]);
  e.note = on ? "this head is on" : "this head is switched off";
  e.formula = on ? cell.name(0) : "0";
  e.computed = on ? e.operands[0].value : 0;
}

std::vector<Index> source_index(const ExplainedCell& cell, const RearrangeOperation& rearrange) {
  const RearrangedIndex map(rearrange, cell.step.axes);
  return index_in(cell.input(0).axes, map.source(offset_in(cell.step.axes, cell.index)));
}

void explain_operation(const ExplainedCell& cell, const RearrangeOperation& rearrange, Explanation& e) {
  e.operands.push_back(cell.operand(0, source_index(cell, rearrange)));
  e.formula = cell.input(0).name + index_text(e.operands[0].index);
  e.note = "the same number in another place";
  e.computed = e.operands[0].value;
}

}  // namespace

Explanation explain(const Trace& trace, int step, std::span<const Index> index) {
  Explanation explanation;
  explanation.step = step;
  explanation.index.assign(index.begin(), index.end());
  explanation.regions = regions_behind(trace, step, index);
  ExplainedCell cell = {trace, trace.steps()[static_cast<std::size_t>(step)], index, explanation.regions, {}};
  for (const Region& region : explanation.regions) cell.behind.push_back(trace.numbers(region));
  explanation.value = static_cast<double>(trace.value(step, index));
  explanation.operation = operation_name(cell.step.operation);
  std::visit([&](const auto& operation) { explain_operation(cell, operation, explanation); }, cell.step.operation);
  return explanation;
}

std::vector<Region> regions_behind(const Trace& trace, int step, std::span<const Index> index) {
  return regions_behind(trace.plan()->steps, single_cell(step, index));
}

}  // namespace attnscope
