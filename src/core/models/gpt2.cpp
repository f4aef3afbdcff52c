// GPT-2. Source: Radford et al. 2019, Language Models are Unsupervised Multitask Learners.
#include <cmath>

#include "core/base/text.h"
#include "core/models/model_builder.h"
#include "core/models/models.h"

namespace attnscope {
namespace gpt2_parts {
namespace {

struct Gpt2 {
  Index features = 0;
  Index heads = 0;
  Index hidden = 0;
  double epsilon = 1e-5;
  bool scale = true;            ///< whether scores are divided by √dim
  bool scale_by_layer = false;  ///< and by the number of the layer
  Activation activation = Activation::gelu_tanh;
};

using Order = ModelBuilder::Order;

Value attention(ModelBuilder& m, const Gpt2& gpt, const std::string& prefix, const std::string& stored, Index layer,
                Value input) {
  const Value qkv =
      m.linear(prefix + "qkv", input, {stored + ".c_attn", 3 * gpt.features, true, Order::in_out}, "part·head·dim");
  const auto part = [&](const char* name, const char* position, Index at) {
    return rearrange(m.plan(), prefix + name, std::string(position) + " (part head dim) -> head " + position + " dim",
                     qkv, {{"part", 3}, {"head", gpt.heads}}, {{"part", at}});
  };
  ModelBuilder::Attention attention = {prefix, part("q", "query", 0), part("k", "key", 1), part("v", "key", 2)};
  attention.mask = causal_mask();
  const Index dim = gpt.features / gpt.heads;
  if (gpt.scale) {
    attention.divisor = std::sqrt(static_cast<double>(dim));
    attention.divisor_text = "√" + std::to_string(dim);
  }
  if (gpt.scale_by_layer) {
    attention.divisor *= static_cast<double>(layer);
    const std::string number = std::to_string(layer);
    attention.divisor_text = gpt.scale ? "(" + attention.divisor_text + " · " + number + ")" : number;
  }
  return m.linear(prefix + "attention_out", m.attend(attention),
                  {stored + ".c_proj", gpt.features, true, Order::in_out}, "feature");
}

void build(ModelBuilder& m) {
  Gpt2 gpt;
  gpt.features = m.integer("n_embd");
  gpt.heads = m.integer("n_head");
  gpt.hidden = m.find("n_inner") != nullptr ? m.integer("n_inner") : 4 * gpt.features;
  gpt.epsilon = m.positive("layer_norm_epsilon", 1e-5);
  gpt.scale = m.flag("scale_attn_weights", true);
  gpt.scale_by_layer = m.flag("scale_attn_by_inverse_layer_idx", false);
  gpt.activation = m.activation("activation_function", "gelu_new");
  const Index layers = m.integer("n_layer");
  const Index vocabulary = m.integer("vocab_size");
  const Index positions = m.integer("n_positions", m.find("n_ctx") != nullptr ? m.integer("n_ctx") : 1024);
  m.divides("n_head", gpt.heads, "n_embd", gpt.features);

  const std::string stored = m.prefix_of({"transformer.", ""}, "wte.weight");
  const std::vector<Index>& ids = m.tokens(m.experiment().text, "text", vocabulary, positions, "n_positions");
  if (m.error()) return;
  m.token_ids("token_ids", m.experiment().text);
  const Value words = m.rows_of("token_embeddings", stored + "wte.weight", vocabulary, gpt.features, ids);
  const Value places = m.rows_of("position_embeddings", stored + "wpe.weight", positions, gpt.features,
                                 counted_from(0, std::ssize(ids)));
  Value x = m.residual("embedded", words, places);
  for (Index layer = 1; layer <= layers && !m.error(); ++layer) {
    const std::string prefix = "layer" + std::to_string(layer) + ".";
    const std::string h = stored + "h." + std::to_string(layer - 1);
    const Value normed = m.layer_norm(prefix + "normed", x, h + ".ln_1", gpt.epsilon);
    const Value middle = m.residual(prefix + "middle", x, attention(m, gpt, prefix, h + ".attn", layer, normed));
    const Value mlp_normed = m.layer_norm(prefix + "mlp_normed", middle, h + ".ln_2", gpt.epsilon);
    const ModelBuilder::Mlp mlp = {prefix,
                                   {h + ".mlp.c_fc", gpt.hidden, true, Order::in_out},
                                   gpt.activation,
                                   {h + ".mlp.c_proj", gpt.features, true, Order::in_out}};
    x = m.residual(prefix + "out", middle, m.mlp(mlp_normed, mlp));
  }
  const Value final = m.layer_norm("final", x, stored + "ln_f", gpt.epsilon);
  m.answer(final, {vocabulary, stored + "wte.weight", "lm_head.weight"});
}

}  // namespace
}  // namespace gpt2_parts

ModelFamily gpt2() { return {"gpt2", ModelInput::text, true, gpt2_parts::build}; }

}  // namespace attnscope
