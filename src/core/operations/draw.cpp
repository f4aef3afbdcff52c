#include "core/operations/draw.h"

#include <algorithm>
#include <cmath>

#include "core/experiment/random_numbers.h"
#include "core/operations/ops.h"
#include "core/random/generator.h"

namespace attnscope {
namespace {

// Box–Muller: √(−2 ln u) for the smallest u of 53 bits is below 8.6.
constexpr double kMaxNormal = 9;

Value record_draw(PlanBuilder& r, std::string name, Axes axes, DrawOperation operation) {
  const auto count = static_cast<std::uint64_t>(element_count(axes));
  const DrawnNumbers drawn = r.draw(count);
  operation.numbers_before = drawn.before;
  operation.discarded = drawn.discarded;
  operation.of_weights = drawn.of_weights;
  operation.restarts = drawn.restarts;
  const double flops = static_cast<double>(count) + static_cast<double>(drawn.discarded);
  return r.record({std::move(name), std::move(operation), {}, std::move(axes), flops});
}

Value draw_symmetric(PlanBuilder& r, std::string name, Axes axes, float bound, std::string range_text) {
  const auto to = static_cast<double>(bound);
  return record_draw(r, std::move(name), std::move(axes),
                     {DrawOperation::Distribution::uniform, -to, to, std::move(range_text)});
}

/// "2 · (1 red + 2 green) / 3 − 1", with the colours of the cell's pixel.
void explain_picture(const ExplainedCell& cell, const DrawOperation& draw, Explanation& e) {
  const PlacedPicture& picture = *draw.picture;
  const Index channel = cell.index[1];
  const Index row = cell.index[2];
  const Index column = cell.index[3];
  const AreaShare share(kColors, picture.channels, channel);
  std::vector<std::string> parts;
  for (Index which = share.first; which <= share.last; ++which) {
    const std::string color = color_name(which);
    const double value =
        static_cast<double>(picture.color(row, column, which)) / static_cast<double>(picture.full_color());
    parts.push_back((share.first == share.last ? "" : std::to_string(share.parts(which)) + " ") + color);
    e.results.push_back(
        {color + " of pixel (" + std::to_string(row + 1) + ", " + std::to_string(column + 1) + "), from 0 to 1",
         value});
  }
  e.formula =
      "2 · " + (parts.size() == 1 ? parts[0] : "(" + join(parts, " + ") + ") / " + std::to_string(kColors)) + " − 1";
  const std::string which = picture.file == nullptr
                                ? "the built-in picture " + picture.name
                                : "the picture of " + std::to_string(picture.file->rows) + " × " +
                                      std::to_string(picture.file->columns) + " pixels, averaged to " +
                                      std::to_string(picture.height) + " × " + std::to_string(picture.width);
  const bool edited = draw.is_edited(offset_in(cell.step.axes, cell.index));
  e.note = edited ? "edited; replaces the value from the picture" : "from " + which + ": independent of the seed";
  e.computed = edited ? e.value : picture.value(channel, row, column);
}

}  // namespace

Value draw_uniform(PlanBuilder& r, std::string name, Axes axes, double from, double to, std::vector<Index> same_rows) {
  DrawOperation operation = {DrawOperation::Distribution::uniform, from, to, {}};
  operation.same_rows = std::move(same_rows);
  return record_draw(r, std::move(name), std::move(axes), std::move(operation));
}

void begin_weights(PlanBuilder& r, const Experiment& e) {
  if (weights_stay(e)) r.begin_weights_seed();
  r.discard(e.discard);
}

Value draw_normal(PlanBuilder& r, std::string name, Axes axes, std::optional<PlacedPicture> picture) {
  DrawOperation operation = {DrawOperation::Distribution::normal, 0, 1, {}};
  operation.picture = std::move(picture);
  return record_draw(r, std::move(name), std::move(axes), std::move(operation));
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

bool DrawOperation::is_edited(Index at) const {
  return std::any_of(edits.begin(), edits.end(), [at](const EditedNumber& each) { return each.at == at; });
}

DrawOperation DrawOperation::with_numbers(std::vector<EditedNumber> numbers) const {
  DrawOperation edited = *this;
  edited.edits = std::move(numbers);
  return edited;
}

std::string DrawOperation::formula(const StepInPlan& /*step*/) const {
  if (picture) return "2 · colour of " + std::string(picture->file ? "the picture" : picture->name) + " − 1";
  if (!range_text.empty()) return "uniform " + range_text;
  if (distribution == Distribution::normal) return "normal(0, 1)";
  return "uniform[" + exact_text(from) + ", " + exact_text(to) + ")";
}

void DrawOperation::compute(Inputs /*inputs*/, const StepContext& context, Tensor& out) const {
  Generator& generator = *context.generator;
  if (distribution == Distribution::normal) {
    generator.fill_normal(out.values());
  } else {
    generator.fill_uniform(out.values(), static_cast<float>(from), static_cast<float>(to));
  }
  const std::size_t row_size = same_rows.empty() ? 0 : out.values().size() / same_rows.size();
  for (std::size_t row = 0; row < same_rows.size(); ++row) {
    const auto from_row = static_cast<std::size_t>(same_rows[row]);
    if (from_row != row)
      std::copy_n(out.values().data() + from_row * row_size, row_size, out.values().data() + row * row_size);
  }
  if (picture) picture->fill(out.values(), context.stop);
  for (const EditedNumber& each : edits) out.values()[static_cast<std::size_t>(each.at)] = each.value;
}

std::vector<Region> DrawOperation::input_regions(const StepInPlan& /*step*/, const Region& /*region*/) const {
  return {};
}

double DrawOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> /*inputs*/) const {
  double bound = distribution == Distribution::normal ? kMaxNormal : std::max(std::abs(from), std::abs(to));
  for (const EditedNumber& each : edits) bound = std::max(bound, std::abs(static_cast<double>(each.value)));
  return bound;
}

void DrawOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  if (picture) return explain_picture(cell, *this, e);
  const Index at = offset_in(cell.step.axes, cell.index);
  std::vector<Index> source(cell.index.begin(), cell.index.end());
  const bool is_copy = !same_rows.empty() && same_rows[static_cast<std::size_t>(source[0])] != source[0];
  if (is_copy) source[0] = same_rows[static_cast<std::size_t>(source[0])];
  const auto number = numbers_before + static_cast<std::uint64_t>(offset_in(cell.step.axes, source)) + 1;
  e.formula = formula(cell);
  e.note = (is_edited(at) ? "edited; replaces random value " : "random value ") +
           grouped_text(static_cast<Index>(number)) + " of seed " +
           std::to_string(of_weights ? weights_seed(cell.seed) : cell.seed) + (of_weights ? ", the weights' own" : "");
  if (is_copy)
    e.note +=
        ": the same " + cell.step.axes[0].name + " as " + cell.step.axes[0].name + " " + std::to_string(source[0] + 1);
  e.computed = e.value;
}

}  // namespace attnscope
