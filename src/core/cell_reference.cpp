#include <algorithm>
#include <optional>

#include "core/explain.h"
#include "core/text.h"

namespace attnscope {

Result<CellReference> parse_cell(const Trace& trace, std::string_view text) {
  return parse_cell(trace.plan()->steps, text);
}

Result<CellReference> parse_cell(std::span<const PlannedStep> steps, std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || !text.ends_with(']'))
    return fail(quoted_text(text) + " is no cell; write TENSOR[i,j,…]", Error::Kind::usage);
  const std::string_view name = text.substr(0, open);
  const auto step =
      std::find_if(steps.begin(), steps.end(), [&](const PlannedStep& each) { return each.name == name; });
  if (step == steps.end()) {
    std::vector<std::string> names;
    for (const PlannedStep& each : steps) names.push_back(each.name);
    const std::string nearest = suggestion_text(name, names);
    return fail("tensor " + quoted_text(name) + " is not in the trace" +
                (nearest.empty() ? "; it has " + join(names, ", ") : nearest));
  }
  CellReference cell = {static_cast<int>(step - steps.begin()), {}};
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
