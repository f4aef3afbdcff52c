#include "core/imported/script_imported.h"

#include <algorithm>
#include <vector>

#include "core/base/text.h"

namespace attnscope {

std::string imported_code(const LayerTensor& tensor) {
  const ImportOperation& given = tensor.numbers;
  std::string code = "given[" + python_text(given.from->python_name(given.which)) + "]";
  std::vector<std::string> at;
  std::vector<int> kept;
  for (std::size_t axis = 0; axis < given.at.size(); ++axis) {
    const auto number = static_cast<int>(axis);
    const bool stays = std::find(given.axes.begin(), given.axes.end(), number) != given.axes.end();
    at.push_back(stays ? ":" : std::to_string(given.at[axis]));
    if (stays) kept.push_back(number);
  }
  if (kept.size() < given.at.size()) code += "[" + join(at, ", ") + "]";
  std::vector<std::string> order;
  for (const int axis : given.axes)
    order.push_back(std::to_string(std::find(kept.begin(), kept.end(), axis) - kept.begin()));
  if (!std::is_sorted(given.axes.begin(), given.axes.end())) code += ".permute(" + join(order, ", ") + ")";
  return code;
}

void write_imported(Script& s, const std::set<std::size_t>& which) {
  const ImportedTensors& given = *s.experiment().tensors;
  std::vector<std::string> names;
  names.reserve(which.size());
  for (const std::size_t each : which) names.push_back(given.python_name(each));
  s.code(given.python_reading(names));
}

}  // namespace attnscope
