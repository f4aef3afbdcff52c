// Operations whose operands' axes carry labels: sums of products, sums, rearrangements.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "core/compute/compute.h"
#include "core/kernels/contraction.h"
#include "core/operations/rearranged_index.h"

namespace attnscope {
namespace {

Index stride_of(const std::vector<int>& axis_labels, const Tensor& tensor, int label) {
  const auto found = std::find(axis_labels.begin(), axis_labels.end(), label);
  return found == axis_labels.end() ? 0 : tensor.stride(static_cast<int>(found - axis_labels.begin()));
}

using ContractionLabels = std::array<ContractionLabel, kMaxContractionLabels>;

/// Notes in `which` of every label how far apart its neighbours are in a tensor whose axes have the labels
/// `axis_labels`.
void note_strides(const std::vector<int>& axis_labels, const Axes& axes, Index ContractionLabel::*which,
                  ContractionLabels& labels) {
  Index stride = 1;
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    labels[static_cast<std::size_t>(axis_labels[axis])].*which = stride;
    // Of a tensor without numbers nobody asks, but 0 is for labels that it lacks.
    stride *= std::max<Index>(1, axes[axis].size);
  }
}

// Elements that are one piece of work for a thread, about.
constexpr Index kAtOnce = Index{1} << 14;

/// Calls `visit(run)` for `runs` runs of `length` elements each, in any order and on several threads. Leaves runs out
/// once it is to stop.
template <typename Visit>
void share_out(const StepContext& context, Index runs, Index length, const Visit& visit) {
  const Index together = std::max<Index>(1, kAtOnce / std::max<Index>(1, length));
  const auto work = static_cast<double>(runs) * static_cast<double>(length);
  run_blocks(context.pool, work, (runs + together - 1) / together, [&](Index block) {
    if (context.stop.stop_requested()) return;
    const Index end = std::min(runs, (block + 1) * together);
    for (Index run = block * together; run < end; ++run) visit(run);
  });
}

/// Numbers that are `step` elements apart; the same one again and again where that is 0.
struct Strided {
  const float* first = nullptr;
  Index step = 0;
  float operator[](Index i) const { return first[i * step]; }
};

/// An operand that is repeated along the labels of the result that it lacks.
class Repeated {
 public:
  Repeated(const EinsumOperation& operation, const Tensor& tensor, const std::vector<int>& labels)
      : values_(tensor.values().data()) {
    strides_.reserve(operation.out.size());
    for (const int label : operation.out) strides_.push_back(stride_of(labels, tensor, label));
  }

  /// What belongs to run `run` of the result, whose runs lie along its last axis.
  [[nodiscard]] Strided along(const Axes& out, Index run) const {
    if (out.empty()) return {values_, 0};
    Index at = 0;
    for (std::size_t axis = out.size() - 1; axis-- > 0;) {
      at += run % out[axis].size * strides_[axis];
      run /= out[axis].size;
    }
    return {values_ + at, strides_.back()};
  }

 private:
  const float* values_;
  std::vector<Index> strides_;
};

/// The elements of the result along its last axis.
Index run_length(const Tensor& out) { return out.rank() == 0 ? 1 : out.size(-1); }

/// Asks for the first numbers of a run; what follows them the processor asks for by itself.
void prefetch(const float* run, Index length) {
  constexpr Index kLine = 16;
  constexpr Index kMost = 128;
  for (Index i = 0; i < std::min(length, kMost); i += kLine) __builtin_prefetch(run + i);
}

void copy_run(const Strided& from, Index length, float* to) {
  if (from.step == 1) {
    std::copy_n(from.first, length, to);
  } else {
    for (Index i = 0; i < length; ++i) to[i] = from[i];
  }
}

/// The bias alone, where there is nothing to sum.
void repeat(const ContractOperation& operation, const Tensor& bias, const StepContext& context, Tensor& out) {
  const Repeated start(operation, bias, operation.bias);
  const Index length = run_length(out);
  share_out(context, length == 0 ? 0 : out.count() / length, length,
            [&](Index run) { copy_run(start.along(out.axes(), run), length, out.values().data() + run * length); });
}

}  // namespace

void compute(const ContractOperation& operation, Inputs inputs, const StepContext& context, Tensor& out,
             const RowSink* made) {
  const Tensor& a = *inputs[0];
  const Tensor& b = *inputs[1];
  const Tensor* const bias = inputs.size() > 2 ? inputs[2] : nullptr;
  if (bias != nullptr && std::find(operation.sizes.begin(), operation.sizes.end(), 0) != operation.sizes.end()) {
    repeat(operation, *bias, context, out);
    if (made != nullptr && out.count() > 0) (*made)(out.values().data(), out.count(), 1, 0);
    return;
  }
  const std::size_t count = operation.labels.size();
  assert(count <= kMaxContractionLabels);
  ContractionLabels by_number;
  for (std::size_t i = 0; i < count; ++i) by_number[i].size = operation.sizes[i];
  note_strides(operation.a, a.axes(), &ContractionLabel::a_stride, by_number);
  note_strides(operation.b, b.axes(), &ContractionLabel::b_stride, by_number);
  note_strides(operation.out, out.axes(), &ContractionLabel::out_stride, by_number);
  if (bias != nullptr) note_strides(operation.bias, bias->axes(), &ContractionLabel::start_stride, by_number);
  // The result's labels in its own order come first, so that neighbours in memory are neighbours in the list; then the
  // summed ones.
  ContractionLabels labels;
  std::size_t next = 0;
  for (const int label : operation.out) labels[next++] = by_number[static_cast<std::size_t>(label)];
  std::copy_if(by_number.begin(), by_number.begin() + count, labels.begin() + next,
               [](const ContractionLabel& label) { return label.out_stride == 0; });
  contract_strided(
      std::span(labels).first(count), a.values().data(), b.values().data(), out.values().data(), out.count(),
      operation.divisor, context.pool, [&] { return context.stop.stop_requested(); },
      bias != nullptr ? bias->values().data() : nullptr, operation.fused, made);
}

void compute(const AddOperation& operation, Inputs inputs, const StepContext& context, Tensor& out) {
  const Repeated left(operation, *inputs[0], operation.a);
  const Repeated right(operation, *inputs[1], operation.b);
  const Index length = run_length(out);
  share_out(context, length == 0 ? 0 : out.count() / length, length, [&](Index run) {
    const Strided a = left.along(out.axes(), run);
    const Strided b = right.along(out.axes(), run);
    float* const to = out.values().data() + run * length;
    if (operation.tanh) {
      for (Index i = 0; i < length; ++i) to[i] = std::tanh(a[i] + b[i]);
    } else {
      for (Index i = 0; i < length; ++i) to[i] = a[i] + b[i];
    }
  });
}

void compute(const RearrangeOperation& operation, Inputs inputs, const StepContext& context, Tensor& out) {
  const RearrangedIndex map(operation, out.axes());
  const float* values = inputs[0]->values().data();
  const Index length = map.run_length();
  const Index runs = length == 0 ? 0 : out.count() / length;
  // Runs lie wherever they lie: some are asked for before the first of them is copied, so that none is waited for
  // alone.
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
               out.values().data() + (first + i) * length);
    }
  });
}

}  // namespace attnscope
