// What a trained model is, in the place of a system's sliders.
#include <imgui.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string_view>

#include "core/base/tensor.h"
#include "core/base/text.h"
#include "core/models/models.h"
#include "ui/panels/panels.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

/// The first of these fields that config.json has; empty: none.
std::string config_text(const Model& model, std::initializer_list<std::string_view> fields) {
  for (const std::string_view field : fields) {
    const auto found = model.config().find(field);
    if (found == model.config().end()) continue;
    if (const auto* number = std::get_if<double>(&found->second)) return grouped_text(static_cast<Index>(*number));
    if (const auto* text = std::get_if<std::string>(&found->second)) return *text;
  }
  return {};
}

/// "12", or "6 + 6" for an encoder and a decoder.
std::string of_parts(const Model& model, const char* encoder, const char* decoder,
                     std::initializer_list<std::string_view> fields) {
  const std::string first = config_text(model, {encoder});
  const std::string second = config_text(model, {decoder});
  return first.empty() || second.empty() ? config_text(model, fields) : first + " + " + second;
}

struct StoredWeights {
  Index count = 0;
  std::string types;  ///< "F32", or all that occur: "BF16, F32"
};

/// Without buffers, such as causal masks and positions, which some files contain as well.
StoredWeights stored_weights(const std::shared_ptr<const Model>& model) {
  StoredWeights stored;
  std::set<std::string> types;
  const std::span<const ImportedTensor> tensors = model->weights()->tensors();
  for (const std::size_t i : weights_of(model)) {
    Index count = 1;
    for (const Index size : tensors[i].shape) count = saturating_product(count, size);
    stored.count += count;
    types.insert(model->weights()->type(i));
  }
  stored.types = join(std::vector<std::string>(types.begin(), types.end()), ", ");
  return stored;
}

ModelFacts facts_of(const std::shared_ptr<const Model>& model) {
  const StoredWeights stored = stored_weights(model);
  ModelFacts facts;
  facts.model = model;
  const auto add = [&](const char* name, std::string value, const char* help) {
    if (!value.empty()) facts.rows.push_back({name, std::move(value), help});
  };
  add("Name", model->name(), "The folder that it was opened from.");
  add("Family", config_text(*model, {"model_type"}), "model_type in config.json.");
  add("Layers",
      of_parts(*model, "encoder_layers", "decoder_layers", {"n_layer", "num_hidden_layers", "num_layers", "n_layers"}),
      "Number of layers; of the encoder and of the decoder where it has both.");
  add("Heads",
      of_parts(*model, "encoder_attention_heads", "decoder_attention_heads",
               {"n_head", "num_attention_heads", "num_heads", "n_heads"}),
      "Number of attention heads in a layer.");
  add("Key/value heads", config_text(*model, {"num_key_value_heads"}),
      "Heads of keys and values in a layer; several query heads share each of them.");
  add("Features", config_text(*model, {"n_embd", "hidden_size", "d_model", "dim"}),
      "Embedding dimension d_model: numbers per token.");
  add("Vocabulary", config_text(*model, {"vocab_size"}), "Number of tokens that it knows.");
  add("Parameters", grouped_text(stored.count), "Number of weights that it computes with.");
  add("Number format", stored.types, "How its files store the weights.");
  return facts;
}

}  // namespace

ModelFacts& known_facts(const std::shared_ptr<const Model>& model, UiState& state) {
  if (!state.model_facts || state.model_facts->model != model) state.model_facts = facts_of(model);
  return *state.model_facts;
}

void model_facts(const Style& style, const std::shared_ptr<const Model>& model, UiState& state) {
  const float right = ImGui::GetContentRegionMax().x;
  for (const ModelFacts::Row& row : known_facts(model, state).rows) {
    ImGui::BeginGroup();
    ImGui::PushStyleColor(ImGuiCol_Text, color(style.palette.dim));
    ImGui::TextUnformatted(row.name.c_str());
    ImGui::PopStyleColor();
    ImGui::SameLine();
    const float room = right - ImGui::GetCursorPosX();
    text_right(cut_text(row.value, room), right, color(style.palette.text));
    ImGui::EndGroup();
    tooltip(row.help);
  }
}

}  // namespace attnscope::ui
