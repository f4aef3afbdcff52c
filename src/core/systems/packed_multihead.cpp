// `torch.nn.MultiheadAttention` on the pixels of a picture: one packed in-projection whose rows are all of Q, then all
// of K, then all of V; and weights averaged over the heads.
#include "core/experiment/system.h"
#include "core/script/script_parts.h"
#include "core/systems/parts.h"

namespace attnscope {
namespace packed_multihead_parts {
namespace {

void run_system(const Experiment& e, PlanBuilder& r) {
  const Index heads = e.integer("heads");
  const Axis channel = {"channel", e.integer("channels")};
  const Axis stacked = {"part·head·dim", saturating_product(3, channel.size)};

  const Value x = draw_picture(e, r);
  begin_weights(r, e);
  // PyTorch draws a bias for the output layer, then sets it to zero.
  Layer out_layer = draw_linear_without_bias(r, "out", channel, {"head·dim", channel.size});
  r.discard(static_cast<std::uint64_t>(channel.size));
  const Layer in_layer = {draw_xavier(r, "w_qkv", {stacked, channel}), zero_bias(r, "qkv", stacked)};
  out_layer.bias = zero_bias(r, "out", channel);

  const Value tokens = pixels_as_tokens(r, x);
  const Value qkv = linear(r, "qkv", "batch token", tokens, in_layer);
  const Projections p =
      cut_projections(r, "batch token (part head dim) -> batch head token dim", qkv, {{"head", heads}});
  const Value scores = scaled_scores(r, "batch head", p, channel.size / heads);
  const WeightedSum attention = weighted_sum(e, r, "batch head", scores, p.v, pixel_mask_sizes(e));
  mean(r, "mean_weights", attention.weights, "head");
  const Value merged =
      rearrange(r, "merged", "batch head token dim -> batch token (head dim)", keep_heads(r, e, attention.outputs));
  const Value projected = linear(r, "projected", "batch token", merged, out_layer);
  add(r, "out", "batch token channel, batch token channel -> batch token channel", tokens, projected);
}

void write_script(Script& s) {
  const Experiment& e = s.experiment();
  write_picture(s);
  s.code("layer = nn.MultiheadAttention(channels, heads, batch_first=True)");
  s.save("w_qkv", "layer.in_proj_weight");
  s.save("b_qkv", "layer.in_proj_bias");
  s.save("w_out", "layer.out_proj.weight");
  s.save("b_out", "layer.out_proj.bias");
  s.edits();

  s.section("# The layer, step by step.\nhead_dim = channels // heads");
  write_tokens(s, "x");
  s.code(R"(
qkv = nn.functional.linear(tokens, layer.in_proj_weight, layer.in_proj_bias)
# Rows of the packed projection: all of q, then all of k, then all of v.
q, k, v = qkv.unflatten(-1, (3, heads, head_dim)).permute(2, 0, 3, 1, 4)
)");
  write_attention(s, pixel_scores(true));
  s.code("mean_weights = " + weights_name(e) + ".mean(dim=1)");
  write_merged(s);
  s.code(R"(
projected = layer.out_proj(merged)
out = tokens + projected
)");
  if (e.mask().kind != Mask::Kind::none || e.real("temperature") != 1 || e.real("dropout") > 0 || !e.heads_off.empty())
    return;
  s.section(R"(
# The layer itself gives the same result.
torch.testing.assert_close(layer(tokens, tokens, tokens), (projected, mean_weights))
)");
}

}  // namespace
}  // namespace packed_multihead_parts

System packed_multihead() {
  System system;
  system.name = "packed-multihead";
  system.title = "Packed multi-head attention";
  system.summary =
      "PyTorch's nn.MultiheadAttention on the pixels of a picture, with the weights averaged over the heads.";
  system.source = "a Stable Diffusion attention notebook";
  system.parameters = picture_parameters(64);
  system.parameters.push_back(heads_parameter(8, "channels"));
  system.mask_sizes = pixel_mask_sizes;
  system.run = packed_multihead_parts::run_system;
  system.script = packed_multihead_parts::write_script;
  return system;
}

}  // namespace attnscope
