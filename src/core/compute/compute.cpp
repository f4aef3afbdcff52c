#include "core/compute/compute.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/axis_groups.h"
#include "core/kernels/softmax.h"
#include "core/operations/import.h"
#include "core/operations/positions.h"

namespace attnscope {
namespace {

// Elements of the softmax that are one piece of work.
constexpr std::size_t kSoftmaxBlock = 65536;
// Draws between two looks at whether the result is still wanted: about 20 ms.
constexpr std::uint64_t kDrawsBetweenChecks = 10'000'000;
// The same of means.
constexpr Index kMeansBetweenChecks = Index{1} << 16U;

/// Sizes of the axes in front of the last two, as batch and heads; absent ones are 1.
struct LeadingSizes {
  Index batch = 1;
  Index heads = 1;
};

LeadingSizes leading_sizes(const Axes& axes) {
  LeadingSizes sizes;
  for (std::size_t i = 0; i + 2 < axes.size(); ++i) (axes[i].name == "head" ? sizes.heads : sizes.batch) = axes[i].size;
  return sizes;
}

struct Moments {
  double mean = 0;
  double variance = 0;  ///< biased: divided by the number of elements
};

Moments moments_of(std::span<const float> values, std::span<const Index> members, Index start) {
  Moments moments;
  const auto count = static_cast<double>(members.size());
  for (const Index member : members)
    moments.mean += static_cast<double>(values[static_cast<std::size_t>(start + member)]);
  moments.mean /= count;
  for (const Index member : members) {
    const double apart = static_cast<double>(values[static_cast<std::size_t>(start + member)]) - moments.mean;
    moments.variance += apart * apart / count;
  }
  return moments;
}

void compute(const DrawOperation& /*operation*/, Inputs /*inputs*/, const StepContext& /*context*/, Tensor& /*out*/) {
  assert(false);  // see `draw`
}

void compute(const ConstantOperation& operation, Inputs /*inputs*/, const StepContext& /*context*/, Tensor& out) {
  std::fill(out.values().begin(), out.values().end(), static_cast<float>(operation.value));
}

void compute(const SetOperation& operation, Inputs /*inputs*/, const StepContext& context, Tensor& out) {
  std::fill(out.values().begin(), out.values().end(), 0.0F);
  const Index width = out.size(-1);
  const Index matrix = out.size(-2) * width;
  for (const SetPart& part : operation.parts) {
    const auto value = static_cast<float>(part.value);
    for (Index down = 0; down < part.rows && !context.stop.stop_requested(); ++down) {
      const Index first = std::max<Index>(0, down + part.from);
      const Index last = std::min(part.columns - 1, down + part.to);
      if (first > last) continue;
      const Index begin = part.matrix * matrix + (part.row + down) * width + part.column + first;
      std::fill_n(out.values().begin() + begin, last - first + 1, value);
    }
  }
}

void compute(const ImportOperation& operation, Inputs /*inputs*/, const StepContext& context, Tensor& out) {
  read_imported(operation, whole_region(0, out.axes()), context, out);
}

void compute(const ScaleOperation& operation, Inputs inputs, const StepContext& /*context*/, Tensor& out) {
  const auto from = inputs[0]->values();
  const auto divisor = static_cast<float>(operation.divisor);
  std::transform(from.begin(), from.end(), out.values().begin(), [&](float value) { return value / divisor; });
}

void compute(const NormalizeOperation& operation, Inputs inputs, const StepContext& context, Tensor& out) {
  const AxisGroups groups = axis_groups(out.axes(), operation.over);
  const auto from = inputs[0]->values();
  for (const Index start : groups.starts) {
    if (context.stop.stop_requested()) return;
    const Moments moments = moments_of(from, groups.members, start);
    const double factor = 1 / std::sqrt(moments.variance + operation.epsilon);
    for (const Index member : groups.members) {
      const auto at = static_cast<std::size_t>(start + member);
      out.values()[at] = static_cast<float>((static_cast<double>(from[at]) - moments.mean) * factor);
    }
  }
}

void compute(const MeanOperation& operation, Inputs inputs, const StepContext& context, Tensor& out) {
  const auto from = inputs[0]->values();
  const Index count = inputs[0]->size(operation.axis);
  const Index inner = inputs[0]->stride(operation.axis);
  for (Index i = 0; i < out.count(); ++i) {
    if (i % kMeansBetweenChecks == 0 && context.stop.stop_requested()) return;
    const Index first = i / inner * inner * count + i % inner;
    double sum = 0;
    for (Index along = 0; along < count; ++along)
      sum += static_cast<double>(from[static_cast<std::size_t>(first + along * inner)]);
    out.values()[static_cast<std::size_t>(i)] = static_cast<float>(sum / static_cast<double>(count));
  }
}

void compute(const MaskOperation& operation, Inputs inputs, const StepContext& context, Tensor& out) {
  const float* from = inputs[0]->values().data();
  float* to = out.values().data();
  const auto [batch, heads] = leading_sizes(out.axes());
  const Index queries = out.size(-2);
  const Index keys = out.size(-1);
  const auto filled = static_cast<float>(operation.fill);
  for (Index row = 0; row < batch * heads * queries && !context.stop.stop_requested(); ++row) {
    const Index head = row / queries % heads;
    for (Index key = 0; key < keys; ++key) {
      const bool keep = operation.field->keeps(row / queries / heads, head, row % queries, key);
      *to++ = keep ? *from : filled;
      ++from;
    }
  }
}

void compute(const SoftmaxOperation& operation, Inputs inputs, const StepContext& context, Tensor& out) {
  const auto length = static_cast<std::size_t>(out.size(-1));
  const auto from = inputs[0]->values();
  const auto to = out.values();
  if (length == 0) return;
  const std::size_t rows = from.size() / length;
  const auto temperature = static_cast<float>(operation.temperature);
  // Rows together that make one block some hundredths of a millisecond long.
  const std::size_t rows_each = std::max<std::size_t>(1, kSoftmaxBlock / length);
  const auto blocks = static_cast<Index>((rows + rows_each - 1) / rows_each);
  run_blocks(context.pool, 5 * static_cast<double>(from.size()), blocks, [&](Index block) {
    const std::size_t begin = static_cast<std::size_t>(block) * rows_each;
    for (std::size_t row = begin; row < std::min(begin + rows_each, rows) && !context.stop.stop_requested(); ++row)
      softmax_row(from.subspan(row * length, length), temperature, to.subspan(row * length, length));
  });
}

void compute(const DropoutOperation& operation, Inputs inputs, const StepContext& context, Tensor& out) {
  const auto from = inputs[0]->values();
  const auto kept = static_cast<float>(1 - operation.probability);
  for (std::size_t i = 0; i < from.size(); ++i)
    out.values()[i] = operation.keeps(context.seed, static_cast<Index>(i)) ? from[i] / kept : 0.0F;
}

void compute(const KeepHeadsOperation& operation, Inputs inputs, const StepContext& /*context*/, Tensor& out) {
  const Axes& axes = out.axes();
  const auto axis = static_cast<std::size_t>(operation.axis);
  const Index heads = axes[axis].size;
  const Index each = element_count({axes.begin() + operation.axis + 1, axes.end()});
  const auto from = inputs[0]->values();
  for (Index begin = 0; begin < static_cast<Index>(from.size()); begin += each) {
    const auto to = out.values().begin() + begin;
    if (operation.keeps(begin / each % heads)) {
      std::copy_n(from.begin() + begin, each, to);
    } else {
      std::fill_n(to, each, 0.0F);
    }
  }
}

void compute(const SinusoidOperation& operation, Inputs /*inputs*/, const StepContext& /*context*/, Tensor& out) {
  compute_in_place(operation, out.axes(), whole_region(0, out.axes()), out);
}

void compute(const RotateOperation& operation, Inputs inputs, const StepContext& /*context*/, Tensor& out) {
  const Region whole = whole_region(0, out.axes());
  compute_in_place(operation, out.axes(), whole, whole, *inputs[0], out);
}

void compute(const DistanceBiasOperation& operation, Inputs inputs, const StepContext& /*context*/, Tensor& out) {
  compute_in_place(operation, whole_region(0, out.axes()), *inputs[0], out);
}

}  // namespace

void compute(const PlannedStep& step, Inputs inputs, const StepContext& context, Tensor& out) {
  std::visit([&](const auto& operation) { compute(operation, inputs, context, out); }, step.operation);
}

void draw(const DrawOperation& operation, const StepContext& context, Generator& generator, Tensor& out) {
  for (std::uint64_t left = operation.discarded; left > 0 && !context.stop.stop_requested();) {
    const std::uint64_t now = std::min(left, kDrawsBetweenChecks);
    generator.discard(now);
    left -= now;
  }
  if (context.stop.stop_requested()) return;
  if (operation.distribution == DrawOperation::Distribution::normal) {
    generator.fill_normal(out.values());
  } else {
    generator.fill_uniform(out.values(), static_cast<float>(operation.from), static_cast<float>(operation.to));
  }
  if (operation.picture) operation.picture->fill(out.values(), context.stop);
  for (const DrawOperation::ByHand& each : operation.by_hand)
    out.values()[static_cast<std::size_t>(each.at)] = each.value;
}

}  // namespace attnscope
