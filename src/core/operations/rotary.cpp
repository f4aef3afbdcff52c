#include "core/operations/rotary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/python_text.h"
#include "core/base/text.h"
#include "core/operations/einsum.h"
#include "core/operations/ops.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

constexpr Index kOperationsPerTurn = 40;
constexpr Index kPositionsAtOnce = 1024;  // some hundred KB

}  // namespace

Value rotate_halves(PlanBuilder& r, std::string name, Value input, std::vector<double> frequencies) {
  return record_elementwise(r, std::move(name), input, RotaryOperation{std::move(frequencies)}, 6);
}

std::string RotaryOperation::formula(const StepInPlan& step) const {
  const Axes& axes = step.step.axes;
  const std::string n = std::to_string(pairs());
  return input_text(step) + ", dims i and i + " + n + " rotated by " + axes[axes.size() - 2].name + " · frequency i";
}

std::vector<RotaryOperation::Turn> RotaryOperation::turns(Index first, Index positions,
                                                          const StepContext& context) const {
  std::vector<Turn> turns(static_cast<std::size_t>(positions * pairs()));
  share_out(context, positions, pairs() * kOperationsPerTurn, [&](Index row) {
    for (Index pair = 0; pair < pairs(); ++pair) {
      const double angle = static_cast<double>(first + row) * frequencies[static_cast<std::size_t>(pair)];
      turns[static_cast<std::size_t>(row * pairs() + pair)] = {std::cos(angle), std::sin(angle)};
    }
  });
  return turns;
}

/// `in` has whole rows, from the same row as the region.
void RotaryOperation::rotate(const Region& region, const StepContext& context, const Tensor& in, Tensor& out) const {
  const std::size_t last = region.begin.size() - 1;
  const Index dim = in.size(-1);
  const Index length = region.size(last);
  const Index positions = region.size(last - 1);
  if (out.count() == 0) return;
  const Index heads = out.count() / length / positions;
  for (Index begin = 0; begin < positions; begin += kPositionsAtOnce) {
    const Index some = std::min(kPositionsAtOnce, positions - begin);
    // The same angles for every head.
    const std::vector<Turn> turned = turns(region.begin[last - 1] + begin, some, context);
    share_out(context, heads * some, length * 4, [&](Index item) {
      const Index run = item / some * positions + begin + item % some;
      const Turn* const of_row = turned.data() + item % some * pairs();
      const float* const from = in.values().data() + run * dim;
      float* const to = out.values().data() + run * length;
      for (Index i = 0; i < length; ++i) {
        const Index at = region.begin[last] + i;
        if (at >= 2 * pairs()) {
          to[i] = from[at];
          continue;
        }
        const bool first = at < pairs();
        const Turn& turn = of_row[first ? at : at - pairs()];
        const auto other = static_cast<double>(first ? -from[at + pairs()] : from[at - pairs()]);
        to[i] = static_cast<float>(static_cast<double>(from[at]) * turn.cos + other * turn.sin);
      }
    });
  }
}

void RotaryOperation::compute(Inputs inputs, const StepContext& context, Tensor& out) const {
  rotate(whole_region(0, out.axes()), context, *inputs[0], out);
}

std::vector<Region> RotaryOperation::input_regions(const StepInPlan& step, const Region& region) const {
  Region rows = same_cells(step, region);
  rows.begin.back() = 0;
  rows.end.back() = step.step.axes.back().size;
  return {rows};
}

void RotaryOperation::compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const {
  rotate(part.region, context, *inputs[0], out);
}

double RotaryOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
  // An angle that is no number has no cosine.
  constexpr double kLargestFrequency = 1e100;
  const bool have_angles = std::ranges::all_of(frequencies, [](double f) { return std::abs(f) <= kLargestFrequency; });
  return have_angles ? 2 * inputs[0] : std::numeric_limits<double>::infinity();
}

void RotaryOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const double own = add_same_cell(cell, e);
  const Index at = cell.index.back();
  e.computed = own;
  e.formula = cell.name(0);
  if (at >= 2 * pairs()) {
    e.note = "dims from " + std::to_string(2 * pairs()) + " on are not rotated";
    return;
  }
  const bool first = at < pairs();
  const Index pair = first ? at : at - pairs();
  std::vector<Index> partner(cell.index.begin(), cell.index.end());
  partner.back() = first ? at + pairs() : at - pairs();
  e.operands.push_back(cell.operand(0, partner));
  const double other = e.operands.back().value;
  const double frequency = frequencies[static_cast<std::size_t>(pair)];
  const double angle = static_cast<double>(cell.index[cell.index.size() - 2]) * frequency;
  e.formula =
      cell.name(0) + " · cos θ " + (first ? "− " : "+ ") + cell.input(0).name + index_text(partner) + " · sin θ";
  e.results.push_back({"frequency of pair " + std::to_string(pair + 1), frequency});
  e.results.push_back({"θ = position " + std::to_string(cell.index[cell.index.size() - 2]) + " × frequency", angle});
  e.results.push_back({"cos θ", std::cos(angle)});
  e.results.push_back({"sin θ", std::sin(angle)});
  e.computed = own * std::cos(angle) + (first ? -other : other) * std::sin(angle);
}

std::string RotaryOperation::python(const StepInPlan& /*step*/, std::span<const std::string> inputs) const {
  std::vector<std::string> texts;
  texts.reserve(frequencies.size());
  for (const double frequency : frequencies) texts.push_back(python_number(frequency));
  return "rotary(" + inputs[0] + ", [" + join(texts, ", ") + "])";
}

}  // namespace attnscope
