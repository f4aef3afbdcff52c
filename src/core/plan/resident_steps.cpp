#include "core/plan/resident_steps.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace attnscope {
namespace {

// A tensor with more numbers than this may be left out: 256 MB.
constexpr Index kMaxResidentNumbers = Index{1} << 26U;

// Imported tensors that nothing is computed from stay resident up to this many bytes in total.
constexpr double kMaxLookedAtBytes = 64e6;

// Weights in 16 bits with fewer numbers are converted once, and so are all of them where they take no more than this part
// of the budget: reading them again takes longer than it takes to compute with them.
constexpr Index kNumbersInFile = Index{1} << 16U;
constexpr double kConvertedPart = 1.0 / 32;

bool is_imported(const PlannedStep& step) { return step.operation->traits().reads_file; }

bool is_drawn(const PlannedStep& step) { return step.inputs.empty() && !is_imported(step); }

double bytes_of(const PlannedStep& step) { return 4 * static_cast<double>(element_count(step.axes)); }

/// Leaves out the imported tensors that nothing is computed from, if they are large in total: they can be read again
/// when they are shown. Returns the bytes of the remaining steps.
double leave_looked_at(const Plan& plan, std::vector<bool>& held) {
  std::vector<bool> only_looked_at(plan.steps.size(), false);
  double looked_at = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    only_looked_at[i] = is_imported(plan.steps[i]);
    for (const int input : plan.steps[i].inputs) only_looked_at[static_cast<std::size_t>(input)] = false;
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) looked_at += only_looked_at[i] ? bytes_of(plan.steps[i]) : 0;
  if (looked_at <= kMaxLookedAtBytes) return plan.cost.bytes;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) held[i] = !only_looked_at[i];
  return plan.cost.bytes - looked_at;
}

// What the layers of a model can be asked for again from what stays, in the order in which it is given up.
constexpr std::array<std::string_view, 10> kGivenUpInTurn = {
    "scores",     "repeated_k", "repeated_v", "mlp_gate_activated", "mlp_activated",
    "mlp_hidden", "mlp_gate",   "weights",    "head_outputs",       "probabilities"};

bool is_weight(const PlannedStep& step) { return step.operation->traits().is_weight; }

/// A large weight in 16 bits: its file, which the system keeps in memory, takes half of what it would take here.
bool can_stay_in_file(const PlannedStep& step) {
  const OperationTraits& traits = step.operation->traits();
  return traits.is_weight && traits.is_compact && element_count(step.axes) >= kNumbersInFile;
}

/// For every step that is not held, the last step that reads it whole; 0: none does.
std::vector<std::size_t> last_readers(const Plan& plan, const std::vector<bool>& held) {
  std::vector<std::size_t> last(plan.steps.size(), 0);
  for (std::size_t i = plan.steps.size(); i-- > 0;) {
    if (!held[i] && last[i] == 0) continue;
    for (const int input : plan.steps[i].inputs) {
      const auto at = static_cast<std::size_t>(input);
      if (!held[at] && !is_imported(plan.steps[at])) last[at] = std::max(last[at], i);
    }
  }
  return last;
}

/// Of a model: large weights in 16 bits stay in their file, unless all of them are few. If the rest is over the budget, so
/// do all other weights, which are then read when a layer is computed; then what a layer has between its projections and
/// its results is left out. Nothing that is left out is computed from the layer before it.
std::vector<bool> resident_steps_of_model(const Plan& plan, double memory_budget) {
  std::vector<bool> held(plan.steps.size(), true);
  double bytes = plan.cost.bytes;
  const auto leave_out = [&](const auto& which) {
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      if (!held[i] || !which(plan.steps[i])) continue;
      held[i] = false;
      bytes -= bytes_of(plan.steps[i]);
    }
  };
  double compact = 0;
  for (const PlannedStep& step : plan.steps) compact += can_stay_in_file(step) ? bytes_of(step) : 0;
  if (compact > kConvertedPart * memory_budget) leave_out(can_stay_in_file);
  if (bytes > memory_budget) leave_out(is_weight);
  for (const std::string_view name : kGivenUpInTurn) {
    if (bytes + passing_bytes(plan, held) <= memory_budget) break;
    leave_out([&](const PlannedStep& step) { return step.name.ends_with(name); });
  }
  return held;
}

}  // namespace

std::vector<bool> resident_steps(const Plan& plan, double memory_budget) {
  if (std::any_of(plan.steps.begin(), plan.steps.end(), is_weight)) return resident_steps_of_model(plan, memory_budget);
  std::vector<bool> held(plan.steps.size(), true);
  if (leave_looked_at(plan, held) <= memory_budget) return held;
  // Imported tensors take at most half of the budget: the other half is for what is computed from them.
  double given = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PlannedStep& step = plan.steps[i];
    held[i] = held[i] && (is_drawn(step) || element_count(step.axes) <= kMaxResidentNumbers);
    if (is_imported(step) && held[i]) {
      held[i] = given + bytes_of(step) <= memory_budget / 2;
      given += held[i] ? bytes_of(step) : 0;
    }
    for (const int input : step.inputs) held[i] = held[i] && held[static_cast<std::size_t>(input)];
  }
  return held;
}

double passing_bytes(const Plan& plan, const std::vector<bool>& held) {
  const std::vector<std::size_t> last = last_readers(plan, held);
  double now = 0;
  double most = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (last[i] > 0) now += bytes_of(plan.steps[i]);
    most = std::max(most, now);
    std::vector<int> read = plan.steps[i].inputs;
    std::ranges::sort(read);
    read.erase(std::unique(read.begin(), read.end()), read.end());
    for (const int input : read) {
      if (last[static_cast<std::size_t>(input)] == i) now -= bytes_of(plan.steps[static_cast<std::size_t>(input)]);
    }
  }
  return most;
}

Cost resident_cost(const Plan& plan, const std::vector<bool>& held) {
  Cost cost;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (held[i]) cost.add(plan.steps[i].axes, plan.steps[i].flops);
  }
  return cost;
}

}  // namespace attnscope
