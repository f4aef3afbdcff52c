#include "core/residual/ablated_runs.h"

#include <algorithm>
#include <utility>

#include "core/operations/intervene.h"

namespace attnscope {
namespace {

constexpr Index kRowsAtOnce = 2048;

std::shared_ptr<Tensor> make_tensor(Axes axes) { return std::make_shared<Tensor>(std::move(axes), nullptr); }

Axes with_rows(Axes axes, Index rows) {
  axes.front().size = rows;
  return axes;
}

Index row_size(const Axes& axes) { return element_count({axes.begin() + 1, axes.end()}); }

/// The rows of `from` from `begin` on, `count` of them, written to `to`.
void copy_rows(const Tensor& from, Index begin, Index count, float* to) {
  const Index size = row_size(from.axes());
  std::copy_n(from.values().data() + begin * size, count * size, to);
}

}  // namespace

AblatedRuns::AblatedRuns(const Trace& trace, const ResidualStream& stream, Index position, const Trace* other,
                         const StopToken& stop)
    : trace_(trace),
      stream_(stream),
      position_(position),
      other_(other),
      stop_(stop),
      needed_(trace.steps().size(), false) {
  context_ = {trace.experiment().seed, &pool_, stop};
  needed_[static_cast<std::size_t>(stream.logits)] = true;
  for (std::size_t step = static_cast<std::size_t>(stream.logits) + 1; step-- > 0;) {
    if (!needed_[step]) continue;
    for (const int input : trace.plan()->steps[step].inputs) needed_[static_cast<std::size_t>(input)] = true;
  }
}

const PlannedStep& AblatedRuns::planned(int step) const { return trace_.plan()->steps[static_cast<std::size_t>(step)]; }

Index AblatedRuns::most_at_once() const {
  Index rows = 1;
  for (const int state : stream_.states) rows = std::max(rows, planned(state).axes.front().size);
  return std::max<Index>(1, kRowsAtOnce / rows);
}

bool AblatedRuns::is_rowwise(int step) const {
  const PlannedStep& its = planned(step);
  if (its.axes.empty() || its.axes.front().name != "token" || is<InterveneOperation>(its.operation)) return false;
  const Index rows = its.axes.front().size;
  for (const Index row : {Index{0}, rows - 1}) {
    const Region box = region_within(step, its.axes, std::vector<Index>{row});
    const std::vector<Region> sources = regions_behind(trace_.plan()->steps, box);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (!changed_[static_cast<std::size_t>(its.inputs[i])]) continue;
      const Axes& axes = planned(its.inputs[i]).axes;
      if (axes.front().name != "token" || axes.front().size != rows ||
          sources[i] != region_within(its.inputs[i], axes, std::vector<Index>{row}))
        return false;
    }
  }
  return true;
}

void AblatedRuns::find_changed(const std::vector<Part>& parts) {
  changed_.assign(needed_.size(), false);
  for (const Part& part : parts) changed_[static_cast<std::size_t>(part.step)] = true;
  last_mixed_ = -1;
  for (int step = 0; step <= stream_.logits; ++step) {
    const auto at = static_cast<std::size_t>(step);
    if (!needed_[at]) continue;
    const std::vector<int>& inputs = planned(step).inputs;
    const bool follows =
        std::ranges::any_of(inputs, [&](int input) { return changed_[static_cast<std::size_t>(input)]; });
    if (follows && !is_rowwise(step)) last_mixed_ = step;
    changed_[at] = changed_[at] || follows;
  }
}

std::shared_ptr<const Tensor> AblatedRuns::unchanged(int step) {
  return trace_.numbers(whole_region(step, planned(step).axes), context_);
}

std::shared_ptr<const Tensor> AblatedRuns::of_run(int step, std::size_t run) {
  const auto found = results_.find(step);
  if (found == results_.end()) return unchanged(step);
  if (!found->second.each.empty()) return found->second.each[run];
  auto one = make_tensor(planned(step).axes);
  copy_rows(*found->second.stacked, static_cast<Index>(run) * one->size(0), one->size(0), one->values().data());
  return one;
}

std::shared_ptr<const Tensor> AblatedRuns::rows_of(int step, bool picked) {
  const auto found = results_.find(step);
  const Axes& axes = planned(step).axes;
  const Index rows = axes.front().size;
  const auto runs = static_cast<Index>(runs_);
  const bool has_stack = found != results_.end() && found->second.stacked != nullptr;
  if (has_stack && (!picked || found->second.stacked->size(0) != runs * rows || rows == 1))
    return found->second.stacked;
  const Index count = picked ? 1 : rows;
  const Index first = picked ? position_ : 0;
  auto all = make_tensor(with_rows(axes, runs * count));
  for (Index run = 0; run < runs; ++run) {
    float* const to = all->values().data() + run * count * row_size(axes);
    if (has_stack) {
      copy_rows(*found->second.stacked, run * rows + first, count, to);
    } else {
      copy_rows(*of_run(step, static_cast<std::size_t>(run)), first, count, to);
    }
  }
  return all;
}

void AblatedRuns::compute_rows(int step) {
  const PlannedStep& its = planned(step);
  const bool picked = picks_row(step);
  const Index rows = static_cast<Index>(runs_) * (picked ? 1 : its.axes.front().size);
  std::vector<std::shared_ptr<const Tensor>> held;
  std::vector<const Tensor*> inputs;
  std::vector<Region> sources;
  for (const int input : its.inputs) {
    const Axes& axes = planned(input).axes;
    const bool in_rows = axes.front().name == "token" && axes.front().size == its.axes.front().size;
    held.push_back(in_rows ? rows_of(input, picked) : unchanged(input));
    inputs.push_back(held.back().get());
    sources.push_back(whole_region(input, held.back()->axes()));
  }
  auto out = make_tensor(with_rows(its.axes, rows));
  const Region region = whole_region(step, out->axes());
  its.operation->compute_part({{trace_.plan()->steps, its}, region, sources}, inputs, context_, *out);
  results_[step].stacked = std::move(out);
}

void AblatedRuns::compute_each(int step) {
  const PlannedStep& its = planned(step);
  std::vector<std::shared_ptr<const Tensor>>& each = results_[step].each;
  each.resize(runs_);
  StepContext alone = context_;
  alone.pool = nullptr;
  pool_.run(static_cast<Index>(runs_), [&](Index number) {
    const auto run = static_cast<std::size_t>(number);
    std::vector<std::shared_ptr<const Tensor>> held;
    std::vector<const Tensor*> inputs;
    for (const int input : its.inputs) {
      held.push_back(of_run(input, run));
      inputs.push_back(held.back().get());
    }
    auto out = make_tensor(its.axes);
    its.operation->compute(inputs, alone, *out);
    each[run] = std::move(out);
  });
}

std::shared_ptr<const Tensor> AblatedRuns::replaced(const Part& part, const Tensor& whole) {
  InterveneOperation operation;
  operation.changes.push_back({part.head, part.position, part.kind});
  std::vector<const Tensor*> inputs = {&whole};
  std::shared_ptr<const Tensor> from;
  if (part.kind == Intervention::Kind::patched) {
    from = other_->numbers(whole_region(part.step, planned(part.step).axes), context_);
    inputs.push_back(from.get());
  }
  auto changed = make_tensor(whole.axes());
  operation.compute(inputs, context_, *changed);
  return changed;
}

void AblatedRuns::replace(int step, const std::vector<Part>& parts) {
  const bool any = std::ranges::any_of(parts, [&](const Part& part) { return part.step == step; });
  if (!any) return;
  std::vector<std::shared_ptr<const Tensor>> each;
  const std::shared_ptr<const Tensor> before = results_.contains(step) ? nullptr : unchanged(step);
  const bool picked = before == nullptr && picks_row(step) && results_[step].stacked != nullptr;
  for (std::size_t run = 0; run < runs_; ++run) {
    // The mean is over all rows, which the trace has where runs have only one.
    std::shared_ptr<const Tensor> one = before ? before : picked ? unchanged(step) : of_run(step, run);
    if (parts[run].step == step) {
      one = replaced(parts[run], *one);
    } else if (picked) {
      auto row = make_tensor(planned(step).axes);
      copy_rows(*results_[step].stacked, static_cast<Index>(run), 1,
                row->values().data() + position_ * row_size(row->axes()));
      one = std::move(row);
    }
    each.push_back(std::move(one));
  }
  results_[step] = {nullptr, std::move(each)};
}

std::shared_ptr<const Tensor> AblatedRuns::logits(const std::vector<Part>& parts) {
  results_.clear();
  runs_ = parts.size();
  find_changed(parts);
  // Results are dropped once no later step reads them.
  std::map<int, std::vector<int>> last_read;
  std::map<int, int> reader;
  for (int step = 0; step <= stream_.logits; ++step) {
    if (!changed_[static_cast<std::size_t>(step)] || !needed_[static_cast<std::size_t>(step)]) continue;
    for (const int input : planned(step).inputs) reader[input] = step;
  }
  for (const auto& [input, step] : reader) last_read[step].push_back(input);
  for (int step = 0; step <= stream_.logits; ++step) {
    const auto at = static_cast<std::size_t>(step);
    if (!changed_[at] || !needed_[at]) continue;
    if (stop_.stop_requested()) return nullptr;
    const std::vector<int>& inputs = planned(step).inputs;
    const bool follows =
        std::ranges::any_of(inputs, [&](int input) { return changed_[static_cast<std::size_t>(input)]; });
    if (follows) is_rowwise(step) ? compute_rows(step) : compute_each(step);
    replace(step, parts);
    for (const int input : last_read[step]) results_.erase(input);
  }
  return stop_.stop_requested() ? nullptr : rows_of(stream_.logits, true);
}

}  // namespace attnscope
