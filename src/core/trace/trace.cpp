#include "core/trace/trace.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/operations/import.h"
#include "core/operations/softmax.h"
#include "core/trace/imported_weights.h"

namespace attnscope {
namespace {

std::vector<std::string> warnings_about(std::span<const Step> steps, const Experiment& experiment) {
  std::vector<std::string> warnings;
  for (const Step& step : steps) {
    for (std::string& warning : step.operation->warnings(step.name)) {
      // What several steps say alike is said once.
      if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(std::move(warning));
    }
    warn_of_weights(step, experiment, warnings);
  }
  for (const Step& step : steps) {
    if (step.not_finite == 0) continue;
    warnings.push_back(step.name + " has " + grouped_text(step.not_finite) +
                       (step.not_finite == 1 ? " number" : " numbers") + " that are not finite");
  }
  return warnings;
}

}  // namespace

bool is_attention(const Step& step) {
  if (is<SoftmaxOperation>(step.operation)) {
    // A model's answer is a softmax as well.
    return step.axes.empty() || (step.axes.back().name != "vocabulary" && step.axes.back().name != "label");
  }
  return is<ImportOperation>(step.operation) && step.name.ends_with("weights") && step.axes.back().name == "key";
}

Trace::Trace(Experiment experiment, std::shared_ptr<const Plan> plan, std::vector<StepResult> results,
             double compute_seconds, double memory_budget)
    : experiment_(std::move(experiment)),
      plan_(std::move(plan)),
      compute_seconds_(compute_seconds),
      memory_budget_(memory_budget) {
  assert(results.size() == plan_->steps.size());
  steps_.reserve(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) steps_.emplace_back(plan_->steps[i], std::move(results[i]));
  for (std::size_t i = 0; i < steps_.size(); ++i) places_.try_emplace(steps_[i].name, i);
  warnings_ = warnings_about(steps_, experiment_);
  look_at_lazy();
  about_numbers_ = warnings_.size();
  warn_of_experiment();
}

void Trace::look_at_lazy() {
  if (std::all_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.tensor != nullptr; })) return;
  std::vector<std::shared_ptr<const Tensor>> held;
  held.reserve(steps_.size());
  for (const Step& step : steps_) held.push_back(step.tensor);
  lazy_ = std::make_shared<const LazyTensors>(plan_, std::move(held), experiment_.seed);
  // The weights of the first layer represent all: they come from the same source.
  const auto first = std::find_if(steps_.begin(), steps_.end(), is_attention);
  if (first != steps_.end() && first->tensor == nullptr)
    warn_of_some_weights(*first, static_cast<int>(first - steps_.begin()), *lazy_, experiment_, warnings_);
}

void Trace::warn_of_experiment() {
  const System* const system = find_system(experiment_.system);
  if (system == nullptr || system->warnings == nullptr) return;
  for (std::string& warning : system->warnings(experiment_)) warnings_.push_back(std::move(warning));
}

Trace::Trace(Experiment experiment, const Trace& numbers)
    : experiment_(std::move(experiment)),
      plan_(numbers.plan_),
      steps_(numbers.steps_),
      warnings_(numbers.warnings_.begin(),
                numbers.warnings_.begin() + static_cast<std::ptrdiff_t>(numbers.about_numbers_)),
      about_numbers_(numbers.about_numbers_),
      lazy_(numbers.lazy_),
      compute_seconds_(numbers.compute_seconds_),
      memory_budget_(numbers.memory_budget_) {
  for (std::size_t i = 0; i < steps_.size(); ++i) places_.try_emplace(steps_[i].name, i);
  warn_of_experiment();
}

std::shared_ptr<const Tensor> Trace::numbers(const Region& region, const StepContext& context) const {
  const std::shared_ptr<const Tensor>& tensor = steps_[static_cast<std::size_t>(region.step)].tensor;
  return tensor != nullptr ? part_of(tensor, region) : lazy_->numbers(region, context);
}

std::optional<std::string> Trace::failure() const { return lazy_ != nullptr ? lazy_->failure() : std::nullopt; }

std::uint64_t Trace::failures() const { return lazy_ != nullptr ? lazy_->failures() : 0; }

double Trace::resident_bytes() const {
  double bytes = 0;
  for (const Step& step : steps_) bytes += step.tensor ? 4.0 * static_cast<double>(step.tensor->count()) : 0;
  return bytes;
}

double Trace::bytes_left() const { return std::max(0.0, memory_budget_ - resident_bytes()); }

float Trace::value(int step, std::span<const Index> index) const {
  const std::shared_ptr<const Tensor>& tensor = steps_[static_cast<std::size_t>(step)].tensor;
  return tensor != nullptr ? tensor->at(index) : lazy_->numbers(single_cell(step, index), {})->values().front();
}

const Step* Trace::find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &steps_[found->second];
}

const Tensor& Trace::tensor(std::string_view name) const {
  const Step* step = find(name);
  assert(step != nullptr);
  return *step->tensor;
}

std::shared_ptr<const Trace> Trace::for_experiment(Experiment experiment) const {
  return std::shared_ptr<const Trace>(new Trace(std::move(experiment), *this));
}

}  // namespace attnscope
