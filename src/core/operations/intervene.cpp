#include "core/operations/intervene.h"

#include <algorithm>
#include <map>

#include "core/base/python_text.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

using Kind = Intervention::Kind;

/// The axes of a tensor with or without heads.
struct RowAxes {
  bool heads = false;
  std::size_t position = 0;

  explicit RowAxes(std::size_t axes) : heads(axes == 3), position(axes - 2) {}
  [[nodiscard]] Index head(std::span<const Index> index) const { return heads ? index[0] : -1; }
};

/// Where a row of `region`, whose numbers are `box`, begins.
const float* row_in(const Tensor& box, const Region& region, std::vector<Index> index) {
  for (std::size_t axis = 0; axis < index.size(); ++axis) index[axis] -= region.begin[axis];
  return box.values().data() + box.offset(index);
}

}  // namespace

const InterveneOperation::Change* InterveneOperation::change_of(Index head, Index position) const {
  const Change* found = nullptr;
  for (const Change& each : changes) {
    if (each.head != head) continue;
    if (each.position == position) return &each;
    if (each.position < 0) found = &each;
  }
  return found;
}

bool InterveneOperation::continues(const InterveneOperation& last) const {
  const auto is_mean = [](const Change& each) { return each.kind == Kind::mean; };
  return changes == last.changes && std::ranges::none_of(changes, is_mean);
}

std::string InterveneOperation::formula(const StepInPlan& step) const {
  std::string text = input_text(step);
  for (const Change& each : changes) {
    std::string part = each.head < 0 ? "" : " head " + std::to_string(each.head);
    if (each.position >= 0) part += " position " + std::to_string(each.position);
    text += part.empty() ? "," : "," + part + ":";
    switch (each.kind) {
      case Kind::off: text += " 0"; break;
      case Kind::mean: text += " mean over the text"; break;
      case Kind::patched: text += " " + step.input(1).name; break;
      case Kind::masked: break;  // of scores, which this does not replace
    }
  }
  return text;
}

void InterveneOperation::compute(Inputs inputs, const StepContext& /*context*/, Tensor& out) const {
  std::vector<Region> sources;
  for (const Tensor* each : inputs) sources.push_back(whole_region(0, each->axes()));
  const Region whole = whole_region(0, out.axes());
  fill(whole, sources, inputs, out);
}

std::vector<Region> InterveneOperation::input_regions(const StepInPlan& step, const Region& region) const {
  Region own = same_cells(step, region);
  const RowAxes axes(region.begin.size());
  const bool needs_all = std::ranges::any_of(changes, [&](const Change& each) {
    const bool its_head = each.head < 0 || (each.head >= region.begin[0] && each.head < region.end[0]);
    const bool its_row = each.position < 0 ||
                         (each.position >= region.begin[axes.position] && each.position < region.end[axes.position]);
    return each.kind == Kind::mean && its_head && its_row;
  });
  if (needs_all) {
    own.begin[axes.position] = 0;
    own.end[axes.position] = step.input(0).axes[axes.position].size;
  }
  if (step.step.inputs.size() < 2) return {own};
  Region other = {step.step.inputs[1], region.begin, region.end};
  const Index most = step.input(1).axes[axes.position].size;
  other.begin[axes.position] = std::min(other.begin[axes.position], most);
  other.end[axes.position] = std::min(other.end[axes.position], most);
  return {own, other};
}

void InterveneOperation::compute_part(const StepPart& part, Inputs inputs, const StepContext& /*context*/,
                                      Tensor& out) const {
  fill(part.region, part.sources, inputs, out);
}

void InterveneOperation::fill(const Region& region, std::span<const Region> sources, Inputs inputs, Tensor& out) const {
  const RowAxes axes(region.begin.size());
  const std::size_t at_position = axes.position;
  const Index length = out.size(-1);
  const Region& own = sources[0];
  std::map<Index, std::vector<float>> means;  // of each head
  const auto mean_of = [&](std::vector<Index> index) -> const std::vector<float>& {
    const auto [found, is_new] = means.try_emplace(axes.head(index));
    if (!is_new) return found->second;
    std::vector<double> sums(static_cast<std::size_t>(length));
    for (index[at_position] = own.begin[at_position]; index[at_position] < own.end[at_position]; ++index[at_position]) {
      const float* const row = row_in(*inputs[0], own, index);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(row[i]);
    }
    const auto count = static_cast<double>(own.size(at_position));
    for (const double sum : sums) found->second.push_back(static_cast<float>(sum / count));
    return found->second;
  };
  for_each_run(region, [&](Index at, const std::vector<Index>& index) {
    const Change* const change = change_of(axes.head(index), index[at_position]);
    const auto to = out.values().begin() + at;
    if (change != nullptr && change->kind == Kind::off) {
      std::fill_n(to, length, 0.0F);
    } else if (change != nullptr && change->kind == Kind::mean) {
      std::ranges::copy(mean_of(index), to);
    } else if (change != nullptr && index[at_position] < sources[1].end[at_position]) {
      std::copy_n(row_in(*inputs[1], sources[1], index), length, to);
    } else {
      std::copy_n(row_in(*inputs[0], own, index), length, to);
    }
  });
}

double InterveneOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
  return *std::ranges::max_element(inputs);
}

void InterveneOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const RowAxes axes(cell.index.size());
  const Index position = cell.index[axes.position];
  const Change* const change = change_of(axes.head(cell.index), position);
  std::vector<Index> at(cell.index.begin(), cell.index.end());
  if (change != nullptr && change->kind == Kind::mean) {
    const Index count = cell.input(0).axes[axes.position].size;
    for (at[axes.position] = 0; at[axes.position] < count; ++at[axes.position]) {
      e.operands.push_back(cell.operand(0, at));
      e.terms.push_back({number_text(e.operands.back().value), e.operands.back().value, 1});
      e.computed += e.operands.back().value;
    }
    e.results.push_back({"sum", e.computed});
    e.computed /= static_cast<double>(count);
    e.results.push_back({"÷ " + std::to_string(count), e.computed});
    e.formula = "mean of " + cell.input(0).name + " over the text";
    e.note = "replaced by its mean";
    return;
  }
  const bool patched =
      change != nullptr && change->kind == Kind::patched && position < cell.input(1).axes[axes.position].size;
  const std::size_t from = patched ? 1 : 0;
  e.operands.push_back(cell.operand(from, at));
  e.formula = cell.name(from);
  e.computed = e.operands.back().value;
  if (change == nullptr) {
    e.note = "stays as it is";
  } else if (change->kind == Kind::off) {
    e.note = "switched off";
    e.formula = "0";
    e.computed = 0;
  } else {
    e.note = patched ? "patched from the other text" : "the other text has no such position: stays as it is";
  }
}

std::string InterveneOperation::python(const StepInPlan& /*step*/, std::span<const std::string> inputs) const {
  std::vector<std::string> parts;
  const auto number = [](Index each) { return each < 0 ? std::string("None") : std::to_string(each); };
  for (const Change& each : changes) {
    parts.push_back("(" + python_text(std::string(kind_name(each.kind))) + ", " + number(each.head) + ", " +
                    number(each.position) + ")");
  }
  std::string call = "intervene(" + inputs[0] + ", [" + join(parts, ", ") + "]";
  if (inputs.size() > 1) call += ", " + inputs[1];
  return call + ")";
}

}  // namespace attnscope
