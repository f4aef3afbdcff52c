// Mask, softmax and dropout one after the other.
#include "core/operations/ops.h"

namespace attnscope {

Value attention_weights(PlanBuilder& r, const Experiment& e, const std::string& prefix, Value scores, const Mask& mask,
                        MaskSizes sizes) {
  Value logits = scores;
  if (mask.kind != Mask::Kind::none) {
    logits = apply_mask(r, prefix + "masked_scores", scores, MaskField(mask, sizes), e.real("masked_fill"));
  }
  Value weights = softmax(r, prefix + "weights", logits, e.real("temperature"));
  if (e.real("dropout") > 0) weights = dropout(r, prefix + "dropped_weights", weights, e.real("dropout"));
  return weights;
}

}  // namespace attnscope
