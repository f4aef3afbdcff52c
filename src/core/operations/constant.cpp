#include "core/operations/constant.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/operations/ops.h"

namespace attnscope {
namespace {

/// The same number everywhere.
struct ConstantOperation {
  double value = 0;

  [[nodiscard]] std::string name() const { return "constant"; }
  [[nodiscard]] std::string formula(const StepInPlan& /*step*/) const { return exact_text(value); }
  void compute(Inputs /*inputs*/, const StepContext& /*context*/, Tensor& out) const {
    std::fill(out.values().begin(), out.values().end(), static_cast<float>(value));
  }
  void compute_part(const StepPart& /*part*/, Inputs inputs, const StepContext& context, Tensor& out) const {
    compute(inputs, context, out);
  }
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& /*step*/, const Region& /*region*/) const {
    return {};
  }
  [[nodiscard]] double magnitude_bound(const Axes& /*axes*/, std::span<const double> /*inputs*/) const {
    return std::abs(value);
  }
  void explain(const ExplainedCell& cell, Explanation& e) const {
    e.formula = formula(cell);
    e.note = "set by hand: independent of the seed";
    e.computed = value;
  }

  friend bool operator==(const ConstantOperation&, const ConstantOperation&) = default;
};

}  // namespace

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

const SetPart* SetOperation::part_at(Index matrix, Index row, Index column) const {
  const auto has_cell = [&](const SetPart& part) {
    const Index down = row - part.row;
    const Index across = column - part.column;
    return part.matrix == matrix && down >= 0 && down < part.rows && across >= 0 && across < part.columns &&
           across - down >= part.from && across - down <= part.to;
  };
  const auto found = std::find_if(parts.rbegin(), parts.rend(), has_cell);
  return found == parts.rend() ? nullptr : &*found;
}

std::string SetOperation::formula(const StepInPlan& /*step*/) const { return "set by hand"; }

void SetOperation::compute(Inputs /*inputs*/, const StepContext& context, Tensor& out) const {
  std::fill(out.values().begin(), out.values().end(), 0.0F);
  const Index width = out.size(-1);
  const Index matrix = out.size(-2) * width;
  for (const SetPart& part : parts) {
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

std::vector<Region> SetOperation::input_regions(const StepInPlan& /*step*/, const Region& /*region*/) const {
  return {};
}

double SetOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> /*inputs*/) const {
  double largest = 0;
  for (const SetPart& part : parts) largest = std::max(largest, std::abs(part.value));
  return largest;
}

void SetOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const std::size_t rank = cell.index.size();
  const Axes leading(cell.step.axes.begin(), cell.step.axes.end() - 2);
  const SetPart* part =
      part_at(offset_in(leading, cell.index.first(rank - 2)), cell.index[rank - 2], cell.index[rank - 1]);
  e.formula = formula(cell);
  e.note = part != nullptr ? part->why : "Not set by hand, so it is 0.";
  e.computed = part != nullptr ? part->value : 0;
}

}  // namespace attnscope
