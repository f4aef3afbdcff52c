#include "core/operations/positions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/experiment/positions.h"
#include "core/operations/ops.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

/// position / 10000^(2⌊number/2⌋/of).
double angle_of(Index position, Index number, Index of) {
  const Index even = number - number % 2;
  return static_cast<double>(position) / std::pow(10000, static_cast<double>(even) / static_cast<double>(of));
}

/// "3 / 10000^(4/9)", an angle.
std::string angle_text(Index position, Index number, Index of) {
  return std::to_string(position) + " / 10000^(" + std::to_string(number / 2 * 2) + "/" + std::to_string(of) + ")";
}

/// Sines and cosines that tell positions apart; axes [position, feature]. Source: Vaswani et al., "Attention is all you
/// need", 2017, section 3.5.
struct SinusoidOperation {
  /// The sine (even features) or cosine (odd ones) of the angle.
  static double value(Index position, Index feature, Index features) {
    const double angle = angle_of(position, feature, features);
    return feature % 2 == 0 ? std::sin(angle) : std::cos(angle);
  }

  [[nodiscard]] std::string name() const { return "sinusoid"; }

  [[nodiscard]] std::string formula(const StepInPlan& step) const {
    const Axes& axes = step.step.axes;
    return "sin or cos of " + axes[axes.size() - 2].name + " / 10000^(" + axes.back().name + "/" +
           std::to_string(axes.back().size) + ")";
  }

  static void fill(const Region& region, Index features, Tensor& out) {
    for_each_cell(region, [&](std::size_t at, const std::vector<Index>& index) {
      out.values()[at] = static_cast<float>(value(index[index.size() - 2], index.back(), features));
    });
  }

  void compute(Inputs /*inputs*/, const StepContext& /*context*/, Tensor& out) const {
    fill(whole_region(0, out.axes()), out.size(-1), out);
  }

  void compute_part(const StepPart& part, Inputs /*inputs*/, const StepContext& /*context*/, Tensor& out) const {
    fill(part.region, part.step.axes.back().size, out);
  }

  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& /*step*/, const Region& /*region*/) const {
    return {};
  }

  [[nodiscard]] double magnitude_bound(const Axes& /*axes*/, std::span<const double> /*inputs*/) const { return 1; }

  void explain(const ExplainedCell& cell, Explanation& e) const {
    const Index position = cell.index[cell.index.size() - 2];
    const Index feature = cell.index.back();
    const Index features = cell.step.axes.back().size;
    e.formula = (feature % 2 == 0 ? "sin(" : "cos(") + angle_text(position, feature, features) + ")";
    e.results.push_back({"angle", angle_of(position, feature, features)});
    e.note = "independent of the seed";
    e.computed = value(position, feature, features);
  }

  friend bool operator==(const SinusoidOperation&, const SinusoidOperation&) = default;
};

/// Cosine and sine of the angle of each pair of a row, in double precision.
std::vector<std::pair<double, double>> turns(Index position, Index dim) {
  std::vector<std::pair<double, double>> pairs;
  for (Index i = 0; i + 1 < dim; i += 2) {
    const double angle = RotateOperation::angle(position, i, dim);
    pairs.emplace_back(std::cos(angle), std::sin(angle));
  }
  return pairs;
}

/// Rotates the box `region` of a tensor with `axes`; `in` is its box `source`, which begins and ends with whole pairs.
void rotate_box(const Axes& axes, const Region& region, const Region& source, const Tensor& in, Tensor& out) {
  const Index dim = axes.back().size;
  const Index length = region.size(axes.size() - 1);
  const Index source_length = source.size(axes.size() - 1);
  const Index skipped = region.begin.back() - source.begin.back();
  Index row = 0;
  Index position = -1;
  std::vector<std::pair<double, double>> turned_by;
  for_each_run(region, [&](Index at, const std::vector<Index>& index) {
    if (const Index next = index[index.size() - 2]; next != std::exchange(position, next)) turned_by = turns(next, dim);
    const float* from = in.values().data() + row * source_length;
    for (Index i = 0; i < length; ++i) {
      const Index number = index.back() + i;
      const Index own = skipped + i;
      auto value = static_cast<double>(from[own]);
      if (number / 2 < static_cast<Index>(turned_by.size())) {
        const auto [cosine, sine] = turned_by[static_cast<std::size_t>(number / 2)];
        const auto other = static_cast<double>(from[number % 2 == 0 ? own + 1 : own - 1]);
        value = number % 2 == 0 ? value * cosine - other * sine : other * sine + value * cosine;
      }
      out.values()[static_cast<std::size_t>(at + i)] = static_cast<float>(value);
    }
    ++row;
  });
}

/// Subtracts the bias from the box `region`.
void subtract_bias(const DistanceBiasOperation& operation, const Region& region, const Tensor& in, Tensor& out) {
  for_each_run(region, [&](Index at, const std::vector<Index>& index) {
    const double slope = operation.slope_at(index);
    const Index query = index[index.size() - 2];
    for (Index i = 0; i < out.size(-1); ++i) {
      const auto cell = static_cast<std::size_t>(at + i);
      const auto distance = static_cast<double>(std::abs(query - index.back() - i));
      out.values()[cell] = in.values()[cell] - static_cast<float>(slope * distance);
    }
  });
}

std::string axis_names(const Axes& axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) names.push_back(axis.name);
  return join(names, " ");
}

}  // namespace

Value with_positions(PlanBuilder& r, const Experiment& e, Value tokens) {
  const std::string& kind = positions_of(e);
  if (kind != "sinusoidal" && kind != "learned") return tokens;
  const Axes axes = r.axes(tokens);
  const Axes table = {axes[axes.size() - 2], axes.back()};
  const Value positions =
      kind == "learned"
          ? draw_normal(r, "positions", table)
          : r.record({"positions", SinusoidOperation{}, {}, table, static_cast<double>(element_count(table))});
  const std::string all = axis_names(axes);
  return add(r, "positioned_x", all + ", " + axis_names(table) + " -> " + all, tokens, positions);
}

Value rotated(PlanBuilder& r, const Experiment& e, std::string name, Value input) {
  if (positions_of(e) != "rotary") return input;
  Axes axes = r.axes(input);
  const double flops = 3 * static_cast<double>(element_count(axes));
  return r.record({std::move(name), RotateOperation{}, {input.step}, std::move(axes), flops});
}

double RotateOperation::angle(Index position, Index dim_index, Index dim) { return angle_of(position, dim_index, dim); }

std::string RotateOperation::formula(const StepInPlan& step) const {
  const Axes& axes = step.step.axes;
  return input_text(step) + ", each pair rotated by " + axes[axes.size() - 2].name + " / 10000^(" + axes.back().name +
         "/" + std::to_string(axes.back().size) + ")";
}

void RotateOperation::compute(Inputs inputs, const StepContext& /*context*/, Tensor& out) const {
  const Region whole = whole_region(0, out.axes());
  rotate_box(out.axes(), whole, whole, *inputs[0], out);
}

std::vector<Region> RotateOperation::input_regions(const StepInPlan& step, const Region& region) const {
  Region pairs = same_cells(step, region);
  pairs.begin.back() -= pairs.begin.back() % 2;
  pairs.end.back() = std::min(pairs.end.back() + pairs.end.back() % 2, step.step.axes.back().size);
  return {pairs};
}

void RotateOperation::compute_part(const StepPart& part, Inputs inputs, const StepContext& /*context*/,
                                   Tensor& out) const {
  rotate_box(part.step.axes, part.region, part.sources[0], *inputs[0], out);
}

double RotateOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
  return 2 * inputs[0];
}

void RotateOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const Index position = cell.index[cell.index.size() - 2];
  const Index number = cell.index.back();
  const Index dim = cell.step.axes.back().size;
  std::vector<Index> at(cell.index.begin(), cell.index.end());
  at.back() -= number % 2;
  e.operands.push_back(cell.operand(0, at));
  if (at.back() + 1 == dim) {
    e.formula = cell.name(0);
    e.note = "the last feature of an odd number: it has no partner, so it is not rotated";
    e.computed = e.operands[0].value;
    return;
  }
  const std::string even = cell.input(0).name + index_text(at);
  ++at.back();
  e.operands.push_back(cell.operand(0, at));
  const std::string odd = cell.input(0).name + index_text(at);
  const std::string angle_of_pair = angle_text(position, number, dim);
  const double turned_by = angle(position, number, dim);
  e.results.push_back({"angle " + angle_of_pair, turned_by});
  e.results.push_back({"cosine of the angle", std::cos(turned_by)});
  e.results.push_back({"sine of the angle", std::sin(turned_by)});
  const bool first = number % 2 == 0;
  e.formula = even + (first ? " · cos(" : " · sin(") + angle_of_pair + ")" + (first ? " − " : " + ") + odd +
              (first ? " · sin(" : " · cos(") + angle_of_pair + ")";
  e.computed = first ? e.operands[0].value * std::cos(turned_by) - e.operands[1].value * std::sin(turned_by)
                     : e.operands[0].value * std::sin(turned_by) + e.operands[1].value * std::cos(turned_by);
}

Value biased_by_distance(PlanBuilder& r, const Experiment& e, std::string name, Value scores) {
  if (positions_of(e) != "alibi") return scores;
  Axes axes = r.axes(scores);
  DistanceBiasOperation bias;
  if (const Axis* heads = find_axis(axes, "head"); heads != nullptr)
    bias = {static_cast<int>(heads - axes.data()), heads->size};
  const double flops = 2 * static_cast<double>(element_count(axes));
  return r.record({std::move(name), bias, {scores.step}, std::move(axes), flops});
}

double DistanceBiasOperation::slope(Index head) const {
  return std::exp2(-8 * static_cast<double>(head + 1) / static_cast<double>(heads));
}

std::string DistanceBiasOperation::formula(const StepInPlan& step) const {
  const Axes& axes = step.step.axes;
  return input_text(step) + " − " + (head_axis < 0 ? number_text(slope(0)) : "slope_head") + " · |" +
         axes[axes.size() - 2].name + " − " + axes.back().name + "|";
}

void DistanceBiasOperation::compute(Inputs inputs, const StepContext& /*context*/, Tensor& out) const {
  subtract_bias(*this, whole_region(0, out.axes()), *inputs[0], out);
}

std::vector<Region> DistanceBiasOperation::input_regions(const StepInPlan& step, const Region& region) const {
  return {same_cells(step, region)};
}

void DistanceBiasOperation::compute_part(const StepPart& part, Inputs inputs, const StepContext& /*context*/,
                                         Tensor& out) const {
  subtract_bias(*this, part.region, *inputs[0], out);
}

double DistanceBiasOperation::magnitude_bound(const Axes& axes, std::span<const double> inputs) const {
  return inputs[0] + static_cast<double>(std::max(axes[axes.size() - 2].size, axes.back().size));
}

void DistanceBiasOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  e.operands.push_back(cell.operand(0, {cell.index.begin(), cell.index.end()}));
  const Index query = cell.index[cell.index.size() - 2];
  const Index key = cell.index.back();
  const double of_head = slope_at(cell.index);
  const Index distance = query > key ? query - key : key - query;
  e.formula =
      cell.name(0) + " − " + number_text(of_head) + " · |" + std::to_string(query) + " − " + std::to_string(key) + "|";
  e.results.push_back({"slope of the head", of_head});
  e.results.push_back({"slope × distance " + std::to_string(distance), of_head * static_cast<double>(distance)});
  e.computed = e.operands[0].value - of_head * static_cast<double>(distance);
}

}  // namespace attnscope
