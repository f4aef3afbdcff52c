#include "figure/slices/measured_heads.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attnscope {
namespace {

/// What the measures depend on.
struct MeasuredFrom {
  std::shared_ptr<const Tensor> weights;    ///< null: not in memory
  std::shared_ptr<const LazyTensors> lazy;  ///< what computes them then
  std::vector<std::string> labels;
  Mask mask;
  int step = 0;
  Index item = 0;

  friend bool operator==(const MeasuredFrom&, const MeasuredFrom&) = default;
};

}  // namespace

std::shared_ptr<const HeadMeasures> measured_heads(const Trace& trace, const Step& step, const ViewOptions& options,
                                                   Index item) {
  const auto position = static_cast<int>(&step - trace.steps().data());
  const auto make = [&]() -> std::shared_ptr<const HeadMeasures> {
    std::optional<HeadMeasures> result = measure_heads(trace, position, item, options.stop);
    return result ? std::make_shared<const HeadMeasures>(std::move(*result)) : nullptr;
  };
  if (options.cache == nullptr) return make();
  const MeasuredFrom from = {step.tensor, trace.lazy(), trace.experiment().labels, trace.experiment().mask(),
                             position,    item};
  return options.cache->find_or_make<HeadMeasures>(from, make);
}

}  // namespace attnscope
