// What attention does between its products: masks, softmax, dropout; and norms and means around it.
#include "core/ops.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <random>

#include "core/axis_groups.h"
#include "core/kernels/softmax.h"
#include "core/text.h"

namespace attnscope {
namespace {

// Elements of the softmax that are one piece of work.
constexpr std::size_t kSoftmaxBlock = 65536;

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

}  // namespace

Value apply_mask(Recorder& r, std::string name, Value scores, MaskField field, double fill) {
  const Axes axes = r.axes(scores);
  const auto shared = std::make_shared<const MaskField>(std::move(field));
  const std::string in = r.reference(scores);
  Step step = {std::move(name),
               MaskOperation{shared, fill},
               {scores.step},
               in + " where kept, otherwise " + number_text(fill),
               axes,
               nullptr};
  Index empty_rows = 0;
  const auto compute = [&](Tensor& out) {
    const float* from = r.tensor(scores).values().data();
    float* to = out.values().data();
    const auto [batch, heads] = leading_sizes(axes);
    const Index queries = axes[axes.size() - 2].size;
    const Index keys = axes.back().size;
    const auto filled = static_cast<float>(fill);
    for (Index row = 0; row < batch * heads * queries; ++row) {
      if (r.stopped()) return;
      const Index head = row / queries % heads;
      bool any = false;
      for (Index key = 0; key < keys; ++key) {
        const bool keep = shared->keeps(row / queries / heads, head, row % queries, key);
        any = any || keep;
        *to++ = keep ? *from : filled;
        ++from;
      }
      if (!any) ++empty_rows;
    }
  };
  const Value value = r.record(std::move(step), static_cast<double>(element_count(axes)), compute);
  if (empty_rows > 0) {
    r.warn(r.step(value).name + ": " + grouped_text(empty_rows) + (empty_rows == 1 ? " row has" : " rows have") +
           " no key left; masked_fill " + exact_text(fill) +
           (std::isinf(fill) ? " makes the weights 0" : " makes the weights uniform"));
  }
  return value;
}

Value softmax(Recorder& r, std::string name, Value input, double temperature) {
  const Axes axes = r.axes(input);
  const std::string in = r.reference(input);
  std::string formula =
      "softmax_" + axes.back().name + " " + in + (temperature == 1 ? "" : " / " + exact_text(temperature));
  return r.record({std::move(name), SoftmaxOperation{temperature}, {input.step}, std::move(formula), axes, nullptr},
                  5 * static_cast<double>(element_count(axes)), [&](Tensor& out) {
                    const auto length = static_cast<std::size_t>(axes.back().size);
                    const auto from = r.tensor(input).values();
                    if (length == 0) return;
                    // Rows together that make one block some hundredths of a millisecond long.
                    const std::size_t rows = from.size() / length;
                    const std::size_t rows_each = std::max<std::size_t>(1, kSoftmaxBlock / length);
                    const auto blocks = static_cast<Index>((rows + rows_each - 1) / rows_each);
                    run_blocks(r.pool(), 5 * static_cast<double>(from.size()), blocks, [&](Index block) {
                      const std::size_t begin = static_cast<std::size_t>(block) * rows_each;
                      for (std::size_t row = begin; row < std::min(begin + rows_each, rows) && !r.stopped(); ++row) {
                        softmax_row(from.subspan(row * length, length), static_cast<float>(temperature),
                                    out.values().subspan(row * length, length));
                      }
                    });
                  });
}

Value dropout(Recorder& r, std::string name, Value input, double probability) {
  const Axes axes = r.axes(input);
  auto keep = std::make_shared<std::vector<bool>>();
  const std::string in = r.reference(input);
  Step step = {std::move(name), DropoutOperation{probability, keep}, {input.step}, "", axes, nullptr};
  step.formula = in + " · kept / (1 − " + exact_text(probability) + ")";
  const auto compute = [&](Tensor& out) {
    // A stream of our own, apart from the experiment's: PyTorch's differs by device and version, so nothing is lost.
    // The step's position sets tensors apart.
    std::seed_seq seeds = {r.seed() & 0xffffffffU, r.seed() >> 32U, static_cast<std::uint64_t>(input.step)};
    std::mt19937 stream(seeds);
    const auto from = r.tensor(input).values();
    keep->resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      const bool kept = static_cast<double>(stream()) / 4294967296.0 >= probability;
      (*keep)[i] = kept;
      out.values()[i] = kept ? from[i] / static_cast<float>(1 - probability) : 0.0F;
    }
  };
  const Value value = r.record(std::move(step), static_cast<double>(element_count(axes)), compute);
  r.warn(r.step(value).name + " is random in a way of its own and cannot be compared with PyTorch");
  return value;
}

Value scale_by_root(Recorder& r, std::string name, Value input, Index size) {
  const ContractOptions by = divided_by_root(size);
  const Axes axes = r.axes(input);
  Step step = {std::move(name),
               ScaleOperation{by.divisor, by.divisor_text},
               {input.step},
               r.reference(input) + " / " + by.divisor_text,
               axes,
               nullptr};
  return r.record(std::move(step), static_cast<double>(element_count(axes)), [&](Tensor& out) {
    const auto from = r.tensor(input).values();
    const auto divisor = static_cast<float>(by.divisor);
    std::transform(from.begin(), from.end(), out.values().begin(), [&](float value) { return value / divisor; });
  });
}

Value normalize(Recorder& r, std::string name, Value input, std::span<const std::string> over) {
  const Axes axes = r.axes(input);
  NormalizeOperation operation;
  for (const Axis& axis : axes) operation.over.push_back(std::find(over.begin(), over.end(), axis.name) != over.end());
  const std::string whose = join(over, ",");
  std::string formula = "(" + r.reference(input) + " − mean_" + whose + ") / √(variance_" + whose + " + " +
                        exact_text(operation.epsilon) + ")";
  const auto compute = [&](Tensor& out) {
    const AxisGroups groups = axis_groups(axes, operation.over);
    const auto from = r.tensor(input).values();
    for (const Index start : groups.starts) {
      if (r.stopped()) return;
      const Moments moments = moments_of(from, groups.members, start);
      const double factor = 1 / std::sqrt(moments.variance + operation.epsilon);
      for (const Index member : groups.members) {
        const auto at = static_cast<std::size_t>(start + member);
        out.values()[at] = static_cast<float>((static_cast<double>(from[at]) - moments.mean) * factor);
      }
    }
  };
  return r.record({std::move(name), operation, {input.step}, std::move(formula), axes, nullptr},
                  6 * static_cast<double>(element_count(axes)), compute);
}

Value mean(Recorder& r, std::string name, Value input, std::string_view over) {
  Axes axes = r.axes(input);
  const Axes from_axes = axes;
  const auto found = std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == over; });
  assert(found != axes.end());
  const MeanOperation operation = {static_cast<int>(found - axes.begin())};
  axes.erase(found);
  std::string formula = "mean_" + std::string(over) + " " + r.reference(input);
  const auto compute = [&](Tensor& out) {
    std::vector<bool> along(from_axes.size(), false);
    along[static_cast<std::size_t>(operation.axis)] = true;
    const AxisGroups groups = axis_groups(from_axes, along);
    for (std::size_t i = 0; i < groups.starts.size() && !r.stopped(); ++i) {
      out.values()[i] = static_cast<float>(moments_of(r.tensor(input).values(), groups.members, groups.starts[i]).mean);
    }
  };
  return r.record({std::move(name), operation, {input.step}, std::move(formula), std::move(axes), nullptr},
                  static_cast<double>(element_count(from_axes)), compute);
}

Value attention_weights(Recorder& r, const Experiment& e, const std::string& prefix, Value scores, const Mask& mask,
                        MaskSizes sizes) {
  Value logits = scores;
  if (mask.kind != Mask::Kind::none) {
    logits = apply_mask(r, prefix + "masked_scores", scores, MaskField(mask, sizes), e.real("masked_fill"));
  }
  Value weights = softmax(r, prefix + "weights", logits, e.real("temperature"));
  if (e.real("dropout") > 0) weights = dropout(r, prefix + "dropped_weights", weights, e.real("dropout"));
  return weights;
}

}  // namespace attnscope
