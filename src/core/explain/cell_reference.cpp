#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/explain/explain.h"

namespace attnscope {
namespace {

Result<int> step_called(std::span<const PlannedStep> steps, std::string_view name) {
  const auto step =
      std::find_if(steps.begin(), steps.end(), [&](const PlannedStep& each) { return each.name == name; });
  if (step != steps.end()) return static_cast<int>(step - steps.begin());
  std::vector<std::string> names;
  for (const PlannedStep& each : steps) names.push_back(each.name);
  const std::string nearest = suggestion_text(name, names);
  return fail("tensor " + quoted_text(name) + " is not in the trace" +
              (nearest.empty() ? "; it has " + join(names, ", ") : nearest));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// "3", "3:", ":5", "3:5" or ":" along an axis; nothing if it is none of these, or outside.
std::optional<std::pair<Index, Index>> parse_range(std::string_view text, Index size) {
  const std::string_view part = trimmed(text);
  const std::size_t colon = part.find(':');
  const auto number = [](std::string_view digits, Index otherwise) {
    return trimmed(digits).empty() ? std::optional(otherwise) : parse_integer(trimmed(digits));
  };
  const std::optional<Index> begin = number(part.substr(0, colon), colon == std::string_view::npos ? -1 : 0);
  const std::optional<Index> end = colon != std::string_view::npos ? number(part.substr(colon + 1), size)
                                   : begin                         ? std::optional(*begin + 1)
                                                                   : begin;
  if (!begin || !end || *begin < 0 || *begin >= *end || *end > size) return std::nullopt;
  return std::pair(*begin, *end);
}

}  // namespace

Result<CellReference> parse_cell(const Trace& trace, std::string_view text) {
  return parse_cell(trace.plan()->steps, text);
}

Result<CellName> parse_cell_name(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || !text.ends_with(']'))
    return fail(quoted_text(text) + " is not a cell; write TENSOR[i,j,…]", Error::Kind::usage);
  CellName cell = {text.substr(0, open), {}};
  for (const std::string& part : split(text.substr(open + 1, text.size() - open - 2), ',')) {
    const std::optional<Index> value = parse_integer(trimmed(part));
    if (!value)
      return fail(quoted_text(text) + ": " + quoted_text(part) + " is not a whole number", Error::Kind::usage);
    cell.index.push_back(*value);
  }
  return cell;
}

Result<CellReference> parse_cell(std::span<const PlannedStep> steps, std::string_view text) {
  Result<CellName> cell = parse_cell_name(text);
  if (!cell) return tl::unexpected(cell.error());
  const Result<int> number = step_called(steps, cell->tensor);
  if (!number) return tl::unexpected(number.error());
  const PlannedStep& step = steps[static_cast<std::size_t>(*number)];
  bool fits = cell->index.size() == step.axes.size();
  for (std::size_t i = 0; fits && i < cell->index.size(); ++i)
    fits = cell->index[i] >= 0 && cell->index[i] < step.axes[i].size;
  if (!fits) {
    std::vector<std::string> axes;
    for (const Axis& axis : step.axes) axes.push_back(axis.name + " < " + std::to_string(axis.size));
    return fail(std::string(text) + " is outside " + step.name + "; allowed: " + join(axes, ", "));
  }
  return CellReference{*number, std::move(cell->index)};
}

Result<Region> parse_region(std::span<const PlannedStep> steps, std::string_view text) {
  const std::size_t open = std::min(text.find('['), text.size());
  const Result<int> number = step_called(steps, trimmed(text.substr(0, open)));
  if (!number) return tl::unexpected(number.error());
  const Axes& axes = steps[static_cast<std::size_t>(*number)].axes;
  Region region = whole_region(*number, axes);
  if (open == text.size()) return region;
  const std::vector<std::string> parts =
      text.ends_with(']') ? split(text.substr(open + 1, text.size() - open - 2), ',') : std::vector<std::string>();
  bool fits = !parts.empty() && parts.size() <= axes.size();
  for (std::size_t axis = 0; fits && axis < parts.size(); ++axis) {
    const std::optional<std::pair<Index, Index>> range = parse_range(parts[axis], axes[axis].size);
    fits = range.has_value();
    if (fits) std::tie(region.begin[axis], region.end[axis]) = *range;
  }
  if (fits) return region;
  std::vector<std::string> allowed;
  for (const Axis& axis : axes) allowed.push_back(axis.name + " 0:" + std::to_string(axis.size));
  return fail(
      quoted_text(text) + " is not a slice of the tensor; allowed: indices and ranges within " + join(allowed, ", "),
      Error::Kind::usage);
}

}  // namespace attnscope
