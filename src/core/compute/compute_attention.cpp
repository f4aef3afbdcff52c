#include "core/compute/compute_attention.h"

namespace attnscope {

void compute_attention(const Plan& plan, const AttentionSteps& attention, const AttentionTensors& tensors,
                       const StepContext& context, const RowSink* made) {
  const AttentionSizes& sizes = attention.sizes;
  const Index matrix = sizes.queries * sizes.keys;
  Index count = 1;
  for (const Index size : attention.leading) count *= size;
  std::vector<std::vector<KeptKeys>> kept;
  kept.reserve(static_cast<std::size_t>(count));
  std::vector<AttentionHead> heads;
  std::vector<Index> at(attention.leading.size(), 0);
  for (Index number = 0; number < count; ++number) {
    Index rest = number;
    for (std::size_t axis = at.size(); axis-- > 0;) {
      at[axis] = rest % attention.leading[axis];
      rest /= attention.leading[axis];
    }
    kept.push_back(kept_keys(plan, attention, at));
    AttentionHead head;
    head.q = tensors.q->values().data() + leading_offset(plan, attention, attention.q, at);
    head.k = tensors.k->values().data() + leading_offset(plan, attention, attention.k, at);
    head.q_row = head.k_row = sizes.dim;
    head.kept = kept.back().empty() ? nullptr : kept.back().data();
    head.scores = tensors.scores->values().data() + number * matrix;
    if (tensors.masked != nullptr) head.masked_scores = tensors.masked->values().data() + number * matrix;
    head.weights = tensors.weights->values().data() + number * matrix;
    if (tensors.outputs != nullptr) {
      head.v = tensors.v->values().data() + leading_offset(plan, attention, attention.v, at);
      head.output = tensors.outputs->values().data() + leading_offset(plan, attention, attention.outputs, at);
      head.v_row = head.output_row = sizes.value_dim;
    }
    heads.push_back(head);
  }
  attend(
      heads, sizes, attention.options, context.pool, [&] { return context.stop.stop_requested(); }, made);
}

}  // namespace attnscope
