#include "core/trace.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace attnscope {

std::string operation_name(const Operation& operation) {
  // In the order of the variant's alternatives.
  constexpr std::array<const char*, std::variant_size_v<Operation>> kNames = {
      "draw", "constant", "contract", "add", "scale", "normalize", "mean", "mask", "softmax", "dropout", "rearrange"};
  return kNames[operation.index()];
}

Trace::Trace(Experiment experiment, std::vector<Step> steps, std::vector<std::string> warnings, double compute_seconds)
    : experiment_(std::move(experiment)),
      steps_(std::move(steps)),
      warnings_(std::move(warnings)),
      compute_seconds_(compute_seconds) {
  for (const Step& step : steps_) number_count_ += step.tensor->count();
}

const Step* Trace::find(std::string_view name) const {
  const auto found = std::find_if(steps_.begin(), steps_.end(), [&](const Step& step) { return step.name == name; });
  return found == steps_.end() ? nullptr : &*found;
}

const Tensor& Trace::tensor(std::string_view name) const {
  const Step* step = find(name);
  assert(step != nullptr);
  return *step->tensor;
}

}  // namespace attnscope
