#include "core/compute/compute_attention.h"

#include <cassert>

namespace attnscope {

void compute_attention(const Plan& plan, const AttentionSteps& attention, const AttentionTensors& tensors,
                       const Region& rows, const StepContext& context, const RowSink* made) {
  AttentionSizes sizes = attention.sizes;
  const std::size_t query_axis = attention.leading.size();
  const Index first = rows.begin[query_axis];
  assert(rows.size(query_axis + 1) == sizes.keys);
  sizes.queries = rows.size(query_axis);
  AttentionOptions options = attention.options;
  options.pairs = static_cast<double>(tensors.scores->count());
  Region firsts = rows;  // a cell for each head
  for (std::size_t axis = query_axis; axis < query_axis + 2; ++axis) firsts.end[axis] = firsts.begin[axis] + 1;
  std::vector<std::vector<KeptKeys>> kept;
  std::vector<AttentionHead> heads;
  kept.reserve(static_cast<std::size_t>(firsts.count()));
  heads.reserve(static_cast<std::size_t>(firsts.count()));
  for_each_run(firsts, [&](Index /*number*/, const std::vector<Index>& cell) {
    const std::span<const Index> at = std::span(cell).first(query_axis);
    kept.push_back(kept_keys(plan, attention, at));
    const auto offset = [&](int step) { return leading_offset(plan, attention, step, at); };
    const Index scores = tensors.scores->place(cell);
    AttentionHead head;
    head.q = tensors.q->values().data() + offset(attention.q) + first * sizes.dim;
    head.k = tensors.k->values().data() + offset(attention.k);
    head.q_row = head.k_row = sizes.dim;
    head.kept = kept.back().empty() ? nullptr : kept.back().data() + first;
    head.scores = tensors.scores->first() + scores;
    head.hidden_later = tensors.hidden_later;
    if (tensors.masked != nullptr) head.masked_scores = tensors.masked->values().data() + scores;
    head.weights = tensors.weights->values().data() + scores;
    if (tensors.outputs != nullptr) {
      head.v = tensors.v->values().data() + offset(attention.v);
      head.output = tensors.outputs->values().data() + offset(attention.outputs) + first * sizes.value_dim;
      head.v_row = head.output_row = sizes.value_dim;
    }
    heads.push_back(head);
  });
  attend(
      heads, sizes, options, context.pool, [&] { return context.stop.stop_requested(); }, made);
}

}  // namespace attnscope
