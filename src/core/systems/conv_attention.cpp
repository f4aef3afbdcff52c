// Attention as convolutional networks write it: 1×1 convolutions as projections, matrices of d × HW (columns are
// pixels), and queries scaled before the product.
#include "core/experiment/system.h"
#include "core/script/script_parts.h"
#include "core/systems/parts.h"

namespace attnscope {
namespace conv_attention_parts {
namespace {

void run_system(const Experiment& e, PlanBuilder& r) {
  const Index heads = e.integer("heads");
  const Index head_dim = e.integer("head_dim");
  const Axis channel = {"channel", e.integer("channels")};
  const Axis hidden = {"head·dim", saturating_product(heads, head_dim)};

  const Value x = draw_picture(e, r);
  begin_weights(r, e);
  const Layer qkv_layer =
      draw_linear_without_bias(r, "qkv", {"part·head·dim", saturating_product(3, hidden.size)}, channel);
  const Layer out_layer = draw_linear(r, "out", channel, hidden);

  const Value qkv =
      contract(r, "qkv", "batch channel row column, part·head·dim channel -> batch part·head·dim row column", x,
               qkv_layer.weight);
  const Projections p = cut_projections(r, "batch (part head dim) row column -> batch head dim token=(row column)", qkv,
                                        {{"head", heads}, {"dim", head_dim}});
  const Value scaled_q = scale_by_root(r, "scaled_q", p.q, head_dim);
  const Value scores =
      contract(r, "scores", "batch head dim query, batch head dim key -> batch head query key", scaled_q, p.k);
  const Value weights = attention_weights(r, e, "", scores, e.mask(), pixel_mask_sizes(e));
  const Value outputs =
      contract(r, "head_outputs", "batch head query key, batch head dim key -> batch head query dim", weights, p.v);
  const Value merged = rearrange(r, "merged", "batch head (row column) dim -> batch (head dim) row column",
                                 keep_heads(r, e, outputs), {{"column", e.integer("width")}});
  contract(r, "out", "batch head·dim row column, channel head·dim -> batch channel row column", merged,
           out_layer.weight, {1, {}, out_layer.bias, "channel"});
}

void write_script(Script& s) {
  const Experiment& e = s.experiment();
  write_picture(s);
  s.layer("to_qkv", "qkv", "nn.Conv2d(channels, 3 * heads * head_dim, 1, bias=False)");
  s.layer("to_out", "out", "nn.Conv2d(heads * head_dim, channels, 1)");
  s.save("w_qkv", "to_qkv.weight.flatten(1)");
  s.save("w_out", "to_out.weight.flatten(1)");
  s.edits();

  s.section(R"(
qkv = to_qkv(x)
# [batch, head, dim, token]: columns are pixels.
q, k, v = qkv.flatten(2).unflatten(1, (3, heads, head_dim)).unbind(1)
)");
  s.section(mask_code(e, pixel_scores(true)));
  s.section(R"(
scaled_q = q / math.sqrt(head_dim)
scores = torch.einsum("bhdi,bhdj->bhij", scaled_q, k)
)");
  s.code(weights_code(e));
  s.code("head_outputs = torch.einsum(\"bhij,bhdj->bhid\", " + weights_name(e) + ", v)");
  s.section(heads_code(e, "head_outputs", 1));
  s.empty_line();
  s.code("merged = " + heads_name(e) + ".transpose(2, 3).reshape(batch, heads * head_dim, height, width)");
  s.code("out = to_out(merged)");
}

}  // namespace
}  // namespace conv_attention_parts

System conv_attention() {
  System system;
  system.name = "conv-attention";
  system.title = "Convolutional attention";
  system.summary =
      "The attention layer of a diffusion model: 1×1 convolutions, pixels as columns, queries scaled before the "
      "product.";
  system.source = "the DDPM convolutional attention layer";
  system.parameters = picture_parameters(1);
  system.parameters.push_back(integer_parameter("heads", "Heads", "Number of attention heads.", 4, 1, 16));
  system.parameters.push_back(integer_parameter("head_dim", "Head dimension",
                                                "Head dimension d_k: the length of a query, key or value.", 32, 1, 64));
  system.mask_sizes = pixel_mask_sizes;
  system.run = conv_attention_parts::run_system;
  system.script = conv_attention_parts::write_script;
  return system;
}

}  // namespace attnscope
