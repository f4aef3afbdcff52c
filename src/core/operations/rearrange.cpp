#include "core/operations/rearrange.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "core/base/pattern.h"
#include "core/operations/einsum.h"
#include "core/operations/ops.h"
#include "core/operations/rearranged_index.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

/// Prefetches the first numbers of a run; the processor prefetches the rest by itself.
void prefetch(const float* run, Index length) {
  constexpr Index kLine = 16;
  constexpr Index kMost = 128;
  for (Index i = 0; i < std::min(length, kMost); i += kLine) __builtin_prefetch(run + i);
}

// Labels that most patterns have no more than.
constexpr std::size_t kUsualLabels = 6;

/// The labels that the result lacks.
std::vector<bool> fixed_labels(const RearrangeOperation& operation) {
  std::vector<bool> fixed(operation.labels.size(), true);
  for (const std::vector<int>& group : operation.out) {
    for (const int label : group) fixed[static_cast<std::size_t>(label)] = false;
  }
  return fixed;
}

}  // namespace

Value rearrange(PlanBuilder& r, std::string name, std::string_view text, Value input,
                const std::map<std::string, Index>& sizes, const std::map<std::string, Index>& at) {
  const Pattern pattern = parse_pattern(text);
  const Axes& from = r.axes(input);
  assert(pattern.inputs.size() == 1 && pattern.inputs[0].size() == from.size());
  RearrangeOperation operation;
  operation.labels.reserve(kUsualLabels);
  operation.sizes.reserve(kUsualLabels);
  operation.in.reserve(from.size());
  operation.out.reserve(pattern.output.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const LabelGroup& group = pattern.inputs[0][i];
    Index rest = from[i].size;
    for (const std::string& label : group) {
      if (const auto found = sizes.find(label); found != sizes.end()) rest /= found->second;
    }
    operation.in.emplace_back().reserve(group.size());
    for (const std::string& label : group) {
      const auto found = sizes.find(label);
      operation.in.back().push_back(
          label_position(operation.labels, operation.sizes, label, found != sizes.end() ? found->second : rest));
    }
  }
  Axes axes;
  axes.reserve(pattern.output.size());
  for (std::size_t i = 0; i < pattern.output.size(); ++i) {
    Axis axis = {pattern.output_names[i], 1};
    operation.out.emplace_back().reserve(pattern.output[i].size());
    for (const std::string& label : pattern.output[i]) {
      const auto known = std::find(operation.labels.begin(), operation.labels.end(), label) - operation.labels.begin();
      axis.size = saturating_product(axis.size, operation.sizes[static_cast<std::size_t>(known)]);
      operation.out.back().push_back(static_cast<int>(known));
    }
    axes.push_back(std::move(axis));
  }
  operation.at.reserve(operation.labels.size());
  for (const std::string& label : operation.labels) {
    const auto found = at.find(label);
    operation.at.push_back(found == at.end() ? 0 : found->second);
  }
  const auto count = static_cast<double>(element_count(axes));
  return r.record({std::move(name), std::move(operation), {input.step}, std::move(axes), count});
}

std::string RearrangeOperation::formula(const StepInPlan& step) const {
  const std::vector<bool> fixed = fixed_labels(*this);
  std::string slice;
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    if (fixed[i]) slice += ", " + labels[i] + " " + std::to_string(at[i]);
  }
  return input_text(step) + (slice.empty() ? ", rearranged" : slice);
}

void RearrangeOperation::compute(Inputs inputs, const StepContext& context, Tensor& result) const {
  const RearrangedIndex map(*this, result.axes());
  const float* values = inputs[0]->values().data();
  const Index length = map.run_length();
  const Index runs = length == 0 ? 0 : result.count() / length;
  // Runs lie anywhere in the input: prefetching several before copying the first overlaps the waiting.
  constexpr Index kTogether = 16;
  share_out(context, (runs + kTogether - 1) / kTogether, kTogether * length, [&](Index group) {
    const Index first = group * kTogether;
    const Index count = std::min(kTogether, runs - first);
    std::array<const float*, kTogether> sources;
    RearrangedRuns places(map, first);
    for (Index i = 0; i < count; ++i, places.next()) {
      const float* const source = values + places.source();
      sources[static_cast<std::size_t>(i)] = source;
      if (map.run_stride() == 1) prefetch(source, length);
    }
    for (Index i = 0; i < count; ++i) {
      copy_run({sources[static_cast<std::size_t>(i)], map.run_stride()}, length,
               result.values().data() + (first + i) * length);
    }
  });
}

// Each label from its least to its greatest value in the region, and then each axis of the input likewise.
std::vector<Region> RearrangeOperation::input_regions(const StepInPlan& step, const Region& region) const {
  std::vector<Index> least = at;
  std::vector<Index> greatest = at;
  for (std::size_t axis = 0; axis < out.size(); ++axis) {
    Index from = region.begin[axis];
    Index to = region.end[axis] - 1;
    for (std::size_t i = out[axis].size(); i-- > 0;) {
      const auto label = static_cast<std::size_t>(out[axis][i]);
      const Index size = sizes[label];
      const bool one_round = from / size == to / size;  // the label does not start anew
      least[label] = one_round ? from % size : 0;
      greatest[label] = one_round ? to % size : size - 1;
      from /= size;
      to /= size;
    }
  }
  Region box = {step.step.inputs[0], {}, {}};
  for (const std::vector<int>& group : in) {
    Index begin = 0;
    Index last = 0;
    for (const int each : group) {
      const auto label = static_cast<std::size_t>(each);
      begin = begin * sizes[label] + least[label];
      last = last * sizes[label] + greatest[label];
    }
    box.begin.push_back(begin);
    box.end.push_back(last + 1);
  }
  return {box};
}

void RearrangeOperation::compute_part(const StepPart& part, Inputs inputs, const StepContext& /*context*/,
                                      Tensor& result) const {
  const Axes& axes = part.step.axes;
  const Axes& source_axes = part.input(0).axes;
  const Region& source = part.sources[0];
  const Tensor& input = *inputs[0];
  const RearrangedIndex map(*this, axes);
  // Where an element of the result stands in the source box.
  const auto place_of = [&](Index element) {
    Index from = map.source(element);
    Index place = 0;
    for (std::size_t axis = source_axes.size(); axis-- > 0;) {
      place += (from % source_axes[axis].size - source.begin[axis]) * input.apart(axis);
      from /= source_axes[axis].size;
    }
    return place;
  };
  const Index length = run_length(result);
  float* const made = result.values().data();
  for_each_run(part.region, [&](Index position, const std::vector<Index>& index) {
    const Index first = offset_in(axes, index);
    for (Index i = 0; i < length;) {
      // Along the fastest label, elements are evenly spaced.
      const Index count = std::min(map.run_length() - (first + i) % map.run_length(), length - i);
      const Index place = place_of(first + i);
      const Index stride = count > 1 ? place_of(first + i + 1) - place : 1;
      copy_run({input.first() + place, stride}, count, made + position + i);
      i += count;
    }
  });
}

double RearrangeOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
  return inputs[0];
}

void RearrangeOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const RearrangedIndex map(*this, cell.step.axes);
  e.operands.push_back(
      cell.operand(0, index_in(cell.input(0).axes, map.source(offset_in(cell.step.axes, cell.index)))));
  e.formula = cell.input(0).name + index_text(e.operands[0].index);
  e.note = "the same value, rearranged";
  e.computed = e.operands[0].value;
}

std::string RearrangeOperation::python(const StepInPlan& step, std::span<const std::string> inputs) const {
  const std::vector<bool> fixed = fixed_labels(*this);
  std::vector<std::string> split;  // sizes of all labels, in the order of the input
  std::vector<std::string> slice;
  std::vector<int> left;  // labels after the slice
  for (const std::vector<int>& group : in) {
    for (const int label : group) {
      const auto which = static_cast<std::size_t>(label);
      split.push_back(std::to_string(sizes[which]));
      slice.push_back(fixed[which] ? std::to_string(at[which]) : ":");
      if (!fixed[which]) left.push_back(label);
    }
  }
  std::vector<std::string> order;
  for (const std::vector<int>& group : out) {
    for (const int label : group)
      order.push_back(std::to_string(std::find(left.begin(), left.end(), label) - left.begin()));
  }
  std::vector<std::string> merged;
  for (const Axis& axis : step.step.axes) merged.push_back(std::to_string(axis.size));
  std::string code = inputs[0] + ".reshape(" + join(split, ", ") + ")";
  if (left.size() < split.size()) code += "[" + join(slice, ", ") + "]";
  if (!std::is_sorted(order.begin(), order.end())) code += ".permute(" + join(order, ", ") + ")";
  return code + ".reshape(" + join(merged, ", ") + ")";
}

}  // namespace attnscope
