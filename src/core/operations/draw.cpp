// Where numbers come from: the seeded generator, constants, and what is set by hand.
#include <algorithm>
#include <cassert>

#include "core/operations/ops.h"
#include "core/random/generator.h"

namespace attnscope {
namespace {

Value draw_symmetric(PlanBuilder& r, std::string name, Axes axes, float bound, std::string range_text) {
  const auto to = static_cast<double>(bound);
  return r.record_draw(std::move(name), std::move(axes),
                       {DrawOperation::Distribution::uniform, -to, to, std::move(range_text)});
}

}  // namespace

Value draw_uniform(PlanBuilder& r, std::string name, Axes axes, double from, double to) {
  return r.record_draw(std::move(name), std::move(axes), {DrawOperation::Distribution::uniform, from, to, {}});
}

Value draw_normal(PlanBuilder& r, std::string name, Axes axes, std::optional<PlacedPicture> picture) {
  DrawOperation operation = {DrawOperation::Distribution::normal, 0, 1, {}};
  operation.picture = std::move(picture);
  return r.record_draw(std::move(name), std::move(axes), std::move(operation));
}

Value draw_layer(PlanBuilder& r, std::string name, Axes axes, Index fan_in) {
  return draw_symmetric(r, std::move(name), std::move(axes), fan_in_bound(fan_in), "±1/√" + std::to_string(fan_in));
}

Value draw_xavier(PlanBuilder& r, std::string name, Axes axes) {
  const Index fan_out = axes[0].size;
  const Index fan_in = axes[1].size;
  return draw_symmetric(r, std::move(name), std::move(axes), xavier_bound(fan_in, fan_out),
                        "±√(6/(" + std::to_string(fan_in) + " + " + std::to_string(fan_out) + "))");
}

Value constant(PlanBuilder& r, std::string name, Axes axes, double value) {
  const auto count = static_cast<double>(element_count(axes));
  return r.record({std::move(name), ConstantOperation{value}, {}, std::move(axes), count});
}

Value set_by_hand(PlanBuilder& r, std::string name, Axes axes, std::vector<SetPart> parts) {
  assert(axes.size() >= 2);
  assert(std::all_of(parts.begin(), parts.end(), [&](const SetPart& part) {
    return part.row >= 0 && part.column >= 0 && part.row + part.rows <= axes[axes.size() - 2].size &&
           part.column + part.columns <= axes.back().size;
  }));
  const auto count = static_cast<double>(element_count(axes));
  return r.record({std::move(name), SetOperation{std::move(parts)}, {}, std::move(axes), count});
}

}  // namespace attnscope
