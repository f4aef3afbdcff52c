// Families of trained models: what a folder with a config.json computes. A family is one file in this folder and a line
// in families.inc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/system.h"

namespace attnscope {

class ModelBuilder;

/// What a model takes.
enum class ModelInput {
  text,       ///< one text that continues
  pair,       ///< one text or two, encoded together
  two_texts,  ///< a text to encode, and what the decoder is given
  picture,
};

struct ModelFamily {
  std::string_view name;  ///< `model_type` in config.json
  ModelInput input = ModelInput::text;
  bool causal = true;  ///< whether the text is read from left to right
  void (*build)(ModelBuilder&) = nullptr;
  /// A picture as the model gets it; null for models that read text.
  Result<ColorPicture> (*fit_picture)(const Model&, const ColorPicture&) = nullptr;
};

/// The families by name, in the order of the table.
const std::vector<ModelFamily>& model_families();

/// The family of a model; the error names what its config.json says and what is known.
Result<const ModelFamily*> family_of(const Model& model);

/// Whether the experiment's system or model can be given a picture.
bool takes_picture(const Experiment& experiment);

/// Whether the configuration is complete and every tensor that the model needs is there with its shape.
Result<void> check_model(const std::shared_ptr<const Model>& model);

/// Positions of the tensors that the model computes with, in order: not the buffers and unused layers that its files may
/// contain as well.
std::vector<std::size_t> weights_of(const std::shared_ptr<const Model>& model);

// In the messages about a text's length: "text: " and this, or a number, this, and the limit with its reason.
inline constexpr std::string_view kNoTokens = "there are no tokens; allowed: at least one";
inline constexpr std::string_view kTooManyTokens = " tokens are not allowed; allowed: at most ";

/// Writes the experiment's model in PyTorch, step by step.
void write_model_script(Script& script);

/// The system that runs models.
System transformer_system();

}  // namespace attnscope
