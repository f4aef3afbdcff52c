// Llama and the families that follow it: RMS norm, rotary positions, grouped heads, a gated MLP. Sources: Touvron et al.
// 2023, LLaMA; Jiang et al. 2023, Mistral 7B; Qwen Team 2024, Qwen2; Qwen Team 2025, Qwen3.
#include <algorithm>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/models/model_builder.h"
#include "core/models/models.h"
#include "core/models/rotary_config.h"

namespace attnscope {
namespace llama_parts {
namespace {

/// What tells the families apart.
struct LlamaKind {
  bool qkv_bias = false;
  bool head_norms = false;  ///< of q and k, before they are rotated
  /// Whether sliding_window counts: never, in all layers, or where `use_sliding_window` and `layer_types` say so.
  enum class Window { never, always, chosen } window = Window::never;
};

struct Llama {
  LlamaKind kind;
  Index features = 0;
  Index heads = 0;
  Index shared_heads = 0;  ///< of keys and values
  Index dim = 0;
  Index hidden = 0;
  double epsilon = 1e-6;
  bool qkv_bias = false;
  bool out_bias = false;
  bool mlp_bias = false;
  Activation activation = Activation::silu;
  std::vector<double> frequencies;
};

/// How many tokens back layer `layer`, counted from 0, sees; 0: all.
Index window_of(ModelBuilder& m, const LlamaKind& kind, Index layer) {
  if (kind.window == LlamaKind::Window::never || m.find("sliding_window") == nullptr) return 0;
  if (kind.window == LlamaKind::Window::chosen) {
    if (!m.flag("use_sliding_window", false)) return 0;
    if (const auto* types = m.texts("layer_types")) {
      if (layer >= std::ssize(*types) || (*types)[static_cast<std::size_t>(layer)] != "sliding_attention") return 0;
    } else if (static_cast<double>(layer) < m.real("max_window_layers", 28)) {
      return 0;
    }
  }
  return m.integer("sliding_window");
}

Value attention(ModelBuilder& m, const Llama& llama, const std::string& prefix, const std::string& stored, Index window,
                Value input) {
  const auto part = [&](const std::string& name, const std::string& position, Index heads) {
    const Value projected = m.linear(prefix + "projected_" + name, input,
                                     {stored + name + "_proj", heads * llama.dim, llama.qkv_bias}, "head·dim");
    return m.split_heads(prefix + name, projected, heads, position);
  };
  ModelBuilder::Attention attention = {prefix, part("q", "query", llama.heads), part("k", "key", llama.shared_heads),
                                       part("v", "key", llama.shared_heads)};
  if (llama.kind.head_norms) {
    attention.q = m.rms_norm(prefix + "normed_q", attention.q, stored + "q_norm", llama.epsilon);
    attention.k = m.rms_norm(prefix + "normed_k", attention.k, stored + "k_norm", llama.epsilon);
  }
  attention.q = rotate_halves(m.plan(), prefix + "rotated_q", attention.q, llama.frequencies);
  attention.k = rotate_halves(m.plan(), prefix + "rotated_k", attention.k, llama.frequencies);
  m.set_root_divisor(attention);
  attention.mask = causal_mask(window);
  return m.linear(prefix + "attention_out", m.attend(attention), {stored + "o_proj", llama.features, llama.out_bias},
                  "feature");
}

void build(ModelBuilder& m, const LlamaKind& kind) {
  Llama llama;
  llama.kind = kind;
  llama.features = m.integer("hidden_size");
  llama.heads = m.integer("num_attention_heads");
  llama.shared_heads = m.integer("num_key_value_heads", llama.heads);
  if (m.find("head_dim") == nullptr) m.divides("num_attention_heads", llama.heads, "hidden_size", llama.features);
  llama.dim = m.integer("head_dim", std::max<Index>(1, llama.features / llama.heads));
  llama.hidden = m.integer("intermediate_size");
  llama.epsilon = m.positive("rms_norm_eps", 1e-6);
  llama.qkv_bias = kind.qkv_bias || m.flag("attention_bias", false);
  llama.out_bias = m.flag("attention_bias", false);
  llama.mlp_bias = m.flag("mlp_bias", false);
  llama.activation = m.activation("hidden_act", "silu");
  llama.frequencies = rotary_config(m, llama.dim);
  const Index layers = m.integer("num_hidden_layers");
  const Index vocabulary = m.integer("vocab_size");
  const Index positions = m.integer("max_position_embeddings", 2048);
  m.divides("num_key_value_heads", llama.shared_heads, "num_attention_heads", llama.heads);

  const std::string stored = m.prefix_of({"model.", ""}, "embed_tokens.weight");
  const std::vector<Index>& ids =
      m.tokens(m.experiment().text, "text", vocabulary, positions, "max_position_embeddings");
  if (m.error()) return;
  m.token_ids("token_ids", m.experiment().text);
  Value x = m.rows_of("embedded", stored + "embed_tokens.weight", vocabulary, llama.features, ids);
  for (Index layer = 1; layer <= layers && !m.error(); ++layer) {
    const std::string prefix = "layer" + std::to_string(layer) + ".";
    const std::string h = stored + "layers." + std::to_string(layer - 1) + ".";
    const Value normed = m.rms_norm(prefix + "normed", x, h + "input_layernorm", llama.epsilon);
    const Value middle = m.residual(
        prefix + "middle", x, attention(m, llama, prefix, h + "self_attn.", window_of(m, kind, layer - 1), normed));
    const Value mlp_normed = m.rms_norm(prefix + "mlp_normed", middle, h + "post_attention_layernorm", llama.epsilon);
    const ModelBuilder::GatedMlp mlp = {prefix,
                                        {h + "mlp.gate_proj", llama.hidden, llama.mlp_bias},
                                        {h + "mlp.up_proj", llama.hidden, llama.mlp_bias},
                                        llama.activation,
                                        {h + "mlp.down_proj", llama.features, llama.mlp_bias}};
    x = m.residual(prefix + "out", middle, m.gated_mlp(mlp_normed, mlp));
  }
  const Value final = m.rms_norm("final", x, stored + "norm", llama.epsilon);
  m.answer(final, {vocabulary, stored + "embed_tokens.weight", "lm_head.weight", false});
}

}  // namespace
}  // namespace llama_parts

ModelFamily llama() {
  return {"llama", ModelInput::text, true, [](ModelBuilder& m) { llama_parts::build(m, {}); }};
}

ModelFamily mistral() {
  return {"mistral", ModelInput::text, true, [](ModelBuilder& m) {
            llama_parts::build(m, {false, false, llama_parts::LlamaKind::Window::always});
          }};
}

ModelFamily qwen2() {
  return {"qwen2", ModelInput::text, true, [](ModelBuilder& m) {
            llama_parts::build(m, {true, false, llama_parts::LlamaKind::Window::chosen});
          }};
}

ModelFamily qwen3() {
  return {"qwen3", ModelInput::text, true, [](ModelBuilder& m) {
            llama_parts::build(m, {false, true, llama_parts::LlamaKind::Window::chosen});
          }};
}

}  // namespace attnscope
