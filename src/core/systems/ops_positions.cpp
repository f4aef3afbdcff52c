// How the tokens get their positions.
#include "core/base/text.h"
#include "core/experiment/positions.h"
#include "core/operations/ops.h"

namespace attnscope {
namespace {

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

Value biased_by_distance(PlanBuilder& r, const Experiment& e, std::string name, Value scores) {
  if (positions_of(e) != "alibi") return scores;
  Axes axes = r.axes(scores);
  DistanceBiasOperation bias;
  if (const Axis* heads = find_axis(axes, "head"); heads != nullptr)
    bias = {static_cast<int>(heads - axes.data()), heads->size};
  const double flops = 2 * static_cast<double>(element_count(axes));
  return r.record({std::move(name), bias, {scores.step}, std::move(axes), flops});
}

}  // namespace attnscope
