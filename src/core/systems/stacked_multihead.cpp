// Multi-head self-attention of a transformer tutorial: one stacked projection, split into heads and then into q, k and
// v; Xavier initialization, zero biases.
#include "core/experiment/positions.h"
#include "core/experiment/random_numbers.h"
#include "core/experiment/system.h"
#include "core/script/script_parts.h"
#include "core/script/script_positions.h"
#include "core/systems/parts.h"

namespace attnscope {
namespace stacked_multihead_parts {
namespace {

MaskSizes mask_sizes(const Experiment& e) {
  return {e.integer("batch"), e.integer("heads"), e.integer("tokens"), e.integer("tokens")};
}

/// Discards the draws of a layer's default initialization, which the tutorial overwrites.
void discard_layer(PlanBuilder& r, const Axis& out, const Axis& in) {
  r.discard(static_cast<std::uint64_t>(saturating_product(out.size, in.size)));
  r.discard(static_cast<std::uint64_t>(out.size));
}

void run_system(const Experiment& e, PlanBuilder& r) {
  const Index heads = e.integer("heads");
  const Axis feature = {"feature", e.integer("features")};
  const Axis embedding = {"embedding", e.integer("embedding")};
  const Axis merged_axis = {"head·dim", embedding.size};
  const Axis stacked = {"head·part·dim", saturating_product(3, embedding.size)};

  const Value x = draw_normal(r, "x", {{"batch", e.integer("batch")}, {"token", e.integer("tokens")}, feature});
  begin_weights(r, e);
  discard_layer(r, stacked, feature);
  discard_layer(r, embedding, merged_axis);
  const Layer qkv_layer = {draw_xavier(r, "w_qkv", {stacked, feature}), zero_bias(r, "qkv", stacked)};
  const Layer out_layer = {draw_xavier(r, "w_out", {embedding, merged_axis}), zero_bias(r, "out", embedding)};

  const Value qkv = linear(r, "qkv", "batch token", with_positions(r, e, x), qkv_layer);
  Projections p = cut_projections(r, "batch token (head part dim) -> batch head token dim", qkv, {{"head", heads}});
  p.q = rotated(r, e, "rotated_q", p.q);
  p.k = rotated(r, e, "rotated_k", p.k);
  const Value product = scaled_scores(r, "batch head", p, embedding.size / heads);
  const Value scores = biased_by_distance(r, e, "biased_scores", product);
  const Value outputs = weighted_sum(e, r, "batch head", scores, p.v, mask_sizes(e)).outputs;
  const Value merged =
      rearrange(r, "merged", "batch head token dim -> batch token (head dim)", keep_heads(r, e, outputs));
  linear(r, "out", "batch token", merged, out_layer);
}

void write_script(Script& s) {
  const Experiment& e = s.experiment();
  s.code("x = torch.randn(batch, tokens, features)");
  s.begin_weights();
  s.layer("to_qkv", "qkv", "nn.Linear(features, 3 * embedding)");
  s.layer("to_out", "out", "nn.Linear(embedding, embedding)");
  s.code(R"(
for layer in (to_qkv, to_out):
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
)");
  s.code(positions_draw_code(e));
  s.edits();
  s.section(positions_sum_code(e));
  s.section("head_dim = embedding // heads");
  write_head_slices(s, positioned_name(e));
  write_rotation(s);
  write_attention(s, {{"batch", "head"}, "tokens", "tokens"},
                  dot_scores_code(e) + biased_scores_code(e, {"heads", "tokens", "tokens", ""}));
  write_merged(s);
  s.code("out = to_out(merged)");
}

}  // namespace
}  // namespace stacked_multihead_parts

System stacked_multihead() {
  System system;
  system.name = "stacked-multihead";
  system.title = "Stacked multi-head attention";
  system.summary = "A transformer's self-attention: one stacked projection for all heads, and an output projection.";
  system.source = "a transformer tutorial with stacked projections and masks";
  system.labels = {"the", "cat", "sat", "on", "the", "mat"};
  system.parameters = {
      integer_parameter("batch", "Batch", "Number of sequences in the batch.", 1, 1, 8),
      integer_parameter("tokens", "Tokens", "Number of tokens that attend to each other.", 6, 1, 16),
      integer_parameter("features", "Features", "Features of an input token, before the projection.", 16, 1, 32),
      integer_parameter("embedding", "Embedding dimension",
                        "Embedding dimension d_model: Q, K or V of all heads together.", 32, 1, 64),
      heads_parameter(4, "embedding"),
      positions_parameter(),
      weights_stay_parameter(),
  };
  system.mask_sizes = stacked_multihead_parts::mask_sizes;
  system.run = stacked_multihead_parts::run_system;
  system.script = stacked_multihead_parts::write_script;
  return system;
}

}  // namespace attnscope
