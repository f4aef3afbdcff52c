// Attention without anything else: embeddings, attention with residuals, the output. Source: Elhage et al. 2021, A
// Mathematical Framework for Transformer Circuits, with learned positions.
#include <cmath>

#include "core/models/model_builder.h"
#include "core/models/models.h"

namespace attnscope {
namespace attention_only_parts {
namespace {

Value attention(ModelBuilder& m, Index heads, const std::string& prefix, const std::string& stored, Value x) {
  const Index features = m.plan().axes(x).back().size;
  const auto part = [&](const std::string& name, const std::string& position) {
    const Value projected = m.linear(prefix + "projected_" + name, x, {stored + name, features, false}, "head·dim");
    return m.split_heads(prefix + name, projected, heads, position);
  };
  ModelBuilder::Attention attention = {prefix, part("q", "query"), part("k", "key"), part("v", "key")};
  m.set_root_divisor(attention);
  attention.mask = causal_mask();
  return m.linear(prefix + "attention_out", m.attend(attention), {stored + "o", features, false}, "feature");
}

void build(ModelBuilder& m) {
  const Index features = m.integer("n_embd");
  const Index heads = m.integer("n_head");
  const Index layers = m.integer("n_layer");
  const Index vocabulary = m.integer("vocab_size");
  const Index positions = m.integer("n_positions");
  m.divides("n_head", heads, "n_embd", features);

  const std::vector<Index>& ids = m.tokens(m.experiment().text, "text", vocabulary, positions, "n_positions");
  if (m.error()) return;
  m.token_ids("token_ids", m.experiment().text);
  const Value words = m.rows_of("token_embeddings", "embed.weight", vocabulary, features, ids);
  const Value places =
      m.rows_of("position_embeddings", "positions.weight", positions, features, counted_from(0, std::ssize(ids)));
  Value x = m.residual("embedded", words, places);
  for (Index layer = 1; layer <= layers && !m.error(); ++layer) {
    const std::string prefix = "layer" + std::to_string(layer) + ".";
    x = m.residual(prefix + "out", x, attention(m, heads, prefix, "layers." + std::to_string(layer - 1) + ".", x));
  }
  m.answer(x, {vocabulary, "unembed.weight", "unembed.weight"});
}

}  // namespace
}  // namespace attention_only_parts

ModelFamily attention_only() { return {"attention-only", ModelInput::text, true, attention_only_parts::build}; }

}  // namespace attnscope
