#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <cmath>
#include <new>

#include "core/ops.h"
#include "core/systems/systems.h"
#include "core/text.h"

namespace attnscope {

Recorder::Recorder(Mode mode, std::uint64_t seed, Progress progress, Substitutions substitutions)
    : mode_(mode),
      seed_(seed),
      progress_(std::move(progress)),
      substitutions_(std::move(substitutions)),
      generator_(seed) {}

std::string Recorder::reference(Value value) const {
  std::vector<std::string> names;
  for (const Axis& axis : axes(value)) names.push_back(axis.name);
  return step(value).name + (names.empty() ? "" : "[" + join(names, ", ") + "]");
}

void Recorder::discard(std::uint64_t draws) {
  // About 20 ms each, so that a stop is heard however many there are.
  constexpr std::uint64_t kDrawsBetweenChecks = 10'000'000;
  for (std::uint64_t left = draws; computes() && left > 0 && !stopped();) {
    const std::uint64_t now = std::min(left, kDrawsBetweenChecks);
    generator_.discard(now);
    left -= now;
  }
  numbers_drawn_ += draws;
  cost_.flops += static_cast<double>(draws);
}

Value Recorder::record(Step step, double flops, const std::function<void(Tensor&)>& fill) {
  const Index count = element_count(step.axes);
  cost_.bytes += static_cast<double>(count) * sizeof(float);
  cost_.numbers += std::min(count, std::numeric_limits<Index>::max() - cost_.numbers);
  cost_.flops += flops;
  cost_.tensors += 1;
  if (computes() && !stopped()) {
    auto tensor = std::make_shared<Tensor>(step.axes);
    fill(*tensor);
    step.tensor = std::move(tensor);
    const auto given = step.inputs.empty() ? substitutions_.find(step.name) : substitutions_.end();
    if (given != substitutions_.end()) {
      assert(given->second->axes() == step.axes);
      step.tensor = given->second;
    }
  }
  if (progress_.fraction != nullptr && progress_.total_flops > 0 && !stopped()) {
    *progress_.fraction =
        static_cast<float>(std::min(1.0, (progress_.done_flops + cost_.flops) / progress_.total_flops));
  }
  steps_.push_back(std::move(step));
  return {static_cast<int>(steps_.size()) - 1};
}

namespace {

/// By their bits, in 32-bit steps: the compiler makes vectors of it.
Index not_finite_count(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7f800000;
  constexpr std::size_t kChunk = 1U << 20U;
  Index count = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += kChunk) {
    std::uint32_t in_chunk = 0;
    for (const float value : values.subspan(begin, std::min(kChunk, values.size() - begin)))
      in_chunk += (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent ? 1U : 0U;
    count += in_chunk;
  }
  return count;
}

/// One warning for each tensor with numbers that are not finite, other than what a mask put there.
void warn_of_non_finite(const Recorder& recorder, std::span<const Step> steps, std::vector<std::string>& warnings) {
  if (recorder.stopped()) return;
  for (const Step& step : steps) {
    if (std::holds_alternative<MaskOperation>(step.operation)) continue;
    const Index bad = not_finite_count(step.tensor->values());
    if (bad > 0)
      warnings.push_back(step.name + " has " + grouped_text(bad) + (bad == 1 ? " number" : " numbers") +
                         " that are not finite");
  }
}

}  // namespace

Result<std::shared_ptr<const Trace>> run(const Experiment& experiment, const Progress& progress,
                                         const Substitutions& substitutions) {
  const auto start = std::chrono::steady_clock::now();
  const System* system = find_system(experiment.system);
  Recorder recorder(Recorder::Mode::compute, experiment.seed, progress, substitutions);
  try {
    system->run(experiment, recorder);
    std::vector<Step> steps = recorder.take_steps();
    std::vector<std::string> warnings = recorder.take_warnings();
    warn_of_non_finite(recorder, steps, warnings);
    if (recorder.stopped()) return fail("stopped before it was done");
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    return std::make_shared<const Trace>(experiment, std::move(steps), std::move(warnings), taken.count());
  } catch (const std::bad_alloc&) {
    return fail("this machine has no room for the " + bytes_text(cost_of(experiment).bytes) +
                " that the experiment takes");
  }
}

std::vector<Step> plan(const Experiment& experiment) {
  Recorder recorder(Recorder::Mode::plan, experiment.seed);
  find_system(experiment.system)->run(experiment, recorder);
  return recorder.take_steps();
}

Cost cost_of(const Experiment& experiment) {
  Recorder recorder(Recorder::Mode::plan, experiment.seed);
  find_system(experiment.system)->run(experiment, recorder);
  return recorder.cost();
}

}  // namespace attnscope
