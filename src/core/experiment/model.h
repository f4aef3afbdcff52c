// Trained models: the configuration, the weights and the tokens that a folder from a model hub gives.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/base/tensor.h"
#include "core/experiment/imported_tensors.h"

namespace attnscope {

/// One value of a model's config.json. Lists hold either numbers or texts; null and empty lists are left out.
using ConfigValue = std::variant<bool, double, std::string, std::vector<double>, std::vector<std::string>>;

/// What config.json says, flattened: {"rope_scaling": {"factor": 8}} becomes "rope_scaling.factor".
using ModelConfig = std::map<std::string, ConfigValue, std::less<>>;

/// A text as a model gets it: token by token.
struct ModelText {
  std::string text;  ///< empty if the token ids were given instead
  std::vector<Index> ids;
  std::vector<std::string> pieces;  ///< per token, for display: " the", "##ing", "[CLS]"; empty without a tokenizer
  std::vector<bool> special;        ///< per token: begins, ends, separates or pads; empty without a tokenizer
  std::vector<Index> types;         ///< per token: 0 first, 1 second text of a pair; empty: all 0

  friend bool operator==(const ModelText&, const ModelText&) = default;
};

class Model;

/// A state of a model that was saved while it was trained: the same model with other weights.
struct Checkpoint {
  std::string name;  ///< of its folder: "step-000400"
  Index step = 0;    ///< of the training; from 0
  /// Reads it, each time anew: it may have changed since, and keeping all would take the memory of as many models.
  std::function<Result<std::shared_ptr<const Model>>()> open;
  std::string folder = {};   ///< its `Model::folder`; empty: it is not from a folder
  std::int64_t changed = 0;  ///< a number for the state of its files, in a folder
};

/// A trained model. Immutable; may be used from any thread.
class Model {
 public:
  Model() = default;
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// The folder, as experiments and messages show it.
  [[nodiscard]] virtual const std::string& folder() const = 0;
  /// What the window calls it: the last part of the folder's path.
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual const ModelConfig& config() const = 0;
  /// The tensors of all weight files, under the names in the files. With the weights of several files, those of one.
  [[nodiscard]] virtual const std::shared_ptr<const ImportedTensors>& weights() const = 0;

  [[nodiscard]] virtual bool has_tokenizer() const = 0;
  /// The tokens of a text, or of a pair of texts, with the special tokens that the model expects. `for_decoder`: of the
  /// text that a decoder continues. The error says why there is no tokenizer or why the text is refused.
  [[nodiscard]] virtual Result<ModelText> tokens(std::string_view text, const std::optional<std::string>& second,
                                                 bool for_decoder) const = 0;
  /// The text that a token stands for: " the", "ing"; "#464" without a tokenizer.
  [[nodiscard]] virtual std::string token_text(Index id) const = 0;

  /// How many tokens its tokenizer has; 0 without one.
  [[nodiscard]] virtual Index vocabulary_size() const { return 0; }
  /// The token that every word outside the vocabulary becomes, if there is one.
  [[nodiscard]] virtual std::optional<Index> unknown_token() const { return {}; }

  /// The states of its training that were found with it, by step; empty: none. This model may be one of them.
  [[nodiscard]] virtual std::span<const Checkpoint> checkpoints() const { return {}; }
};

}  // namespace attnscope
