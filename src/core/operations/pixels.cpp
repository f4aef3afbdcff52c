#include "core/operations/pixels.h"

#include <algorithm>
#include <cmath>

#include "core/base/python_text.h"
#include "core/base/text.h"
#include "core/operations/shared.h"

namespace attnscope {

double PixelsOperation::color(Index channel, Index row, Index column, Index channels) const {
  const auto pixel = [&](Index which) { return static_cast<double>(picture.byte(row, column, which)); };
  if (channels == kColors) return pixel(channel);
  double sum = 0;
  for (Index which = 0; which < kColors; ++which) sum += pixel(which);
  return sum / static_cast<double>(kColors);
}

double PixelsOperation::value(Index channel, Index row, Index column, Index channels) const {
  const double scaled = color(channel, row, column, channels) * factor;
  const auto at = static_cast<std::size_t>(channel);
  return means.empty() ? scaled : (scaled - means[at]) / deviations[at];
}

std::string PixelsOperation::formula(const StepInPlan& /*step*/) const {
  const std::string scaled = "colour × " + exact_text(factor);
  return means.empty() ? scaled : "(" + scaled + " − mean_channel) / deviation_channel";
}

void PixelsOperation::compute(Inputs /*inputs*/, const StepContext& /*context*/, Tensor& out) const {
  for_each_cell(whole_region(0, out.axes()), [&](std::size_t at, const std::vector<Index>& index) {
    out.values()[at] = static_cast<float>(value(index[0], index[1], index[2], out.size(0)));
  });
}

std::vector<Region> PixelsOperation::input_regions(const StepInPlan& /*step*/, const Region& /*region*/) const {
  return {};
}

double PixelsOperation::magnitude_bound(const Axes& axes, std::span<const double> /*inputs*/) const {
  double bound = 0;
  for (Index channel = 0; channel < axes[0].size; ++channel) {
    const auto at = static_cast<std::size_t>(channel);
    const double mean = means.empty() ? 0 : std::abs(means[at]);
    bound = std::max(bound, (static_cast<double>(kFullColor) * std::abs(factor) + mean) /
                                (means.empty() ? 1 : std::abs(deviations[at])));
  }
  return bound;
}

void PixelsOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const Index channels = cell.step.axes[0].size;
  const double own = color(cell.index[0], cell.index[1], cell.index[2], channels);
  e.results.push_back({channels == kColors
                           ? "the picture's " + std::string(color_name(cell.index[0])) + " at this pixel"
                           : "mean of the picture's colours at this pixel",
                       own});
  e.results.push_back({"× " + exact_text(factor), own * factor});
  e.formula = number_text(own) + " × " + exact_text(factor);
  if (!means.empty()) {
    const auto at = static_cast<std::size_t>(cell.index[0]);
    e.formula = "(" + e.formula + " − " + exact_text(means[at]) + ") / " + exact_text(deviations[at]);
  }
  e.computed = value(cell.index[0], cell.index[1], cell.index[2], channels);
}

std::string PixelsOperation::python(const StepInPlan& step, std::span<const std::string> /*inputs*/) const {
  std::string code = "torch.tensor(list(bytes.fromhex(\"" + hex_text(picture.pixels().rgb) + "\"))).reshape(" +
                     std::to_string(picture.height) + ", " + std::to_string(picture.width) +
                     ", 3).permute(2, 0, 1).float()";
  if (step.step.axes[0].size == 1) code += ".mean(0, keepdim=True)";
  code += " * " + python_number(factor);
  if (means.empty()) return code;
  const auto list = [](const std::vector<double>& numbers) {
    std::vector<std::string> texts;
    texts.reserve(numbers.size());
    for (const double number : numbers) texts.push_back(python_number(number));
    return "torch.tensor([" + join(texts, ", ") + "])[:, None, None]";
  };
  return "(" + code + " - " + list(means) + ") / " + list(deviations);
}

}  // namespace attnscope
