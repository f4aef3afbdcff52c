#include "core/explain/explain.h"

namespace attnscope {

Explanation explain(const Trace& trace, int step, std::span<const Index> index) {
  const std::span<const PlannedStep> steps = trace.plan()->steps;
  const PlannedStep& planned = steps[static_cast<std::size_t>(step)];
  Explanation explanation;
  explanation.step = step;
  explanation.index.assign(index.begin(), index.end());
  explanation.value = static_cast<double>(trace.value(step, index));
  explanation.operation = planned.operation->name();
  explanation.regions = regions_behind(trace, step, index);
  std::vector<std::shared_ptr<const Tensor>> sources;
  for (const Region& region : explanation.regions) sources.push_back(trace.numbers(region));
  planned.operation->explain({{steps, planned}, index, explanation.regions, sources, trace.experiment().seed},
                             explanation);
  return explanation;
}

std::vector<Region> regions_behind(const Trace& trace, int step, std::span<const Index> index) {
  return regions_behind(trace.plan()->steps, single_cell(step, index));
}

}  // namespace attnscope
