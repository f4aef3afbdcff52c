// Positions in models with an encoder and a decoder: sinusoids in two halves, and biases by relative position.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "core/base/text.h"
#include "core/operations/einsum.h"
#include "core/operations/ops.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

/// The sines of all frequencies, then the cosines; axes [position, feature]. Source: Junczys-Dowmunt et al. 2018,
/// Marian.
struct HalfSinusoidOperation {
  static double angle(Index position, Index feature, Index features) {
    const Index sines = (features + 1) / 2;
    const Index number = feature < sines ? feature : feature - sines;
    return static_cast<double>(position) /
           std::pow(10000, 2 * static_cast<double>(number) / static_cast<double>(features));
  }
  static double value(Index position, Index feature, Index features) {
    const double at = angle(position, feature, features);
    return feature < (features + 1) / 2 ? std::sin(at) : std::cos(at);
  }

  [[nodiscard]] std::string name() const { return "half_sinusoid"; }

  [[nodiscard]] std::string formula(const StepInPlan& step) const {
    const std::string size = std::to_string(step.step.axes.back().size);
    return "sin, in the second half cos, of position / 10000^(2 i/" + size + ")";
  }

  void compute(Inputs /*inputs*/, const StepContext& /*context*/, Tensor& out) const {
    for_each_cell(whole_region(0, out.axes()), [&](std::size_t at, const std::vector<Index>& index) {
      out.values()[at] = static_cast<float>(value(index[0], index[1], out.size(-1)));
    });
  }

  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& /*step*/, const Region& /*region*/) const {
    return {};
  }

  [[nodiscard]] double magnitude_bound(const Axes& /*axes*/, std::span<const double> /*inputs*/) const { return 1; }

  void explain(const ExplainedCell& cell, Explanation& e) const {
    const Index features = cell.step.axes.back().size;
    const bool sine = cell.index[1] < (features + 1) / 2;
    e.results.push_back({"angle", angle(cell.index[0], cell.index[1], features)});
    e.formula = sine ? "sin(angle)" : "cos(angle)";
    e.computed = value(cell.index[0], cell.index[1], features);
  }

  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> /*inputs*/) const {
    const Axes& axes = step.step.axes;
    return "half_sinusoids(" + std::to_string(axes[0].size) + ", " + std::to_string(axes[1].size) + ")";
  }

  friend bool operator==(const HalfSinusoidOperation&, const HalfSinusoidOperation&) = default;
};

/// out[head, query, key] = table[bucket(key − query), head]. Source: Raffel et al. 2020, T5, in whose code the buckets
/// are.
struct RelativeBiasOperation {
  RelativeBuckets buckets;

  [[nodiscard]] Index bucket(Index query, Index key) const {
    Index count = buckets.count;
    Index start = 0;
    Index apart = key - query;
    if (buckets.both_sides) {
      count /= 2;
      if (apart > 0) start = count;
      apart = std::abs(apart);
    } else {
      apart = std::max<Index>(0, -apart);
    }
    const Index exact = count / 2;
    if (apart < exact) return start + apart;
    // The steps to float are those of the published code; at the borders of the buckets they decide.
    const auto ratio = static_cast<float>(apart) / static_cast<float>(exact);
    const auto widest =
        static_cast<float>(std::log(static_cast<double>(buckets.furthest) / static_cast<double>(exact)));
    const float step = std::log(ratio) / widest * static_cast<float>(count - exact);
    return start + std::min(exact + static_cast<Index>(step), count - 1);
  }

  [[nodiscard]] std::string name() const { return "relative_bias"; }

  [[nodiscard]] std::string formula(const StepInPlan& step) const {
    return step.input(0).name + "[bucket of key − query, head]";
  }

  /// `table` begins with the row and the head of `first`.
  void fill(const Region& region, const Tensor& table, std::span<const Index> first, Tensor& out) const {
    for_each_cell(region, [&](std::size_t at, const std::vector<Index>& index) {
      const Index row = bucket(index[1], index[2]) - first[0];
      out.values()[at] = table.values()[static_cast<std::size_t>(row * table.size(-1) + index[0] - first[1])];
    });
  }

  void compute(Inputs inputs, const StepContext& /*context*/, Tensor& out) const {
    fill(whole_region(0, out.axes()), *inputs[0], std::array<Index, 2>{0, 0}, out);
  }

  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const {
    Region rows = {step.step.inputs[0], {0, region.begin[0]}, {buckets.count, region.end[0]}};
    if (region.size(1) == 1 && region.size(2) == 1) {
      rows.begin[0] = bucket(region.begin[1], region.begin[2]);
      rows.end[0] = rows.begin[0] + 1;
    }
    return {rows};
  }

  void compute_part(const StepPart& part, Inputs inputs, const StepContext& /*context*/, Tensor& out) const {
    fill(part.region, *inputs[0], part.sources[0].begin, out);
  }

  [[nodiscard]] double magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const { return inputs[0]; }

  void explain(const ExplainedCell& cell, Explanation& e) const {
    const std::vector<Index> at = {bucket(cell.index[1], cell.index[2]), cell.index[0]};
    e.operands.push_back(cell.operand(0, at));
    e.formula = cell.input(0).name + index_text(at);
    e.note = "the key is " + std::to_string(cell.index[2] - cell.index[1]) + " positions from the query: bucket " +
             std::to_string(at[0]) + " of " + std::to_string(buckets.count) + ", counted from 0";
    e.computed = e.operands.back().value;
  }

  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const {
    const Axes& axes = step.step.axes;
    return "relative_bias(" + inputs[0] + ", " + std::to_string(axes[1].size) + ", " + std::to_string(axes[2].size) +
           ", " + std::to_string(buckets.furthest) + (buckets.both_sides ? ", True)" : ", False)");
  }

  friend bool operator==(const RelativeBiasOperation&, const RelativeBiasOperation&) = default;
};

}  // namespace

Value half_sinusoids(PlanBuilder& r, std::string name, Axes axes) {
  const double flops = 10 * static_cast<double>(element_count(axes));
  return r.record({std::move(name), HalfSinusoidOperation{}, {}, std::move(axes), flops});
}

Value relative_bias(PlanBuilder& r, std::string name, Value table, Index queries, Index keys,
                    const RelativeBuckets& buckets) {
  Axes axes = {{"head", r.axes(table).back().size}, {"query", queries}, {"key", keys}};
  return r.record({std::move(name), RelativeBiasOperation{buckets}, {table.step}, std::move(axes), 0});
}

}  // namespace attnscope
