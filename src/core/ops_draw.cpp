// Where numbers come from: the seeded generator, and constants.
#include "core/ops.h"
#include "core/text.h"

namespace attnscope {
namespace {

Value draw_symmetric(Recorder& r, std::string name, Axes axes, float bound, std::string range_text) {
  const auto to = static_cast<double>(bound);
  return draw(r, std::move(name), std::move(axes),
              {DrawOperation::Distribution::uniform, -to, to, std::move(range_text), 0});
}

}  // namespace

Value draw(Recorder& r, std::string name, Axes axes, DrawOperation operation) {
  operation.numbers_before = r.numbers_drawn_;
  const Index count = element_count(axes);
  r.numbers_drawn_ += static_cast<std::uint64_t>(count);
  std::string formula = "normal(0, 1)";
  if (!operation.range_text.empty()) {
    formula = "uniform " + operation.range_text;
  } else if (operation.distribution == DrawOperation::Distribution::uniform) {
    formula = "uniform[" + exact_text(operation.from) + ", " + exact_text(operation.to) + ")";
  }
  const auto fill = [&r, &operation](Tensor& out) {
    if (operation.distribution == DrawOperation::Distribution::normal) {
      r.generator().fill_normal(out.values());
    } else {
      r.generator().fill_uniform(out.values(), static_cast<float>(operation.from), static_cast<float>(operation.to));
    }
  };
  return r.record({std::move(name), operation, {}, std::move(formula), std::move(axes), nullptr},
                  static_cast<double>(count), fill);
}

Value draw_uniform(Recorder& r, std::string name, Axes axes, double from, double to) {
  return draw(r, std::move(name), std::move(axes), {DrawOperation::Distribution::uniform, from, to, {}, 0});
}

Value draw_normal(Recorder& r, std::string name, Axes axes) {
  return draw(r, std::move(name), std::move(axes), {DrawOperation::Distribution::normal, 0, 1, {}, 0});
}

Value draw_layer(Recorder& r, std::string name, Axes axes, Index fan_in) {
  return draw_symmetric(r, std::move(name), std::move(axes), fan_in_bound(fan_in), "±1/√" + std::to_string(fan_in));
}

Value draw_xavier(Recorder& r, std::string name, Axes axes) {
  const Index fan_out = axes[0].size;
  const Index fan_in = axes[1].size;
  return draw_symmetric(r, std::move(name), std::move(axes), xavier_bound(fan_in, fan_out),
                        "±√(6/(" + std::to_string(fan_in) + " + " + std::to_string(fan_out) + "))");
}

Value constant(Recorder& r, std::string name, Axes axes, double value) {
  const Index count = element_count(axes);
  const auto fill = [value](Tensor& out) {
    std::fill(out.values().begin(), out.values().end(), static_cast<float>(value));
  };
  return r.record({std::move(name), ConstantOperation{value}, {}, exact_text(value), std::move(axes), nullptr},
                  static_cast<double>(count), fill);
}

}  // namespace attnscope
