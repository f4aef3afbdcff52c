#include "core/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/rearranged_index.h"
#include "core/text.h"

namespace attnscope {
namespace {

/// What the explanation of one operation needs at hand.
struct Cell {
  const Trace& trace;
  const Step& step;
  std::span<const Index> index;

  [[nodiscard]] const Step& input(std::size_t i) const {
    return trace.steps()[static_cast<std::size_t>(step.inputs[i])];
  }
  [[nodiscard]] Operand operand(std::size_t i, std::vector<Index> at) const {
    const double value = input(i).tensor->at(at);
    return {step.inputs[i], std::move(at), value};
  }
  [[nodiscard]] std::string name(std::size_t i) const { return input(i).name + index_text(index); }
};

Region single_cell(int step, std::span<const Index> index) {
  Region region = {step, {index.begin(), index.end()}, {index.begin(), index.end()}};
  for (Index& end : region.end) ++end;
  return region;
}

/// The last axis whole, the others fixed.
Region whole_row(int step, std::span<const Index> index, Index length) {
  Region region = single_cell(step, index);
  region.begin.back() = 0;
  region.end.back() = length;
  return region;
}

/// Values of a contraction's labels: those of the result are known, the summed ones run.
class LabelValues {
 public:
  LabelValues(const ContractOperation& operation, std::span<const Index> index)
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

  [[nodiscard]] Region region(int step, const std::vector<int>& axes) const {
    Region region = {step, {}, {}};
    for (const int label : axes) {
      const auto at = static_cast<std::size_t>(label);
      region.begin.push_back(summed_[at] ? 0 : values_[at]);
      region.end.push_back(summed_[at] ? operation_.sizes[at] : values_[at] + 1);
    }
    return region;
  }

 private:
  const ContractOperation& operation_;
  std::vector<Index> values_;
  std::vector<bool> summed_;
};

void explain_operation(const Cell& cell, const DrawOperation& draw, Explanation& e) {
  const auto nth = draw.numbers_before + static_cast<std::uint64_t>(cell.step.tensor->offset(cell.index)) + 1;
  const std::string seed = std::to_string(cell.trace.experiment().seed);
  e.formula = cell.step.formula;
  e.note = "drawn: number " + grouped_text(static_cast<Index>(nth)) + " of seed " + seed;
  e.computed = e.value;
}

void explain_operation(const Cell& cell, const ContractOperation& contract, Explanation& e) {
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
    e.terms.push_back({number_text(a) + " × " + number_text(b), a * b});
    sum += a * b;
  }
  if (!summed.empty()) e.results.push_back({"sum", sum});
  if (!contract.divisor_text.empty())
    e.results.push_back({"÷ " + contract.divisor_text + " = " + number_text(contract.divisor), sum / contract.divisor});
  e.computed = sum / contract.divisor;
}

void explain_operation(const Cell& cell, const MaskOperation& mask, Explanation& e) {
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

void explain_operation(const Cell& cell, const SoftmaxOperation& softmax, Explanation& e) {
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
    e.terms.push_back({"exp(" + number_text((operand.value - largest) / softmax.temperature) + ")", value});
    sum += value;
  }
  const double own = e.terms[static_cast<std::size_t>(cell.index.back())].value;
  e.results.push_back({"largest of the row, subtracted first", largest});
  e.results.push_back({"sum of the exponentials", sum});
  e.results.push_back({"this exponential", own});
  e.computed = sum == 0 ? 0 : own / sum;
  if (sum == 0) e.note = "no key is left in this row, so its weights are 0";
}

void explain_operation(const Cell& cell, const DropoutOperation& dropout, Explanation& e) {
  e.operands.push_back(cell.operand(0, {cell.index.begin(), cell.index.end()}));
  const bool keep = (*dropout.keep)[static_cast<std::size_t>(cell.step.tensor->offset(cell.index))];
  e.note = keep ? "kept by dropout" : "dropped";
  e.formula = keep ? cell.name(0) + " / (1 − " + exact_text(dropout.probability) + ")" : "0";
  e.computed = keep ? e.operands[0].value / (1 - dropout.probability) : 0;
}

std::vector<Index> source_index(const Cell& cell, const RearrangeOperation& rearrange) {
  const RearrangedIndex map(rearrange, cell.step.axes);
  return cell.input(0).tensor->index_at(map.source(cell.step.tensor->offset(cell.index)));
}

void explain_operation(const Cell& cell, const RearrangeOperation& rearrange, Explanation& e) {
  e.operands.push_back(cell.operand(0, source_index(cell, rearrange)));
  e.formula = cell.input(0).name + index_text(e.operands[0].index);
  e.note = "the same number in another place";
  e.computed = e.operands[0].value;
}

std::vector<Region> regions_of(const Cell&, const DrawOperation&) { return {}; }

std::vector<Region> regions_of(const Cell& cell, const ContractOperation& contract) {
  const LabelValues labels(contract, cell.index);
  return {labels.region(cell.step.inputs[0], contract.a), labels.region(cell.step.inputs[1], contract.b)};
}

std::vector<Region> regions_of(const Cell& cell, const SoftmaxOperation&) {
  return {whole_row(cell.step.inputs[0], cell.index, cell.step.axes.back().size)};
}

std::vector<Region> regions_of(const Cell& cell, const RearrangeOperation& rearrange) {
  return {single_cell(cell.step.inputs[0], source_index(cell, rearrange))};
}

template <typename ElementWise>
std::vector<Region> regions_of(const Cell& cell, const ElementWise&) {
  return {single_cell(cell.step.inputs[0], cell.index)};
}

}  // namespace

Explanation explain(const Trace& trace, int step, std::span<const Index> index) {
  const Cell cell = {trace, trace.steps()[static_cast<std::size_t>(step)], index};
  Explanation explanation;
  explanation.step = step;
  explanation.index.assign(index.begin(), index.end());
  explanation.value = cell.step.tensor->at(index);
  explanation.operation = operation_name(cell.step.operation);
  std::visit([&](const auto& operation) { explain_operation(cell, operation, explanation); }, cell.step.operation);
  explanation.regions = regions_behind(trace, step, index);
  return explanation;
}

std::vector<Region> regions_behind(const Trace& trace, int step, std::span<const Index> index) {
  const Cell cell = {trace, trace.steps()[static_cast<std::size_t>(step)], index};
  return std::visit([&](const auto& operation) { return regions_of(cell, operation); }, cell.step.operation);
}

Result<CellReference> parse_cell(const Trace& trace, std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || !text.ends_with(']'))
    return fail(quoted_text(text) + " is no cell; write TENSOR[i,j,…]", Error::Kind::usage);
  const std::string_view name = text.substr(0, open);
  const Step* step = trace.find(name);
  if (step == nullptr) {
    std::vector<std::string> names;
    for (const Step& each : trace.steps()) names.push_back(each.name);
    const std::string nearest = suggestion_text(name, names);
    return fail("tensor " + quoted_text(name) + " is not in the trace" +
                (nearest.empty() ? "; it has " + join(names, ", ") : nearest));
  }
  CellReference cell = {static_cast<int>(step - trace.steps().data()), {}};
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  for (const std::string& part : split(inside, ',')) {
    const std::size_t begin = part.find_first_not_of(' ');
    const std::size_t end = part.find_last_not_of(' ');
    const std::optional<Index> value = begin == std::string::npos
                                           ? std::nullopt
                                           : parse_integer(std::string_view(part).substr(begin, end - begin + 1));
    if (!value) return fail(quoted_text(text) + ": " + quoted_text(part) + " is no whole number", Error::Kind::usage);
    cell.index.push_back(*value);
  }
  bool fits = cell.index.size() == step->axes.size();
  for (std::size_t i = 0; fits && i < cell.index.size(); ++i)
    fits = cell.index[i] >= 0 && cell.index[i] < step->axes[i].size;
  if (!fits) {
    std::vector<std::string> axes;
    for (const Axis& axis : step->axes) axes.push_back(axis.name + " < " + std::to_string(axis.size));
    return fail(std::string(text) + " is outside " + step->name + "; allowed: " + join(axes, ", "));
  }
  return cell;
}

}  // namespace attnscope
