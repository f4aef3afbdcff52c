// BART and Marian: an encoder, and a decoder that attends to it. Sources: Lewis et al. 2020, BART; Junczys-Dowmunt et
// al. 2018, Marian.
#include <cmath>
#include <string>

#include "core/models/model_builder.h"
#include "core/models/models.h"

namespace attnscope {
namespace bart_parts {
namespace {

constexpr double kEpsilon = 1e-5;

struct Bart {
  bool marian = false;
  Index features = 0;
  Index vocabulary = 0;
  Index positions = 0;
  double scale = 1;  ///< of the token embeddings
  Activation activation = Activation::gelu;
  std::string stored;
};

struct Part {
  std::string name;  ///< "encoder" or "decoder"
  Index layers = 0;
  Index heads = 0;
  Index hidden = 0;
};

Part part_of(ModelBuilder& m, const Bart& bart, const std::string& name) {
  Part part = {name, m.integer(name + "_layers"), m.integer(name + "_attention_heads"), m.integer(name + "_ffn_dim")};
  m.divides(name + "_attention_heads", part.heads, "d_model", bart.features);
  return part;
}

Value embed(ModelBuilder& m, const Bart& bart, const Part& part, const ModelText& text) {
  const std::string prefix = part.name + ".";
  const std::string its = bart.stored + part.name + ".";
  m.token_ids(prefix + "token_ids", text);
  const Value words = m.rows_of(prefix + "token_embeddings", bart.stored + "shared.weight", bart.vocabulary,
                                bart.features, text.ids, bart.scale);
  const std::string table = its + "embed_positions.weight";
  const Index count = std::ssize(text.ids);
  const std::string name = prefix + "position_embeddings";
  if (bart.marian) {
    const Axes axes = {{"token", count}, {"feature", bart.features}};
    const Value places = m.has(table) ? m.rows_of(name, table, bart.positions, bart.features, counted_from(0, count))
                                      : half_sinusoids(m.plan(), name, axes);
    return m.residual(prefix + "embedded", words, places);
  }
  // BART's table begins with two rows that no token has.
  const Value places = m.rows_of(name, table, bart.positions + 2, bart.features, counted_from(2, count));
  const Value sum = m.residual(prefix + "embedding_sum", words, places);
  return m.layer_norm(prefix + "embedded", sum, its + "layernorm_embedding", kEpsilon);
}

struct Block {
  std::string prefix;  ///< of the results
  std::string stored;
  Index heads = 0;
  bool causal = false;
};

/// Attention from `x` to `read`, and the norm after the sum.
Value attend(ModelBuilder& m, const Bart& bart, const Block& block, Value x, Value read) {
  const auto part = [&](const std::string& name, const std::string& position, Value from) {
    const Value projected = m.linear(block.prefix + "projected_" + name, from,
                                     {block.stored + "." + name + "_proj", bart.features}, "head·dim");
    return m.split_heads(block.prefix + name, projected, block.heads, position);
  };
  ModelBuilder::Attention attention = {block.prefix, part("q", "query", x), part("k", "key", read),
                                       part("v", "key", read)};
  m.set_root_divisor(attention);
  if (block.causal) attention.mask = causal_mask();
  const Value attended = m.linear(block.prefix + "attention_out", m.attend(attention),
                                  {block.stored + ".out_proj", bart.features}, "feature");
  const Value sum = m.residual(block.prefix + "attention_sum", x, attended);
  return m.layer_norm(block.prefix + "middle", sum, block.stored + "_layer_norm", kEpsilon);
}

/// The layers of a part; a decoder reads `encoded`.
Value run_part(ModelBuilder& m, const Bart& bart, const Part& part, Value x, Value encoded) {
  const bool decodes = encoded.step >= 0;
  for (Index layer = 1; layer <= part.layers && !m.error(); ++layer) {
    const std::string prefix = part.name + ".layer" + std::to_string(layer) + ".";
    const std::string stored = bart.stored + part.name + ".layers." + std::to_string(layer - 1) + ".";
    x = attend(m, bart, {prefix, stored + "self_attn", part.heads, decodes}, x, x);
    if (decodes) x = attend(m, bart, {prefix + "cross_", stored + "encoder_attn", part.heads, false}, x, encoded);
    const Value out =
        m.mlp(x, {prefix, {stored + "fc1", part.hidden}, bart.activation, {stored + "fc2", bart.features}});
    x = m.layer_norm(prefix + "out", m.residual(prefix + "mlp_sum", x, out), stored + "final_layer_norm", kEpsilon);
  }
  return x;
}

void build(ModelBuilder& m, bool marian) {
  Bart bart;
  bart.marian = marian;
  bart.features = m.integer("d_model");
  bart.vocabulary = m.integer("vocab_size");
  bart.positions = m.integer("max_position_embeddings", 1024);
  bart.activation = m.activation("activation_function", "gelu");
  if (marian && !m.flag("share_encoder_decoder_embeddings", true))
    m.fail("config.json: share_encoder_decoder_embeddings: false is not allowed; allowed: true");
  if (m.flag("scale_embedding", false)) bart.scale = std::sqrt(static_cast<double>(bart.features));
  bart.stored = m.prefix_of({"model.", ""}, "shared.weight");
  const Part encoder = part_of(m, bart, "encoder");
  const Part decoder = part_of(m, bart, "decoder");
  const Experiment& e = m.experiment();
  m.tokens(e.text, "text", bart.vocabulary, bart.positions, "max_position_embeddings");
  m.tokens(e.text2, "text2", bart.vocabulary, bart.positions, "max_position_embeddings");
  if (m.error()) return;
  const Value encoded = run_part(m, bart, encoder, embed(m, bart, encoder, e.text), {});
  const Value decoded = run_part(m, bart, decoder, embed(m, bart, decoder, e.text2), encoded);
  m.answer(decoded, {bart.vocabulary,
                     bart.stored + "shared.weight",
                     "lm_head.weight",
                     true,
                     "final_logits_bias",
                     {{"one", 1}, {"vocabulary", bart.vocabulary}}});
}

}  // namespace
}  // namespace bart_parts

ModelFamily bart() {
  return {"bart", ModelInput::two_texts, false, [](ModelBuilder& m) { bart_parts::build(m, false); }};
}

ModelFamily marian() {
  return {"marian", ModelInput::two_texts, false, [](ModelBuilder& m) { bart_parts::build(m, true); }};
}

}  // namespace attnscope
