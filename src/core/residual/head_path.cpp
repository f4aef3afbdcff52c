#include "core/residual/head_path.h"

#include <vector>

#include "core/operations/contract.h"
#include "core/operations/rearrange.h"

namespace attnscope {
namespace {

/// The first step behind another of which `is_it` holds; −1: none.
template <typename IsIt>
int step_behind(const Trace& trace, int number, const IsIt& is_it) {
  for (++number; number < std::ssize(trace.steps()); ++number) {
    if (is_it(trace.step(number))) return number;
  }
  return -1;
}

}  // namespace

Result<HeadPath> head_path(const Trace& trace, int weights) {
  HeadPath path;
  path.outputs = step_behind(trace, weights, [&](const Step& step) {
    return is<ContractOperation>(step.operation) && step.inputs.size() == 2 && step.inputs[0] == weights;
  });
  path.merged = step_behind(trace, path.outputs, [&](const Step& step) {
    if (!is<RearrangeOperation>(step.operation)) return false;
    const std::vector<int>& before = trace.step(step.inputs[0]).inputs;
    return step.inputs[0] == path.outputs || (!before.empty() && before[0] == path.outputs);
  });
  path.projection = step_behind(trace, path.merged, [&](const Step& step) {
    return is<ContractOperation>(step.operation) && step.inputs[0] == path.merged;
  });
  if (path.outputs < 0 || path.merged < 0 || path.projection < 0)
    return fail("The outputs of these heads are not projected.");
  return path;
}

Region value_at(const Trace& trace, const HeadPath& path, Index head, Index key) {
  const Axes& axes = trace.step(path.outputs).axes;
  Region value = regions_behind(trace.plan()->steps, region_within(path.outputs, axes, std::vector<Index>{head, 0}))[1];
  value.begin[1] = key;
  value.end[1] = key + 1;
  return value;
}

}  // namespace attnscope
