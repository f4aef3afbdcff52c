#include "core/trace/lazy_tensors.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>

#include "core/matrix/matrix_overview.h"
#include "core/trace/resident_attention.h"

namespace attnscope {
namespace {

// Boxes are computed in parts whose inputs have at most this many numbers each: 16 MB.
constexpr Index kMaxNumbersAtOnce = Index{1} << 22U;

using TensorPointer = std::shared_ptr<const Tensor>;

/// Copies the numbers of a box within `region` to their places in it.
void put(const Tensor& part, const Region& box, const Region& region, Tensor& out) {
  const Index length = box.size(box.begin.size() - 1);
  for_each_run(box, [&](Index at, std::vector<Index> index) {
    for (std::size_t axis = 0; axis < index.size(); ++axis) index[axis] -= region.begin[axis];
    std::copy_n(part.values().begin() + at, length, out.values().begin() + out.offset(index));
  });
}

}  // namespace

struct LazyTensors::RowMemory {
  std::mutex mutex;
  std::vector<SoftmaxStatistics> rows;
  std::vector<bool> known;
};

LazyTensors::LazyTensors(std::shared_ptr<const Plan> plan, std::vector<TensorPointer> held, std::uint64_t seed)
    : plan_(std::move(plan)), resident_(std::move(held)), seed_(seed), rows_(plan_->steps.size()) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const PlannedStep& step = plan_->steps[i];
    if (resident_[i] != nullptr || !is<SoftmaxOperation>(step.operation)) continue;
    const auto rows = static_cast<std::size_t>(element_count({step.axes.begin(), step.axes.end() - 1}));
    rows_[i] = std::make_unique<RowMemory>();
    rows_[i]->rows.resize(rows);
    rows_[i]->known.resize(rows, false);
  }
}

LazyTensors::~LazyTensors() = default;

void LazyTensors::remember(int step, Index first_row, std::span<const SoftmaxStatistics> rows) const {
  RowMemory& memory = *rows_[static_cast<std::size_t>(step)];
  const std::lock_guard lock(memory.mutex);
  std::copy(rows.begin(), rows.end(), memory.rows.begin() + first_row);
  std::fill_n(memory.known.begin() + first_row, rows.size(), true);
}

std::vector<SoftmaxStatistics> LazyTensors::remembered(int step, Index first_row, Index rows) const {
  RowMemory& memory = *rows_[static_cast<std::size_t>(step)];
  const std::lock_guard lock(memory.mutex);
  const auto known = memory.known.begin() + first_row;
  if (!std::all_of(known, known + rows, [](bool each) { return each; })) return {};
  return {memory.rows.begin() + first_row, memory.rows.begin() + first_row + rows};
}

std::shared_ptr<const ResidentAttention> LazyTensors::attention(int step, std::span<const Index> leading) const {
  {
    const std::lock_guard lock(mutex_);
    if (attention_ != nullptr && attention_->is(step, leading)) return attention_;
  }
  std::shared_ptr<const ResidentAttention> found = ResidentAttention::find(*plan_, resident_, step, leading, pool_);
  const std::lock_guard lock(mutex_);
  if (found != nullptr) attention_ = found;
  return found;
}

std::shared_ptr<MatrixOverview> LazyTensors::overview(const MatrixPlace& place) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<MatrixOverview>& overview = overviews_[place];
  if (overview == nullptr) overview = std::make_shared<MatrixOverview>();
  return overview;
}

TensorPointer LazyTensors::numbers(const Region& region, const StepContext& context) const {
  ReadFailure failure;
  StepContext watched = context;
  watched.failure = &failure;
  watched.seed = seed_;
  TensorPointer numbers = numbers_of(region, watched);
  const std::optional<std::string> message = failure.message();
  if (!message) return numbers;
  failure_.note(*message);
  if (context.failure != nullptr) context.failure->note(*message);
  auto none =
      std::make_shared<Tensor>(region_axes(plan_->steps[static_cast<std::size_t>(region.step)].axes, region), nullptr);
  std::fill(none->values().begin(), none->values().end(), std::numeric_limits<float>::quiet_NaN());
  return none;
}

TensorPointer LazyTensors::numbers_of(const Region& region, const StepContext& context) const {
  const auto at = static_cast<std::size_t>(region.step);
  if (resident_[at] != nullptr) return part_of(resident_[at], region);
  if (const auto* operation = as<SoftmaxOperation>(plan_->steps[at].operation))
    return softmax(*operation, region, context);
  return in_parts(region, context);
}

TensorPointer LazyTensors::in_parts(const Region& region, const StepContext& context) const {
  const auto most = [&](const Region& box) {
    Index numbers = 0;
    for (const Region& input : regions_behind(plan_->steps, box)) {
      if (resident_[static_cast<std::size_t>(input.step)] == nullptr) numbers = std::max(numbers, input.count());
    }
    return numbers;
  };
  const Index needed = most(region);
  if (needed <= kMaxNumbersAtOnce) return computed(region, context);
  // Halve along the axis where a half needs the least.
  std::optional<std::size_t> best;
  Index best_needs = needed;
  for (std::size_t axis = 0; axis < region.begin.size(); ++axis) {
    if (region.size(axis) < 2) continue;
    const Index half_needs = most(half_of(region, axis, false));
    if (half_needs < best_needs) best = axis, best_needs = half_needs;
  }
  if (!best) return computed(region, context);
  auto out =
      std::make_shared<Tensor>(region_axes(plan_->steps[static_cast<std::size_t>(region.step)].axes, region), nullptr);
  for (const bool second : {false, true}) {
    const Region half = half_of(region, *best, second);
    const TensorPointer part = in_parts(half, context);
    if (context.gives_up()) return out;
    put(*part, half, region, *out);
  }
  return out;
}

TensorPointer LazyTensors::computed(const Region& region, const StepContext& context) const {
  const PlannedStep& step = plan_->steps[static_cast<std::size_t>(region.step)];
  const std::vector<Region> boxes = regions_behind(plan_->steps, region);
  std::vector<TensorPointer> inputs;
  std::vector<const Tensor*> pointers;
  for (const Region& box : boxes) {
    inputs.push_back(numbers_of(box, context));
    pointers.push_back(inputs.back().get());
  }
  auto out = std::make_shared<Tensor>(region_axes(step.axes, region), nullptr);
  if (context.gives_up()) return out;
  step.operation->compute_part({{plan_->steps, step}, region, boxes}, pointers, context, *out);
  return out;
}

std::vector<SoftmaxStatistics> LazyTensors::softmax_statistics_of(const SoftmaxOperation& operation,
                                                                  const Region& region, TensorPointer logits,
                                                                  const StepContext& context) const {
  const PlannedStep& step = plan_->steps[static_cast<std::size_t>(region.step)];
  const Axes row_axes = {step.axes.begin(), step.axes.end() - 1};
  const Index first = offset_in(row_axes, {region.begin.data(), row_axes.size()});
  const Index count = region.count() / region.size(row_axes.size());
  std::vector<SoftmaxStatistics> rows = remembered(region.step, first, count);
  if (!rows.empty() || count == 0) return rows;
  // For one row, packing the keys takes longer than it saves.
  const std::shared_ptr<const ResidentAttention> plain =
      logits == nullptr && count > 1 ? attention(region.step, {region.begin.data(), row_axes.size() - 1}) : nullptr;
  if (plain != nullptr) {
    rows.resize(static_cast<std::size_t>(count));
    std::vector<float> maxima(static_cast<std::size_t>(count * plain->rows().bins(kMaxBin)));
    plain->rows().rows(region.begin[row_axes.size() - 1], 1, kMaxBin, rows, maxima, context.pool,
                       [&] { return context.stop.stop_requested(); });
    if (!context.stop.stop_requested()) remember(region.step, first, rows);
    return rows;
  }
  if (logits == nullptr) logits = numbers_of(regions_behind(plan_->steps, region).front(), context);
  if (context.gives_up()) return std::vector<SoftmaxStatistics>(static_cast<std::size_t>(count));
  const auto length = static_cast<std::size_t>(step.axes.back().size);
  rows.resize(static_cast<std::size_t>(count));
  run_blocks(context.pool, 5 * static_cast<double>(logits->count()), count, [&](Index row) {
    const auto at = static_cast<std::size_t>(row);
    rows[at] =
        softmax_statistics(logits->values().subspan(at * length, length), static_cast<float>(operation.temperature));
  });
  remember(region.step, first, rows);
  return rows;
}

TensorPointer LazyTensors::softmax(const SoftmaxOperation& operation, const Region& region,
                                   const StepContext& context) const {
  const PlannedStep& step = plan_->steps[static_cast<std::size_t>(region.step)];
  auto out = std::make_shared<Tensor>(region_axes(step.axes, region), nullptr);
  const std::size_t last = step.axes.size() - 1;
  const Index keys = step.axes[last].size;
  const Index length = region.size(last);
  if (out->count() == 0) return out;
  // Consecutive rows, as many at once as there is room for.
  const std::size_t query_axis = last == 0 ? 0 : last - 1;
  const Index rows_at_once = std::max<Index>(1, kMaxNumbersAtOnce / std::max<Index>(1, keys));
  Region outer = region;
  outer.begin[last] = 0;
  outer.end[last] = 1;
  if (last > 0) outer.begin[query_axis] = 0, outer.end[query_axis] = 1;
  Index done = 0;  // rows
  for_each_run(outer, [&](Index /*at*/, const std::vector<Index>& index) {
    const Index end = last > 0 ? region.end[query_axis] : 1;
    for (Index row = last > 0 ? region.begin[query_axis] : 0; row < end && !context.gives_up();) {
      const Index rows = std::min(rows_at_once, end - row);
      Region box = {region.step, index, index};
      for (Index& each : box.end) ++each;
      if (last > 0) box.begin[query_axis] = row, box.end[query_axis] = row + rows;
      box.begin[last] = region.begin[last];
      box.end[last] = region.end[last];
      Region input = box;
      input.step = step.inputs[0];
      const TensorPointer logits = numbers_of(input, context);
      const std::vector<SoftmaxStatistics> statistics =
          softmax_statistics_of(operation, box, length == keys ? logits : nullptr, context);
      if (context.gives_up()) return;
      run_blocks(context.pool, 5 * static_cast<double>(logits->count()), rows, [&](Index i) {
        const auto from = static_cast<std::size_t>(i * length);
        const auto to = static_cast<std::size_t>((done + i) * length);
        softmax_part(logits->values().subspan(from, static_cast<std::size_t>(length)),
                     static_cast<float>(operation.temperature), statistics[static_cast<std::size_t>(i)],
                     out->values().subspan(to, static_cast<std::size_t>(length)));
      });
      row += rows;
      done += rows;
    }
  });
  return out;
}

}  // namespace attnscope
