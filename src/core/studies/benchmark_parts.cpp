// A forward pass in parts, each measured by itself.
#include <algorithm>
#include <chrono>

#include "core/compute/attention_steps.h"
#include "core/compute/compute_attention.h"
#include "core/operations/contract.h"
#include "core/studies/benchmark.h"
#include "core/trace/run.h"

namespace attnscope {
namespace {

// Tensors of fewer bytes together may stay in the caches.
constexpr double kCached = 32e6;

/// Some steps of a trace, to be computed again into tensors of their own.
class TracePart {
 public:
  TracePart(const Trace& trace, std::string name, std::vector<int> steps) : trace_(trace), steps_(std::move(steps)) {
    part_.part = std::move(name);
  }

  /// The operations it needs. `kept`: the share of the scores that count.
  PartTiming costs(const std::optional<AttentionSteps>& attention, double kept) {
    double bytes = 0;
    for (const int step : steps_) {
      const Step& each = trace_.step(step);
      bytes += bytes_of(step);
      for (const int input : each.inputs) {
        if (std::ranges::find(steps_, input) == steps_.end()) bytes += bytes_of(input);
      }
      const bool in_attention = attention && (step == attention->scores || step == attention->weights ||
                                              (attention->outputs >= 0 && step == attention->outputs));
      const double share = in_attention ? kept : 1;
      if (attention && step == attention->weights) part_.exponentials += share * bytes_of(step) / sizeof(float);
      part_.flops += share * product_flops(trace_.plan()->steps[static_cast<std::size_t>(step)]);
    }
    if (bytes > kCached) part_.bytes = bytes;
    return part_;
  }

  void make_room() {
    for (const int step : steps_) made_.push_back(std::make_unique<Tensor>(trace_.step(step).axes));
  }
  /// One step after the other.
  void compute(const StepContext& context) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = trace_.step(steps_[i]);
      std::vector<const Tensor*> inputs;
      for (const int input : step.inputs) inputs.push_back(trace_.step(input).tensor.get());
      step.operation->compute(inputs, context, *made_[i]);
    }
  }
  /// A few rows of all steps at a time, as in a pass.
  void compute_together(const AttentionSteps& attention, const StepContext& context) {
    AttentionTensors tensors;
    tensors.q = trace_.step(attention.q).tensor.get();
    tensors.k = trace_.step(attention.k).tensor.get();
    tensors.scores = made(attention.scores);
    tensors.masked = made(attention.masked);
    tensors.hidden_later = trace_.step(attention.scores).tensor->has_room();  // as the pass did
    tensors.weights = made(attention.weights);
    tensors.outputs = made(attention.outputs);
    if (attention.outputs >= 0) tensors.v = trace_.step(attention.v).tensor.get();
    compute_attention(*trace_.plan(), attention, tensors,
                      whole_region(attention.scores, trace_.step(attention.scores).axes), context, nullptr);
  }

 private:
  [[nodiscard]] double bytes_of(int step) const {
    return static_cast<double>(element_count(trace_.step(step).axes)) * sizeof(float);
  }
  [[nodiscard]] Tensor* made(int step) const {
    const auto at = std::ranges::find(steps_, step);
    return at == steps_.end() ? nullptr : made_[static_cast<std::size_t>(at - steps_.begin())].get();
  }

  const Trace& trace_;
  std::vector<int> steps_;
  PartTiming part_;
  std::vector<std::unique_ptr<Tensor>> made_;
};

/// The steps that are computed from others, by the part they belong to. Parts without a step are left out.
std::vector<std::pair<std::string, std::vector<int>>> parts_of(const Plan& plan, const AttentionSteps& attention) {
  std::vector<std::pair<std::string, std::vector<int>>> parts = {{"projection", {}}, {"copies", {}},  {"scores", {}},
                                                                 {"mask", {}},       {"softmax", {}}, {"values", {}},
                                                                 {"output", {}}};
  const auto part_of = [&](int step) {
    if (step == attention.scores) return 2;
    if (step == attention.masked) return 3;
    if (step == attention.weights) return 4;
    if (step == attention.outputs) return 5;
    if (!is<ContractOperation>(plan.steps[static_cast<std::size_t>(step)].operation)) return 1;
    return step < attention.scores ? 0 : 6;
  };
  for (int step = 0; step < std::ssize(plan.steps); ++step) {
    if (!plan.steps[static_cast<std::size_t>(step)].inputs.empty())
      parts[static_cast<std::size_t>(part_of(step))].second.push_back(step);
  }
  std::erase_if(parts, [](const auto& part) { return part.second.empty(); });
  return parts;
}

}  // namespace

Result<std::vector<PartTiming>> Benchmark::parts(const Experiment& experiment) {
  Progress progress;
  progress.pool = &pool_;
  const Result<std::shared_ptr<const Trace>> run = Executor(kUnlimitedMemory).run(experiment, progress);
  if (!run) return tl::unexpected(run.error());
  const Trace& trace = **run;
  const Step* const weights = trace.find("weights");
  const std::optional<AttentionSteps> attention =
      weights == nullptr ? std::nullopt
                         : attention_with_weights(*trace.plan(), static_cast<int>(weights - trace.steps().data()));
  if (!attention) return fail(experiment.system + " has no attention of queries and keys");
  const double kept = kept_share(*trace.plan(), *attention);
  StepContext context;
  context.seed = experiment.seed;
  context.pool = &pool_;
  std::vector<PartTiming> timed;
  const auto time = [&](TracePart part, const std::function<void(TracePart&)>& work) -> Result<void> {
    PartTiming each = part.costs(attention, kept);
    part.make_room();
    const Result<Timing> timing = repeat([&]() -> Result<double> {
      const auto start = std::chrono::steady_clock::now();
      work(part);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    });
    if (!timing) return tl::unexpected(timing.error());
    each.timing = *timing;
    timed.push_back(std::move(each));
    return {};
  };
  for (auto& [name, steps] : parts_of(*trace.plan(), *attention)) {
    const Result<void> done =
        time(TracePart(trace, name, std::move(steps)), [&](TracePart& part) { part.compute(context); });
    if (!done) return tl::unexpected(done.error());
  }
  std::vector<int> together;
  for (const int step : {attention->scores, attention->masked, attention->weights, attention->outputs}) {
    if (step >= 0) together.push_back(step);
  }
  const Result<void> done = time(TracePart(trace, "scores to values at once", std::move(together)),
                                 [&](TracePart& part) { part.compute_together(*attention, context); });
  if (!done) return tl::unexpected(done.error());
  return timed;
}

}  // namespace attnscope
