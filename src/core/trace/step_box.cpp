#include "core/trace/step_box.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/kernels/scratch.h"

namespace attnscope {
namespace {

// So many numbers that were just read are still in the caches when they are used: 4 MB.
constexpr Index kNumbersReadAtOnce = Index{1} << 20U;

// Rows this short are copied without looking for the place of each.
constexpr Index kShortRow = 16;

// Each of them is in another line of the cache, which the processor should not wait for when it gets there.
constexpr Index kFetchedAhead = 32;

// Parts with so few numbers are computed in memory that is kept for them.
constexpr std::size_t kFewNumbers = std::size_t{1} << 15U;

/// Copies the numbers of a box to their place.
void put(const Tensor& part, const Region& box, Tensor& whole) {
  const std::size_t last = box.end.size() - 1;
  const Index length = box.size(last);
  const float* from = part.values().data();
  if (last == 0 || length >= kShortRow) {
    for_each_run(box, [&](Index at, const std::vector<Index>& index) {
      std::copy_n(from + at, length, whole.first() + whole.place(index));
    });
    return;
  }
  Region first_rows = box;
  first_rows.end[last - 1] = first_rows.begin[last - 1] + 1;
  const Index apart = whole.apart(last - 1);
  for_each_run(first_rows, [&](Index /*at*/, const std::vector<Index>& index) {
    float* to = whole.first() + whole.place(index);
    const Index rows = box.size(last - 1);
    for (Index row = 0; row < rows; ++row, from += length, to += apart) {
      if (row + kFetchedAhead < rows) __builtin_prefetch(to + kFetchedAhead * apart, 1);
      std::copy_n(from, length, to);
    }
  });
}

/// Computes the part from the boxes of its sources, and puts it into its place.
void compute_from(const StepPart& part, std::span<const std::shared_ptr<const Tensor>> sources,
                  const StepContext& context, std::shared_ptr<MemoryStore> memory, Tensor& whole) {
  std::vector<const Tensor*> inputs;
  inputs.reserve(sources.size());
  for (const std::shared_ptr<const Tensor>& source : sources) {
    inputs.push_back(source.get());
    // What has been put off in it is written now: that computes parts as well, in the memory that is kept for them.
    static_cast<void>(source->first());
  }
  auto axes = std::make_shared<const Axes>(region_axes(part.step.axes, part.region));
  const auto count = static_cast<std::size_t>(part.region.count());
  const auto compute_in = [&](Numbers memory_of_part) {
    Tensor numbers(std::move(axes), std::move(memory_of_part));
    part.step.operation->compute_part(part, inputs, context, numbers);
    return numbers;
  };
  // One more token is some hundred parts, most of which have few numbers.
  if (is_contiguous(whole, part.region)) {
    compute_in(Numbers(std::span(whole.first() + whole.place(part.region.begin), count)));
  } else if (count <= kFewNumbers) {
    thread_local Scratch scratch;
    put(compute_in(Numbers(std::span(scratch.of_size(static_cast<Index>(count)), count))), part.region, whole);
  } else {
    put(compute_in(Numbers(count, std::move(memory))), part.region, whole);
  }
}

class BoxOfStep {
 public:
  BoxOfStep(const ComputedSteps& computed, const PlannedStep& step, Tensor& whole)
      : computed_(computed), step_(step), whole_(whole) {}

  void compute(const Region& region) const {
    if (region.count() == 0 || computed_.context.gives_up()) return;
    const std::vector<Region> sources = sources_of(region);
    if (const std::optional<std::size_t> axis = axis_to_divide(region, numbers_to_read(sources))) {
      compute(half_of(region, *axis, false));
      compute(half_of(region, *axis, true));
      return;
    }
    std::vector<std::shared_ptr<const Tensor>> parts;
    parts.reserve(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) parts.push_back(numbers_of(step_.inputs[i], sources[i]));
    compute_from({{computed_.plan.steps, step_}, region, sources}, parts, computed_.context, computed_.memory, whole_);
  }

 private:
  [[nodiscard]] std::vector<Region> sources_of(const Region& region) const {
    return step_.operation->input_regions({computed_.plan.steps, step_}, region);
  }

  [[nodiscard]] const std::shared_ptr<const Tensor>& tensor_of(int input) const {
    return computed_.results[static_cast<std::size_t>(input)].tensor;
  }

  [[nodiscard]] Index numbers_to_read(const std::vector<Region>& sources) const {
    Index numbers = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (tensor_of(step_.inputs[i]) == nullptr) numbers += sources[i].count();
    }
    return numbers;
  }

  /// The axis along which half of the region reads the least, if `needed` numbers are too many at a time.
  [[nodiscard]] std::optional<std::size_t> axis_to_divide(const Region& region, Index needed) const {
    std::optional<std::size_t> best;
    if (needed <= kNumbersReadAtOnce) return best;
    for (std::size_t axis = 0; axis < region.begin.size(); ++axis) {
      if (region.size(axis) < 2) continue;
      const Index half_needs = numbers_to_read(sources_of(half_of(region, axis, false)));
      if (half_needs < needed) best = axis, needed = half_needs;
    }
    return best;
  }

  [[nodiscard]] std::shared_ptr<const Tensor> numbers_of(int input, const Region& box) const {
    if (tensor_of(input) != nullptr) return part_of(tensor_of(input), box);
    const PlannedStep& planned = computed_.plan.steps[static_cast<std::size_t>(input)];
    auto numbers = std::make_shared<Tensor>(region_axes(planned.axes, box), computed_.memory);
    planned.operation->compute_part({{computed_.plan.steps, planned}, box, {}}, {}, computed_.context, *numbers);
    return numbers;
  }

  const ComputedSteps& computed_;
  const PlannedStep& step_;
  Tensor& whole_;
};

}  // namespace

void compute_box(const ComputedSteps& computed, const PlannedStep& step, const Region& region, Tensor& whole) {
  BoxOfStep(computed, step, whole).compute(region);
}

void compute_box(const Plan& plan, const PlannedStep& step, const Region& region,
                 std::span<const std::shared_ptr<const Tensor>> inputs, const StepContext& context, Tensor& whole) {
  const std::vector<Region> sources = step.operation->input_regions({plan.steps, step}, region);
  std::vector<std::shared_ptr<const Tensor>> parts;
  parts.reserve(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) parts.push_back(part_of(inputs[i], sources[i]));
  compute_from({{plan.steps, step}, region, sources}, parts, context, nullptr, whole);
}

}  // namespace attnscope
