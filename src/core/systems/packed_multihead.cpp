// `torch.nn.MultiheadAttention` on the pixels of a picture: one packed in-projection whose rows are first all of Q,
// then all of K, then all of V, and weights averaged over the heads.
#include "core/systems/parts.h"

namespace attnscope {
namespace {

MaskSizes mask_sizes(const Experiment& e) {
  return {e.integer("batch"), e.integer("heads"), pixel_count(e), pixel_count(e)};
}

void run_system(const Experiment& e, Recorder& r) {
  const Index heads = e.integer("heads");
  const Axis channel = {"channel", e.integer("channels")};
  const Axis stacked = {"part·head·dim", saturating_product(3, channel.size)};

  const Value x = draw_picture(e, r);
  r.discard(e.discard);
  // The output layer draws a bias as well, which is set to zero afterwards.
  Layer out_layer = draw_linear_without_bias(r, "out", channel, {"head·dim", channel.size});
  r.discard(static_cast<std::uint64_t>(channel.size));
  const Layer in_layer = {draw_xavier(r, "w_qkv", {stacked, channel}), zero_bias(r, "qkv", stacked)};
  out_layer.bias = zero_bias(r, "out", channel);

  const Value tokens = pixels_as_tokens(r, x);
  const Value qkv = linear(r, "qkv", "batch token", tokens, in_layer);
  const Projections p =
      cut_projections(r, "batch token (part head dim) -> batch head token dim", qkv, {{"head", heads}});
  const Value scores = scaled_scores(r, "batch head", p, channel.size / heads);
  const WeightedSum attention = weighted_sum(e, r, "batch head", scores, p.v, mask_sizes(e));
  mean(r, "mean_weights", attention.weights, "head");
  const Value merged = rearrange(r, "merged", "batch head token dim -> batch token (head dim)", attention.outputs);
  const Value projected = linear(r, "projected", "batch token", merged, out_layer);
  add(r, "out", "batch token channel, batch token channel -> batch token channel", tokens, projected);
}

}  // namespace

System packed_multihead() {
  System system;
  system.name = "packed-multihead";
  system.title = "Packed multi-head attention";
  system.summary = "PyTorch's own multi-head attention on the pixels of a picture, with weights averaged over heads.";
  system.source = "a Stable Diffusion attention notebook";
  system.parameters = picture_parameters(64);
  system.parameters.push_back(heads_parameter(8, "channels"));
  system.mask_sizes = mask_sizes;
  system.run = run_system;
  return system;
}

}  // namespace attnscope
