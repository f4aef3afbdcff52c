// T5: RMS norms before, scores that are not divided, relative positions in buckets. Source: Raffel et al. 2020,
// Exploring the Limits of Transfer Learning.
#include <cmath>
#include <string>

#include "core/base/text.h"
#include "core/models/model_builder.h"
#include "core/models/models.h"

namespace attnscope {
namespace t5_parts {
namespace {

struct T5 {
  Index features = 0;
  Index heads = 0;
  Index dim = 0;
  Index hidden = 0;
  Index vocabulary = 0;
  double epsilon = 1e-6;
  bool gated = false;
  Activation activation = Activation::relu;
  RelativeBuckets buckets;
};

void read_activation(ModelBuilder& m, T5& t5) {
  const std::string kind = m.choice("feed_forward_proj", "relu");
  t5.gated = kind.starts_with("gated-");
  const std::string name = t5.gated ? kind.substr(6) : kind;
  // In T5's files "gated-gelu" means the approximation.
  const std::optional<Activation> known = activation_called(kind == "gated-gelu" ? "gelu_new" : name);
  if (known) {
    t5.activation = *known;
  } else {
    m.fail("config.json: feed_forward_proj: " + quoted_text(kind) +
           " is not known; allowed: relu, gelu, silu, gated-gelu, gated-silu, gated-relu");
  }
}

struct Block {
  std::string prefix;
  std::string stored;  ///< "decoder.block.0.layer.1."
  std::string name;    ///< "SelfAttention" or "EncDecAttention"
  Value bias = {};     ///< step −1: none
  bool causal = false;
};

/// x with what attention adds; it reads `encoded` where that is given, otherwise x itself.
Value attend(ModelBuilder& m, const T5& t5, const Block& block, Value x, Value encoded) {
  const Value normed = m.rms_norm(block.prefix + "normed", x, block.stored + "layer_norm", t5.epsilon);
  const Value read = encoded.step >= 0 ? encoded : normed;
  const std::string stored = block.stored + block.name + ".";
  const auto part = [&](const std::string& name, const std::string& position, Value from) {
    const Value projected =
        m.linear(block.prefix + "projected_" + name, from, {stored + name, t5.heads * t5.dim, false}, "head·dim");
    return m.split_heads(block.prefix + name, projected, t5.heads, position);
  };
  ModelBuilder::Attention attention = {block.prefix, part("q", "query", normed), part("k", "key", read),
                                       part("v", "key", read), block.bias};
  if (block.causal) attention.mask = causal_mask();
  const Value attended =
      m.linear(block.prefix + "attention_out", m.attend(attention), {stored + "o", t5.features, false}, "feature");
  return m.residual(block.prefix + "middle", x, attended);
}

Value feed_forward(ModelBuilder& m, const T5& t5, const std::string& prefix, const std::string& stored, Value x) {
  const Value normed = m.rms_norm(prefix + "mlp_normed", x, stored + "layer_norm", t5.epsilon);
  const std::string dense = stored + "DenseReluDense.";
  const ModelBuilder::Linear back = {dense + "wo", t5.features, false};
  Value out;
  if (t5.gated) {
    out = m.gated_mlp(
        normed, {prefix, {dense + "wi_0", t5.hidden, false}, {dense + "wi_1", t5.hidden, false}, t5.activation, back});
  } else {
    out = m.mlp(normed, {prefix, {dense + "wi", t5.hidden, false}, t5.activation, back});
  }
  return m.residual(prefix + "out", x, out);
}

/// A part's last tensor, normed; a decoder reads `encoded`.
Value run_part(ModelBuilder& m, const T5& t5, const std::string& part, Index layers, const ModelText& text,
               Value encoded) {
  const bool decodes = encoded.step >= 0;
  const std::string its = part + ".";
  m.token_ids(its + "token_ids", text);
  Value x = m.rows_of(its + "embedded", "shared.weight", t5.vocabulary, t5.features, text.ids);
  const Value table = m.weight(its + "bias_table", its + "block.0.layer.0.SelfAttention.relative_attention_bias.weight",
                               {{"bucket", t5.buckets.count}, {"head", t5.heads}});
  RelativeBuckets buckets = t5.buckets;
  buckets.both_sides = !decodes;
  const Index tokens = std::ssize(text.ids);
  const Value bias = relative_bias(m.plan(), its + "position_bias", table, tokens, tokens, buckets);
  for (Index layer = 1; layer <= layers && !m.error(); ++layer) {
    const std::string prefix = its + "layer" + std::to_string(layer) + ".";
    const std::string stored = its + "block." + std::to_string(layer - 1) + ".layer.";
    x = attend(m, t5, {prefix, stored + "0.", "SelfAttention", bias, decodes}, x, {});
    if (decodes) x = attend(m, t5, {prefix + "cross_", stored + "1.", "EncDecAttention"}, x, encoded);
    x = feed_forward(m, t5, prefix, stored + (decodes ? "2." : "1."), x);
  }
  return m.rms_norm(its + "final", x, its + "final_layer_norm", t5.epsilon);
}

void build(ModelBuilder& m) {
  T5 t5;
  t5.features = m.integer("d_model");
  t5.heads = m.integer("num_heads");
  t5.dim = m.integer("d_kv");
  t5.hidden = m.integer("d_ff");
  t5.vocabulary = m.integer("vocab_size");
  t5.epsilon = m.positive("layer_norm_epsilon", 1e-6);
  t5.buckets.count = m.integer("relative_attention_num_buckets", 32);
  t5.buckets.furthest = m.integer("relative_attention_max_distance", 128);
  if (t5.buckets.count < 4 || t5.buckets.furthest <= t5.buckets.count / 2)
    m.fail("config.json: relative_attention_num_buckets has to be at least 4 and below twice the maximum distance");
  read_activation(m, t5);
  const Index encoder_layers = m.integer("num_layers");
  const Index decoder_layers = m.integer("num_decoder_layers", encoder_layers);
  const Experiment& e = m.experiment();
  // T5 has no last position, but every table of scores has to fit somewhere.
  constexpr Index kMostTokens = 16'384;
  m.tokens(e.text, "text", t5.vocabulary, kMostTokens, "as many as attnscope computes");
  m.tokens(e.text2, "text2", t5.vocabulary, kMostTokens, "as many as attnscope computes");
  if (m.error()) return;
  const Value encoded = run_part(m, t5, "encoder", encoder_layers, e.text, {});
  const Value final = run_part(m, t5, "decoder", decoder_layers, e.text2, encoded);
  m.answer(final, {t5.vocabulary, "shared.weight", "lm_head.weight"}, divided_by_root(t5.features));
}

}  // namespace
}  // namespace t5_parts

ModelFamily t5() { return {"t5", ModelInput::two_texts, false, t5_parts::build}; }

}  // namespace attnscope
