#include "core/residual/residual_stream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/thread_pool.h"
#include "core/experiment/intervention.h"

namespace attnscope {
namespace {

int number_of(const Trace& trace, const Step* step) {
  return step == nullptr ? -1 : static_cast<int>(step - trace.steps().data());
}

std::vector<int> states_of(const Trace& trace) {
  std::string part = "decoder.";
  int state = number_of(trace, trace.find(part + "embedded"));
  if (state < 0) {
    part.clear();
    state = number_of(trace, trace.find("embedded"));
  }
  std::vector<int> states;
  for (Index layer = 1; state >= 0; ++layer) {
    states.push_back(state);
    const std::string after = part + "layer" + std::to_string(layer) + ".out";
    const Step* const changed = trace.find(changed_name(after));
    state = number_of(trace, changed != nullptr ? changed : trace.find(after));
  }
  return states;
}

std::vector<int> steps_between(const Trace& trace, int from, int to) {
  std::vector<int> between;
  for (int number = from + 1; number <= to; ++number) {
    const std::vector<int>& inputs = trace.step(number).inputs;
    const bool follows = std::ranges::any_of(
        inputs, [&](int input) { return input == from || std::ranges::find(between, input) != between.end(); });
    if (follows) between.push_back(number);
  }
  return between;
}

}  // namespace

std::optional<ResidualStream> residual_stream(const Trace& trace) {
  if (trace.experiment().model == nullptr) return std::nullopt;
  ResidualStream stream;
  stream.logits = number_of(trace, trace.find("logits"));
  stream.probabilities = number_of(trace, trace.find("probabilities"));
  if (stream.logits < 0 || stream.probabilities < 0) return std::nullopt;
  stream.states = states_of(trace);
  if (stream.states.empty()) return std::nullopt;
  stream.readout = steps_between(trace, stream.states.back(), stream.logits);
  if (stream.readout.empty() || stream.readout.back() != stream.logits) return std::nullopt;
  return stream;
}

/// Boxes of the weights, which all states share.
struct Readout::Boxes {
  ThreadPool pool;
  std::vector<std::pair<Region, std::shared_ptr<const Tensor>>> weights;
  Region last;  ///< of the logits
};

Readout::Readout(const Trace& trace, const ResidualStream& stream, StopToken stop)
    : trace_(trace), stream_(stream), stop_(std::move(stop)), boxes_(std::make_unique<Boxes>()) {}

Readout::~Readout() = default;

std::shared_ptr<const Tensor> Readout::logits(std::size_t state, Range positions, Range answers) {
  const Region region = {stream_.logits, {positions.begin, answers.begin}, {positions.end, answers.end}};
  // Other logits need other boxes of the weights.
  if (region != boxes_->last) boxes_->weights.clear();
  boxes_->last = region;
  return numbers(region, stream_.states[state]);
}

std::shared_ptr<const Tensor> Readout::numbers(const Region& region, int state) {
  const StepContext context = {trace_.experiment().seed, &boxes_->pool, stop_};
  if (region.step == stream_.states.back()) return trace_.numbers({state, region.begin, region.end}, context);
  if (std::ranges::find(stream_.readout, region.step) == stream_.readout.end()) {
    const auto known = std::ranges::find(boxes_->weights, region, &decltype(Boxes::weights)::value_type::first);
    if (known != boxes_->weights.end()) return known->second;
    return boxes_->weights.emplace_back(region, trace_.numbers(region, context)).second;
  }
  const std::vector<PlannedStep>& steps = trace_.plan()->steps;
  const PlannedStep& step = steps[static_cast<std::size_t>(region.step)];
  const std::vector<Region> sources = regions_behind(steps, region);
  std::vector<std::shared_ptr<const Tensor>> inputs;
  std::vector<const Tensor*> pointers;
  for (const Region& source : sources) {
    inputs.push_back(numbers(source, state));
    pointers.push_back(inputs.back().get());
  }
  auto out = std::make_shared<Tensor>(region_axes(step.axes, region));
  if (!stop_.stop_requested()) step.operation->compute_part({{steps, step}, region, sources}, pointers, context, *out);
  return out;
}

}  // namespace attnscope
