// Small trained models without a file, for tests of figures.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/trace/run.h"
#include "support/imported_tensors.h"

namespace attnscope::test {

/// A model whose weights a formula makes, with a vocabulary of short words.
class MadeModel final : public Model {
 public:
  MadeModel(std::string family, ModelConfig config, std::shared_ptr<const ImportedTensors> weights)
      : name_("made-" + family), config_(std::move(config)), weights_(std::move(weights)) {
    config_["model_type"] = std::move(family);
  }

  [[nodiscard]] const std::string& folder() const override { return name_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const ModelConfig& config() const override { return config_; }
  [[nodiscard]] const std::shared_ptr<const ImportedTensors>& weights() const override { return weights_; }
  [[nodiscard]] bool has_tokenizer() const override { return true; }
  [[nodiscard]] Result<ModelText> tokens(std::string_view /*text*/, const std::optional<std::string>& /*second*/,
                                         bool /*for_decoder*/) const override {
    return fail("no tokenizer");
  }
  [[nodiscard]] std::string token_text(Index id) const override {
    static const std::vector<std::string> kWords = {"[MASK]",    " the", " cat",
                                                    " sat_{on}", "\n",   " internationalisation"};
    const auto at = static_cast<std::size_t>(id);
    return at < kWords.size() ? kWords[at] : " w" + std::to_string(id);
  }
  [[nodiscard]] std::span<const Checkpoint> checkpoints() const override { return trained; }

  std::vector<Checkpoint> trained;

 private:
  std::string name_;
  ModelConfig config_;
  std::shared_ptr<const ImportedTensors> weights_;
};

struct MadeSizes {
  Index layers = 2;
  Index heads = 2;
  Index features = 8;
  Index vocabulary = 20;
  Index positions = 40;
};

using MadeList = std::vector<MadeTensors::Made>;

inline void add_linear(MadeList& made, const std::string& name, std::vector<Index> shape, Index out) {
  made.push_back({name + ".weight", std::move(shape)});
  made.push_back({name + ".bias", {out}});
}

inline MadeList attention_only_weights(const MadeSizes& s) {
  MadeList made = {{"embed.weight", {s.vocabulary, s.features}},
                   {"positions.weight", {s.positions, s.features}},
                   {"unembed.weight", {s.vocabulary, s.features}}};
  for (Index layer = 0; layer < s.layers; ++layer) {
    for (const char* const part : {"q", "k", "v", "o"})
      made.push_back({"layers." + std::to_string(layer) + "." + part + ".weight", {s.features, s.features}});
  }
  return made;
}

inline MadeList gpt2_weights(const MadeSizes& s) {
  const Index f = s.features;
  MadeList made = {{"wte.weight", {s.vocabulary, f}}, {"wpe.weight", {s.positions, f}}};
  add_linear(made, "ln_f", {f}, f);
  for (Index layer = 0; layer < s.layers; ++layer) {
    const std::string h = "h." + std::to_string(layer) + ".";
    add_linear(made, h + "ln_1", {f}, f);
    add_linear(made, h + "ln_2", {f}, f);
    add_linear(made, h + "attn.c_attn", {f, 3 * f}, 3 * f);
    add_linear(made, h + "attn.c_proj", {f, f}, f);
    add_linear(made, h + "mlp.c_fc", {f, 4 * f}, 4 * f);
    add_linear(made, h + "mlp.c_proj", {4 * f, f}, f);
  }
  return made;
}

inline MadeList bert_weights(const MadeSizes& s, bool head) {
  const Index f = s.features;
  MadeList made = {{"embeddings.word_embeddings.weight", {s.vocabulary, f}},
                   {"embeddings.position_embeddings.weight", {s.positions, f}}};
  add_linear(made, "embeddings.LayerNorm", {f}, f);
  for (Index layer = 0; layer < s.layers; ++layer) {
    const std::string h = "encoder.layer." + std::to_string(layer) + ".";
    for (const char* const part : {"query", "key", "value"}) add_linear(made, h + "attention.self." + part, {f, f}, f);
    add_linear(made, h + "attention.output.dense", {f, f}, f);
    add_linear(made, h + "attention.output.LayerNorm", {f}, f);
    add_linear(made, h + "intermediate.dense", {2 * f, f}, 2 * f);
    add_linear(made, h + "output.dense", {f, 2 * f}, f);
    add_linear(made, h + "output.LayerNorm", {f}, f);
  }
  if (!head) return made;
  add_linear(made, "cls.predictions.transform.dense", {f, f}, f);
  add_linear(made, "cls.predictions.transform.LayerNorm", {f}, f);
  made.push_back({"cls.predictions.bias", {s.vocabulary}});
  return made;
}

/// The steps of the checkpoints of a made GPT-2.
inline const std::vector<Index> kMadeSteps = {0, 10, 200};

inline std::shared_ptr<const Model> made_checkpoint(const std::string& family, const ModelConfig& config,
                                                    const MadeList& list, Index step) {
  const auto weights = std::make_shared<MadeTensors>(list);
  weights->shift = 3 * step;
  return std::make_shared<MadeModel>(family, config, weights);
}

/// A model of the family "attention-only", "gpt2", "bert" or "bert without a head". "gpt2" has checkpoints.
inline std::shared_ptr<const Model> made_model(const std::string& family, const MadeSizes& sizes = {}) {
  const auto number = [](Index size) { return ConfigValue(static_cast<double>(size)); };
  if (family.starts_with("bert")) {
    ModelConfig config = {{"hidden_size", number(sizes.features)},
                          {"num_attention_heads", number(sizes.heads)},
                          {"intermediate_size", number(2 * sizes.features)},
                          {"vocab_size", number(sizes.vocabulary)},
                          {"hidden_act", ConfigValue(std::string("relu"))},
                          {"num_hidden_layers", number(sizes.layers)},
                          {"max_position_embeddings", number(sizes.positions)}};
    return std::make_shared<MadeModel>("bert", std::move(config), made(bert_weights(sizes, family == "bert")));
  }
  ModelConfig config = {{"n_embd", number(sizes.features)},
                        {"n_head", number(sizes.heads)},
                        {"n_layer", number(sizes.layers)},
                        {"vocab_size", number(sizes.vocabulary)},
                        {"activation_function", ConfigValue(std::string("relu"))},
                        {"n_positions", number(sizes.positions)}};
  const MadeList list = family == "gpt2" ? gpt2_weights(sizes) : attention_only_weights(sizes);
  auto model = std::make_shared<MadeModel>(family, config, made(list));
  for (const Index step : family == "gpt2" ? kMadeSteps : std::vector<Index>()) {
    model->trained.push_back({"step-" + std::to_string(step), step, [=]() -> Result<std::shared_ptr<const Model>> {
                                return made_checkpoint(family, config, list, step);
                              }});
  }
  return model;
}

/// The model given these tokens, and the same in reverse order to patch from.
inline std::shared_ptr<const Trace> made_trace(const std::shared_ptr<const Model>& model, std::vector<Index> ids) {
  Experiment experiment = experiment_on_model(model);
  for (const Index id : ids) experiment.text.pieces.push_back(model->token_text(id));
  experiment.patch_text.ids.assign(ids.rbegin(), ids.rend());
  experiment.text.ids = std::move(ids);
  return run(experiment).value();
}

inline std::shared_ptr<const Trace> made_trace(const std::string& family, std::vector<Index> ids,
                                               const MadeSizes& sizes = {}) {
  return made_trace(made_model(family, sizes), std::move(ids));
}

}  // namespace attnscope::test
