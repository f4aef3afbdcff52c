#include "core/trace/trace.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/imported/tensor_roles.h"
#include "core/operations/import.h"
#include "core/operations/softmax.h"

namespace attnscope {
namespace {

// Rows that are checked in weights that are not resident.
constexpr Index kRowsLookedAt = 64;

/// Imported weights may be anything: they are shown as they are.
void warn_of_rows(const Step& step, std::vector<std::string>& warnings) {
  if (!is<ImportOperation>(step.operation) || !is_attention(step) || step.tensor == nullptr) return;
  const Index columns = step.axes.back().size;
  const RowSums sums =
      look_at_rows({step.tensor->values().data(), step.tensor->count() / columns, columns, columns, 1});
  if (sums.all()) return;
  warnings.push_back(step.name + ": " + grouped_text(sums.rows - sums.like_weights) + " of " + grouped_text(sums.rows) +
                     " rows do not sum to 1; they are shown unchanged");
}

/// The same for weights that are not resident, from some rows all over the tensor.
void warn_of_some_rows(const Step& step, int number, const LazyTensors& lazy, std::vector<std::string>& warnings) {
  const Axes leading(step.axes.begin(), step.axes.end() - 1);
  const Index rows = element_count(leading);
  const Index count = std::min(rows, kRowsLookedAt);
  Index like_weights = 0;
  for (Index i = 0; i < count; ++i) {
    const Region row = region_within(number, step.axes, index_in(leading, i * rows / count));
    const std::shared_ptr<const Tensor> numbers = lazy.numbers(row, {});
    like_weights += look_at_rows({numbers->values().data(), 1, numbers->count(), numbers->count(), 1}).like_weights;
  }
  if (like_weights == count) return;
  warnings.push_back(step.name + ": " + grouped_text(count - like_weights) + " of " + grouped_text(count) +
                     " rows checked do not sum to 1; they are shown unchanged");
}

std::vector<std::string> warnings_about(std::span<const Step> steps) {
  std::vector<std::string> warnings;
  for (const Step& step : steps) {
    for (std::string& warning : step.operation->warnings(step.name)) warnings.push_back(std::move(warning));
    warn_of_rows(step, warnings);
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
  warnings_ = warnings_about(steps_);
  if (const System* const system = find_system(experiment_.system); system != nullptr && system->warnings != nullptr) {
    for (std::string& warning : system->warnings(experiment_)) warnings_.push_back(std::move(warning));
  }
  if (std::all_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.tensor != nullptr; })) return;
  std::vector<std::shared_ptr<const Tensor>> held;
  held.reserve(steps_.size());
  for (const Step& step : steps_) held.push_back(step.tensor);
  lazy_ = std::make_shared<const LazyTensors>(plan_, std::move(held), experiment_.seed);
  // The weights of the first layer represent all: they come from the same source.
  const auto first = std::find_if(steps_.begin(), steps_.end(), is_attention);
  if (first != steps_.end() && first->tensor == nullptr && is<ImportOperation>(first->operation))
    warn_of_some_rows(*first, static_cast<int>(first - steps_.begin()), *lazy_, warnings_);
}

Trace::Trace(Experiment experiment, const Trace& numbers)
    : experiment_(std::move(experiment)),
      plan_(numbers.plan_),
      steps_(numbers.steps_),
      warnings_(numbers.warnings_),
      lazy_(numbers.lazy_),
      compute_seconds_(numbers.compute_seconds_),
      memory_budget_(numbers.memory_budget_) {
  for (std::size_t i = 0; i < steps_.size(); ++i) places_.try_emplace(steps_[i].name, i);
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
