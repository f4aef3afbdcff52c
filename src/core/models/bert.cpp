// BERT and its relatives: encoders with the norm after the sum. Sources: Devlin et al. 2019, BERT; Liu et al. 2019,
// RoBERTa; Sanh et al. 2019, DistilBERT.
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/models/model_builder.h"
#include "core/models/models.h"

namespace attnscope {
namespace bert_parts {
namespace {

/// What a family calls the fields of its configuration and its tensors.
struct BertNames {
  const char *features, *layers, *heads, *hidden, *activation;
  const char* layer;  ///< before the number of the layer
  const char *q, *k, *v, *out, *middle_norm, *into, *back, *out_norm;
  const char *head_dense, *head_norm, *head_output, *head_bias;
};

constexpr BertNames kBert = {"hidden_size",
                             "num_hidden_layers",
                             "num_attention_heads",
                             "intermediate_size",
                             "hidden_act",
                             "encoder.layer.",
                             ".attention.self.query",
                             ".attention.self.key",
                             ".attention.self.value",
                             ".attention.output.dense",
                             ".attention.output.LayerNorm",
                             ".intermediate.dense",
                             ".output.dense",
                             ".output.LayerNorm",
                             "cls.predictions.transform.dense",
                             "cls.predictions.transform.LayerNorm",
                             "cls.predictions.decoder.weight",
                             "cls.predictions.bias"};

constexpr BertNames roberta_names() {
  BertNames names = kBert;
  names.head_dense = "lm_head.dense";
  names.head_norm = "lm_head.layer_norm";
  names.head_output = "lm_head.decoder.weight";
  names.head_bias = "lm_head.bias";
  return names;
}

constexpr BertNames kRoberta = roberta_names();

constexpr BertNames kDistilBert = {"dim",
                                   "n_layers",
                                   "n_heads",
                                   "hidden_dim",
                                   "activation",
                                   "transformer.layer.",
                                   ".attention.q_lin",
                                   ".attention.k_lin",
                                   ".attention.v_lin",
                                   ".attention.out_lin",
                                   ".sa_layer_norm",
                                   ".ffn.lin1",
                                   ".ffn.lin2",
                                   ".output_layer_norm",
                                   "vocab_transform",
                                   "vocab_layer_norm",
                                   "vocab_projector.weight",
                                   "vocab_projector.bias"};

/// Both texts, one after the other.
ModelText whole_text(const Experiment& experiment) {
  ModelText both = experiment.text;
  both.types.resize(both.ids.size(), 0);
  const ModelText& second = experiment.text2;
  both.ids.insert(both.ids.end(), second.ids.begin(), second.ids.end());
  both.pieces.insert(both.pieces.end(), second.pieces.begin(), second.pieces.end());
  both.types.resize(both.ids.size(), 1);
  return both;
}

/// RoBERTa counts the tokens that are not padding, from behind the row of padding itself.
std::vector<Index> positions_after_padding(const std::vector<Index>& ids, Index padding) {
  std::vector<Index> positions;
  positions.reserve(ids.size());
  Index so_far = 0;
  for (const Index id : ids) positions.push_back(id == padding ? padding : padding + ++so_far);
  return positions;
}

struct Bert {
  const BertNames& names;
  Index features = 0;
  Index heads = 0;
  Index hidden = 0;
  Index vocabulary = 0;
  double epsilon = 1e-12;
  Activation activation = Activation::gelu;
};

Value embed(ModelBuilder& m, const Bert& bert, const std::string& stored, const ModelText& text,
            std::vector<Index> places, Index positions) {
  const Value words =
      m.rows_of("token_embeddings", stored + "word_embeddings.weight", bert.vocabulary, bert.features, text.ids);
  const Value at = m.rows_of("position_embeddings", stored + "position_embeddings.weight", positions, bert.features,
                             std::move(places));
  Value sum = m.residual("embedding_sum", words, at);
  if (m.has(stored + "token_type_embeddings.weight")) {
    const Index types = m.integer("type_vocab_size", 2);
    std::vector<Index> of_text = text.types;
    if (types < 2) of_text.assign(of_text.size(), 0);
    const Value kinds =
        m.rows_of("type_embeddings", stored + "token_type_embeddings.weight", types, bert.features, std::move(of_text));
    sum = m.residual("embedding_sum_with_types", sum, kinds);
  }
  return m.layer_norm("embedded", sum, stored + "LayerNorm", bert.epsilon);
}

Value layer(ModelBuilder& m, const Bert& bert, const std::string& prefix, const std::string& stored, Value x) {
  const BertNames& names = bert.names;
  const auto part = [&](const std::string& name, const std::string& position, const char* of) {
    const Value projected = m.linear(prefix + "projected_" + name, x, {stored + of, bert.features}, "head·dim");
    return m.split_heads(prefix + name, projected, bert.heads, position);
  };
  ModelBuilder::Attention attention = {prefix, part("q", "query", names.q), part("k", "key", names.k),
                                       part("v", "key", names.v)};
  m.set_root_divisor(attention);
  const Value attended =
      m.linear(prefix + "attention_out", m.attend(attention), {stored + names.out, bert.features}, "feature");
  const Value sum = m.residual(prefix + "attention_sum", x, attended);
  const Value middle = m.layer_norm(prefix + "middle", sum, stored + names.middle_norm, bert.epsilon);
  const Value out = m.mlp(
      middle, {prefix, {stored + names.into, bert.hidden}, bert.activation, {stored + names.back, bert.features}});
  return m.layer_norm(prefix + "out", m.residual(prefix + "mlp_sum", middle, out), stored + names.out_norm,
                      bert.epsilon);
}

/// What BERT was trained with: a guess of masked words.
void masked_word_head(ModelBuilder& m, const Bert& bert, const std::string& table, Activation activation, Value x) {
  const BertNames& names = bert.names;
  if (!m.has(std::string(names.head_dense) + ".weight")) return;
  const Value hidden = m.linear("head_hidden", x, {names.head_dense, bert.features}, "feature");
  const Value activated = activate(m.plan(), "head_activated", hidden, activation);
  const Value normed = m.layer_norm("head_normed", activated, names.head_norm, bert.epsilon);
  m.answer(normed, {bert.vocabulary, table, names.head_output, true, names.head_bias});
}

void build(ModelBuilder& m, const BertNames& names, const std::string& family) {
  Bert bert = {names};
  const bool roberta = family == "roberta";
  bert.features = m.integer(names.features);
  bert.heads = m.integer(names.heads);
  bert.hidden = m.integer(names.hidden);
  bert.vocabulary = m.integer("vocab_size");
  bert.epsilon = family == "distilbert" ? 1e-12 : m.positive("layer_norm_eps", 1e-12);
  bert.activation = m.activation(names.activation, "gelu");
  const Index layers = m.integer(names.layers);
  const Index positions = m.integer("max_position_embeddings", 512);
  const Index padding = roberta ? m.index("pad_token_id", 1) : 0;
  m.divides(names.heads, bert.heads, names.features, bert.features);
  if (m.flag("is_decoder", false)) m.fail("config.json: is_decoder: true is not allowed; allowed: false");
  if (const std::string kind = m.choice("position_embedding_type", "absolute"); kind != "absolute")
    m.fail("config.json: position_embedding_type: " + quoted_text(kind) + " is not known; allowed: absolute");

  const ModelText text = whole_text(m.experiment());
  const Index most = roberta ? positions - padding - 1 : positions;
  const std::vector<Index>& ids = m.tokens(text, "text", bert.vocabulary, most, "max_position_embeddings");
  if (m.error()) return;
  const std::string stored = m.prefix_of({family + ".", ""}, "embeddings.word_embeddings.weight");
  m.token_ids("token_ids", text);
  std::vector<Index> places = roberta ? positions_after_padding(ids, padding) : counted_from(0, std::ssize(ids));
  Value x = embed(m, bert, stored + "embeddings.", text, std::move(places), positions);
  for (Index number = 1; number <= layers && !m.error(); ++number)
    x = layer(m, bert, "layer" + std::to_string(number) + ".", stored + names.layer + std::to_string(number - 1), x);
  masked_word_head(m, bert, stored + "embeddings.word_embeddings.weight", roberta ? Activation::gelu : bert.activation,
                   x);
}

}  // namespace
}  // namespace bert_parts

ModelFamily bert() {
  return {"bert", ModelInput::pair, false, [](ModelBuilder& m) { bert_parts::build(m, bert_parts::kBert, "bert"); }};
}

ModelFamily roberta() {
  return {"roberta", ModelInput::pair, false,
          [](ModelBuilder& m) { bert_parts::build(m, bert_parts::kRoberta, "roberta"); }};
}

ModelFamily distilbert() {
  return {"distilbert", ModelInput::pair, false,
          [](ModelBuilder& m) { bert_parts::build(m, bert_parts::kDistilBert, "distilbert"); }};
}

}  // namespace attnscope
