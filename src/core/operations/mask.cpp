#include "core/operations/mask.h"

#include <cassert>
#include <cmath>

#include "core/base/python_text.h"
#include "core/base/text.h"
#include "core/kernels/attention.h"
#include "core/operations/ops.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

/// Sizes of the axes before the last two, as batch and heads; absent ones are 1.
struct LeadingSizes {
  Index batch = 1;
  Index heads = 1;
};

LeadingSizes leading_sizes(const Axes& axes) {
  LeadingSizes sizes;
  for (std::size_t i = 0; i + 2 < axes.size(); ++i) (axes[i].name == "head" ? sizes.heads : sizes.batch) = axes[i].size;
  return sizes;
}

struct LeadingPlace {
  Index batch = 0;
  Index head = 0;
};

/// `keys` scores of one query, from key `first` on.
void mask_scores(const MaskOperation& operation, const LeadingPlace& place, Index query, Index first, Index keys,
                 const float* from, float* to) {
  const auto filled = static_cast<float>(operation.fill);
  const MaskField& field = *operation.field;
  if (field.keeps_ranges()) {
    const KeptKeys kept = field.range(place.batch, query);
    return mask_row({from, static_cast<std::size_t>(keys)}, kept, first, filled, to);
  }
  for (Index i = 0; i < keys; ++i) to[i] = field.keeps(place.batch, place.head, query, first + i) ? from[i] : filled;
}

LeadingPlace leading_place(const Axes& axes, std::span<const Index> index) {
  LeadingPlace place;
  for (std::size_t i = 0; i + 2 < axes.size(); ++i) (axes[i].name == "head" ? place.head : place.batch) = index[i];
  return place;
}

}  // namespace

bool MaskOperation::keeps(const Axes& axes, std::span<const Index> index) const {
  const auto [batch, head] = leading_place(axes, index);
  return field->keeps(batch, head, index[index.size() - 2], index.back());
}

std::string MaskOperation::reason(const Axes& axes, std::span<const Index> index) const {
  return field->reason(leading_place(axes, index).head, index[index.size() - 2], index.back());
}

Value apply_mask(PlanBuilder& r, std::string name, Value scores, MaskField field, double fill) {
  return record_elementwise(r, std::move(name), scores,
                            MaskOperation{std::make_shared<const MaskField>(std::move(field)), fill}, 1);
}

std::string MaskOperation::formula(const StepInPlan& step) const {
  return input_text(step) + " where not masked, otherwise " + number_text(fill);
}

void MaskOperation::compute(Inputs inputs, const StepContext& context, Tensor& out) const {
  const float* const from = inputs[0]->values().data();
  float* const to = out.values().data();
  const auto [batch, heads] = leading_sizes(out.axes());
  const Index queries = out.size(-2);
  const Index keys = out.size(-1);
  for (Index row = 0; row < batch * heads * queries && !context.stop.stop_requested(); ++row) {
    const LeadingPlace place = {row / queries / heads, row / queries % heads};
    mask_scores(*this, place, row % queries, 0, keys, from + row * keys, to + row * keys);
  }
}

std::vector<Region> MaskOperation::input_regions(const StepInPlan& step, const Region& region) const {
  return {same_cells(step, region)};
}

void MaskOperation::compute_part(const StepPart& part, Inputs inputs, const StepContext& /*context*/,
                                 Tensor& out) const {
  const Tensor& scores = *inputs[0];
  const Index length = out.size(-1);
  for_each_run(part.region, [&](Index at, const std::vector<Index>& index) {
    std::vector<Index> in_part = index;
    for (std::size_t axis = 0; axis < index.size(); ++axis) in_part[axis] -= part.region.begin[axis];
    mask_scores(*this, leading_place(part.step.axes, index), index[index.size() - 2], index.back(), length,
                scores.first() + scores.place(in_part), out.values().data() + at);
  });
}

double MaskOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const { return inputs[0]; }

void MaskOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const double score = add_same_cell(cell, e);
  const bool keep = keeps(cell.step.axes, cell.index);
  e.formula = keep ? cell.name(0) : number_text(fill);
  e.note = std::string(keep ? "not masked" : "masked") + " (" + reason(cell.step.axes, cell.index) + ")";
  e.computed = keep ? score : fill;
}

std::vector<std::string> MaskOperation::warnings(const std::string& name) const {
  // A mask without an axis for heads or for the batch is the same for all of them.
  const Index rows = field->empty_rows();
  if (rows == 0) return {};
  std::string text = name + ": " + grouped_text(rows) + (rows == 1 ? " row has" : " rows have") + " no unmasked key";
  if (std::isinf(fill)) return {text + (rows == 1 ? ": its weights are 0" : ": their weights are 0")};
  return {text + "; masked_fill " + exact_text(fill) + " makes the weights uniform"};
}

std::string MaskOperation::python(const StepInPlan& step, std::span<const std::string> inputs) const {
  const Axes& axes = step.step.axes;
  const std::string shape = std::to_string(axes[axes.size() - 2].size) + ", " + std::to_string(axes.back().size);
  const Mask& mask = field->mask();
  assert(mask.kind == Mask::Kind::causal || mask.kind == Mask::Kind::none);
  const std::string filled = std::isinf(fill) ? "-torch.inf" : python_number(fill);
  std::string masked = inputs[0];
  if (mask.kind == Mask::Kind::causal) {
    std::string keep = "torch.ones(" + shape + ").tril()";
    if (mask.last > 0) keep += ".triu(" + std::to_string(1 - mask.last) + ")";
    masked += ".masked_fill(" + keep + " == 0, " + filled + ")";
  }
  if (mask.pairs.empty()) return masked;
  std::vector<std::string> pairs;
  for (const MaskedPair& each : mask.pairs) {
    pairs.push_back("(" + std::to_string(each.head) + ", " + (each.query < 0 ? "None" : std::to_string(each.query)) +
                    ", " + std::to_string(each.key) + ")");
  }
  return "mask_pairs(" + masked + ", [" + join(pairs, ", ") + "], " + filled + ")";
}

}  // namespace attnscope
