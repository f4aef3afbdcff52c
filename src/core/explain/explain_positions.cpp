// What positions do to a number.
#include <cmath>

#include "core/explain/explain_cell.h"

namespace attnscope {
namespace {

/// "3 / 10000^(4/9)", an angle.
std::string angle_text(Index position, Index number, Index of) {
  return std::to_string(position) + " / 10000^(" + std::to_string(number / 2 * 2) + "/" + std::to_string(of) + ")";
}

}  // namespace

void explain_operation(const ExplainedCell& cell, const SinusoidOperation& /*sinusoid*/, Explanation& e) {
  const Index position = cell.index[cell.index.size() - 2];
  const Index feature = cell.index.back();
  const Index features = cell.step.axes.back().size;
  e.formula = (feature % 2 == 0 ? "sin(" : "cos(") + angle_text(position, feature, features) + ")";
  e.results.push_back({"angle", SinusoidOperation::angle(position, feature, features)});
  e.note = "the same whatever the seed";
  e.computed = SinusoidOperation::value(position, feature, features);
}

void explain_operation(const ExplainedCell& cell, const RotateOperation& /*rotate*/, Explanation& e) {
  const Index position = cell.index[cell.index.size() - 2];
  const Index number = cell.index.back();
  const Index dim = cell.step.axes.back().size;
  std::vector<Index> at(cell.index.begin(), cell.index.end());
  at.back() -= number % 2;
  e.operands.push_back(cell.operand(0, at));
  if (at.back() + 1 == dim) {
    e.formula = cell.name(0);
    e.note = "the last of an odd number: it has no partner to be turned with";
    e.computed = e.operands[0].value;
    return;
  }
  const std::string even = cell.input(0).name + index_text(at);
  ++at.back();
  e.operands.push_back(cell.operand(0, at));
  const std::string odd = cell.input(0).name + index_text(at);
  const std::string angle = angle_text(position, number, dim);
  const double turned_by = RotateOperation::angle(position, number, dim);
  e.results.push_back({"angle " + angle, turned_by});
  e.results.push_back({"its cosine", std::cos(turned_by)});
  e.results.push_back({"its sine", std::sin(turned_by)});
  const bool first = number % 2 == 0;
  e.formula = even + (first ? " · cos(" : " · sin(") + angle + ")" + (first ? " − " : " + ") + odd +
              (first ? " · sin(" : " · cos(") + angle + ")";
  e.computed = first ? e.operands[0].value * std::cos(turned_by) - e.operands[1].value * std::sin(turned_by)
                     : e.operands[0].value * std::sin(turned_by) + e.operands[1].value * std::cos(turned_by);
}

void explain_operation(const ExplainedCell& cell, const DistanceBiasOperation& bias, Explanation& e) {
  e.operands.push_back(cell.operand(0, {cell.index.begin(), cell.index.end()}));
  const Index query = cell.index[cell.index.size() - 2];
  const Index key = cell.index.back();
  const double slope = bias.slope_at(cell.index);
  const Index distance = query > key ? query - key : key - query;
  e.formula =
      cell.name(0) + " − " + number_text(slope) + " · |" + std::to_string(query) + " − " + std::to_string(key) + "|";
  e.results.push_back({"slope of the head", slope});
  e.results.push_back({"slope × distance " + std::to_string(distance), slope * static_cast<double>(distance)});
  e.computed = e.operands[0].value - slope * static_cast<double>(distance);
}

}  // namespace attnscope
