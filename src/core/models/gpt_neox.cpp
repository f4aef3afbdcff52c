// GPT-NeoX and Pythia. Source: Black et al. 2022, GPT-NeoX-20B.
#include <cmath>
#include <string>

#include "core/models/model_builder.h"
#include "core/models/models.h"
#include "core/models/rotary_config.h"

namespace attnscope {
namespace gpt_neox_parts {
namespace {

struct NeoX {
  Index features = 0;
  Index heads = 0;
  bool bias = true;  ///< of the projections of attention
  std::vector<double> frequencies;
};

/// q, k and v of a head lie side by side.
Value attention(ModelBuilder& m, const NeoX& neox, const std::string& prefix, const std::string& stored, Value input) {
  const Value qkv =
      m.linear(prefix + "qkv", input, {stored + "query_key_value", 3 * neox.features, neox.bias}, "head·part·dim");
  const auto part = [&](const char* name, const char* position, Index at) {
    return rearrange(m.plan(), prefix + name, std::string(position) + " (head part dim) -> head " + position + " dim",
                     qkv, {{"part", 3}, {"head", neox.heads}}, {{"part", at}});
  };
  ModelBuilder::Attention attention = {prefix, part("q", "query", 0), part("k", "key", 1), part("v", "key", 2)};
  attention.q = rotate_halves(m.plan(), prefix + "rotated_q", attention.q, neox.frequencies);
  attention.k = rotate_halves(m.plan(), prefix + "rotated_k", attention.k, neox.frequencies);
  m.set_root_divisor(attention);
  attention.mask = causal_mask();
  return m.linear(prefix + "attention_out", m.attend(attention), {stored + "dense", neox.features, neox.bias},
                  "feature");
}

void build(ModelBuilder& m) {
  NeoX neox;
  neox.features = m.integer("hidden_size");
  neox.heads = m.integer("num_attention_heads");
  neox.bias = m.flag("attention_bias", true);
  m.divides("num_attention_heads", neox.heads, "hidden_size", neox.features);
  const char* const share_field = m.find("rope_parameters.partial_rotary_factor") != nullptr
                                      ? "rope_parameters.partial_rotary_factor"
                                      : "rotary_pct";
  const double share = m.real(share_field, 0.25);
  if (!(share > 0 && share <= 1))
    m.fail("config.json: " + std::string(share_field) + " has to be above 0 and at most 1");
  if (m.error()) return;
  const Index dim = neox.features / neox.heads;
  neox.frequencies = rotary_config(m, static_cast<Index>(std::floor(static_cast<double>(dim) * share)));
  const Index hidden = m.integer("intermediate_size");
  const Activation activation = m.activation("hidden_act", "gelu");
  const double epsilon = m.positive("layer_norm_eps", 1e-5);
  const bool parallel = m.flag("use_parallel_residual", true);
  const Index layers = m.integer("num_hidden_layers");
  const Index vocabulary = m.integer("vocab_size");
  const Index positions = m.integer("max_position_embeddings", 2048);

  const std::string stored = m.prefix_of({"gpt_neox.", ""}, "embed_in.weight");
  const std::vector<Index>& ids =
      m.tokens(m.experiment().text, "text", vocabulary, positions, "max_position_embeddings");
  if (m.error()) return;
  m.token_ids("token_ids", m.experiment().text);
  Value x = m.rows_of("embedded", stored + "embed_in.weight", vocabulary, neox.features, ids);
  for (Index layer = 1; layer <= layers && !m.error(); ++layer) {
    const std::string prefix = "layer" + std::to_string(layer) + ".";
    const std::string h = stored + "layers." + std::to_string(layer - 1) + ".";
    const Value normed = m.layer_norm(prefix + "normed", x, h + "input_layernorm", epsilon);
    const Value attended = attention(m, neox, prefix, h + "attention.", normed);
    const ModelBuilder::Mlp mlp = {
        prefix, {h + "mlp.dense_h_to_4h", hidden}, activation, {h + "mlp.dense_4h_to_h", neox.features}};
    if (parallel) {
      const Value mlp_normed = m.layer_norm(prefix + "mlp_normed", x, h + "post_attention_layernorm", epsilon);
      const Value both = m.residual(prefix + "both", attended, m.mlp(mlp_normed, mlp));
      x = m.residual(prefix + "out", x, both);
    } else {
      const Value middle = m.residual(prefix + "middle", x, attended);
      const Value mlp_normed = m.layer_norm(prefix + "mlp_normed", middle, h + "post_attention_layernorm", epsilon);
      x = m.residual(prefix + "out", middle, m.mlp(mlp_normed, mlp));
    }
  }
  const Value final = m.layer_norm("final", x, stored + "final_layer_norm", epsilon);
  m.answer(final, {vocabulary, stored + "embed_in.weight", "embed_out.weight", false});
}

}  // namespace
}  // namespace gpt_neox_parts

ModelFamily gpt_neox() { return {"gpt_neox", ModelInput::text, true, gpt_neox_parts::build}; }

}  // namespace attnscope
