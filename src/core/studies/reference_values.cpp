#include "core/studies/reference_values.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace attnscope {
namespace {

std::size_t decimals_of(const std::string& text) {
  const std::size_t point = text.find('.');
  return point == std::string::npos ? 0 : text.size() - point - 1;
}

std::string digits_like(const std::string& printed, double value) {
  return fixed_text(value, static_cast<int>(decimals_of(printed)));
}

double mean_of(const Tensor& tensor) {
  double sum = 0;
  for (const float value : tensor.values()) sum += static_cast<double>(value);
  return sum / static_cast<double>(tensor.count());
}

double statistic_of(const Tensor& tensor, const std::string& statistic) {
  const double mean = mean_of(tensor);
  if (statistic == "mean") return mean;
  double squares = 0;
  for (const float value : tensor.values())
    squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  return std::sqrt(squares / static_cast<double>(tensor.count() - 1));
}

/// The axes that remain after the index; nothing if the index does not fit.
std::optional<Axes> axes_left(const Axes& axes, const ReferenceValues& printed) {
  if (printed.index.size() > axes.size() || axes.size() - printed.index.size() > 2) return std::nullopt;
  for (std::size_t i = 0; i < printed.index.size(); ++i) {
    if (printed.index[i] < 0 || printed.index[i] >= axes[i].size) return std::nullopt;
  }
  return Axes(axes.begin() + std::ssize(printed.index), axes.end());
}

/// Offset of the number at that row and column of the remaining axes, or nothing.
std::optional<Index> offset_of(const Axes& axes, const ReferenceValues& printed, Index row, Index column) {
  const std::optional<Axes> left = axes_left(axes, printed);
  if (!left) return std::nullopt;
  const Index columns = left->empty() ? 1 : left->back().size;
  const Index rows = left->size() == 2 ? left->front().size : 1;
  if (row >= rows || column >= columns) return std::nullopt;
  Index offset = 0;
  for (std::size_t i = 0; i < axes.size(); ++i)
    offset = offset * axes[i].size + (i < printed.index.size() ? printed.index[i] : 0);
  return offset + row * columns + column;
}

}  // namespace

std::vector<std::vector<std::string>> computed_digits(const Trace& trace, const ReferenceValues& printed) {
  const Step* step = trace.find(printed.tensor);
  std::vector<std::vector<std::string>> computed = printed.rows;
  for (std::size_t row = 0; row < computed.size(); ++row) {
    for (std::size_t column = 0; column < computed[row].size(); ++column) {
      std::string& text = computed[row][column];
      if (step == nullptr) {
        text = "—";
      } else if (!printed.statistic.empty()) {
        text = digits_like(text, statistic_of(*step->tensor, printed.statistic));
      } else {
        const std::optional<Index> offset =
            offset_of(step->axes, printed, static_cast<Index>(row), static_cast<Index>(column));
        text = offset
                   ? digits_like(text, static_cast<double>(step->tensor->values()[static_cast<std::size_t>(*offset)]))
                   : "—";
      }
    }
  }
  return computed;
}

std::string reference_title(const ReferenceValues& printed) {
  if (!printed.statistic.empty()) return printed.statistic + " of " + printed.tensor;
  if (printed.index.empty()) return printed.tensor;
  std::vector<std::string> parts;
  for (const Index each : printed.index) parts.push_back(std::to_string(each));
  const bool whole_row = printed.rows.size() > 1 || printed.rows.front().size() > 1;
  if (whole_row) parts.emplace_back(":");
  return printed.tensor + "[" + join(parts, ", ") + "]";
}

Result<void> check_reference(std::span<const PlannedStep> steps, const ReferenceValues& printed) {
  const auto step =
      std::find_if(steps.begin(), steps.end(), [&](const PlannedStep& each) { return each.name == printed.tensor; });
  if (step == steps.end()) {
    std::vector<std::string> names;
    for (const PlannedStep& each : steps) names.push_back(each.name);
    const std::string nearest = suggestion_text(printed.tensor, names);
    return fail("tensor: " + quoted_text(printed.tensor) + " is not in the trace of the experiment" +
                (nearest.empty() ? "; allowed: " + join(names, ", ") : nearest));
  }
  if (!printed.statistic.empty()) return {};
  if (!axes_left(step->axes, printed)) {
    std::vector<std::string> axes;
    for (const Axis& axis : step->axes) axes.push_back(axis.name + " < " + std::to_string(axis.size));
    return fail("index: " + index_text(printed.index) + " is outside " + printed.tensor +
                "; allowed: " + join(axes, ", ") + "; at least all axes except the last two");
  }
  for (std::size_t row = 0; row < printed.rows.size(); ++row) {
    const auto columns = static_cast<Index>(printed.rows[row].size());
    if (columns > 0 && !offset_of(step->axes, printed, static_cast<Index>(row), columns - 1)) {
      return fail("printed: " + std::to_string(printed.rows.size()) + " rows of " + std::to_string(columns) +
                  " numbers exceed " + printed.tensor + ", which is " + shape_text(step->axes));
    }
  }
  return {};
}

}  // namespace attnscope
