#include "figure/slices/every_head.h"

#include <tuple>
#include <utility>

#include "figure/slices/selected.h"

namespace attnscope {
namespace {

constexpr double kMostWeights = 2e9;

using ComparedHeads = std::vector<ComparedHead>;

/// The tensors of all weights: not in memory, null.
std::vector<std::shared_ptr<const Tensor>> weights_of(const Trace& trace) {
  std::vector<std::shared_ptr<const Tensor>> tensors;
  for (const Step& step : trace.steps()) {
    if (is_weights(step)) tensors.push_back(step.tensor);
  }
  return tensors;
}

}  // namespace

bool has_too_many_weights(const Trace& trace) {
  double count = 0;
  for (const Step& step : trace.steps()) {
    if (is_weights(step)) count += static_cast<double>(element_count(step.axes));
  }
  return count > kMostWeights;
}

std::shared_ptr<const std::vector<ComparedHead>> every_head(const Trace& trace, const ViewOptions& options,
                                                            const std::optional<HeadPlace>& with) {
  const Trace& other = with ? trace : *options.pinned;
  const Index item = selected_slice(trace, options.values).item;
  const auto make = [&]() -> std::shared_ptr<const ComparedHeads> {
    std::optional<ComparedHeads> made = compare_every_head(trace, other, with, item, options.stop);
    return made ? std::make_shared<const ComparedHeads>(std::move(*made)) : nullptr;
  };
  if (options.cache == nullptr) return make();
  const std::tuple source(weights_of(trace), trace.lazy(), weights_of(other), other.lazy(), with, item);
  return options.cache->find_or_make<ComparedHeads>(source, make);
}

}  // namespace attnscope
