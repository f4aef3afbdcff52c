// Records the computation of a trained model, as its configuration and its weights say.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/models/config_reader.h"
#include "core/operations/ops.h"
#include "core/plan/plan_builder.h"

namespace attnscope {

/// Records a model's plan from its config and weights. The first error is kept in `error()`; after it, placeholders are
/// recorded so that families need not check each call. Check `error()` once after reading config and tokens.
///
/// What the experiment's interventions replace is recorded with them, as `changed_…`, where it is recorded; the scores that
/// they mask are part of the mask.
class ModelBuilder : public ConfigReader {
 public:
  ModelBuilder(const Experiment& experiment, PlanBuilder& plan);
  /// The same model once more in the same plan: with the weights that `first` has recorded, and its tensors to patch
  /// from, whose names begin with kPatchPrefix.
  ModelBuilder(const Experiment& experiment, const ModelBuilder& first);

  // Weights.

  [[nodiscard]] bool has(const std::string& stored) const { return entries_.contains(stored); }
  /// The first of the prefixes with which the file has `stored`; the first one if none has.
  [[nodiscard]] std::string prefix_of(std::initializer_list<std::string> prefixes, std::string_view stored) const;
  /// The size of the first axis of a tensor that the file has.
  [[nodiscard]] Index rows_in_file(const std::string& stored) const;
  /// The tensor `stored` as `name`, with its axes in the order of the file, whose sizes are checked.
  Value weight(std::string name, const std::string& stored, Axes axes);
  /// The embeddings [token, feature] of `rows` of the table `stored`, which has `table_rows` rows; see `look_up`.
  Value rows_of(std::string name, const std::string& stored, Index table_rows, Index features, std::vector<Index> rows,
                double factor = 1);

  // Tokens.

  [[nodiscard]] const Experiment& experiment() const { return experiment_; }
  [[nodiscard]] PlanBuilder& plan() { return plan_; }
  /// The ids of a text, each below `vocabulary`, and not more than `most`; `field` is "text" or "text2". `limit_reason`
  /// ends the message for too many ids: the field of the configuration that sets the limit, or why there is one.
  const std::vector<Index>& tokens(const ModelText& text, std::string_view field, Index vocabulary, Index most,
                                   std::string_view limit_reason);
  /// The ids as a tensor of that name.
  void token_ids(const std::string& name, const ModelText& text);

  // Layers. `name` is that of the result: with `layer1.q` the weights are called `layer1.w_q` and `layer1.b_q`.

  enum class Order { out_in, in_out };  ///< of the axes of a stored weight: as in nn.Linear, or as in Conv1D

  struct Linear {
    std::string stored;  ///< `stored`.weight, `stored`.bias
    Index out = 1;
    bool bias = true;
    Order order = Order::out_in;
  };
  /// input [token, …] · weight + bias as [token, `out_axis`].
  Value linear(const std::string& name, Value input, const Linear& layer, const std::string& out_axis);
  /// Layer normalization. The weights may also have the names of BERT's first files: gamma and beta.
  Value layer_norm(const std::string& name, Value input, const std::string& stored, double epsilon);
  Value rms_norm(const std::string& name, Value input, const std::string& stored, double epsilon);
  Value residual(const std::string& name, Value a, Value b);

  struct Attention {
    std::string prefix;  ///< of the names: "layer1.", "decoder.layer1.cross_"
    Value q, k, v;       ///< [head, query, dim], [head, key, dim]; k and v may have fewer heads
    Value bias = {};     ///< [head, query, key], added to the scores; step −1: none
    double divisor = 1;
    std::string divisor_text = {};
    Mask mask = {};
  };
  /// Scores, mask, weights, head outputs; merged as [token, head·dim].
  Value attend(const Attention& attention);
  /// [token, head·dim] as [head, query, dim]; `position` is "query" or "key".
  Value split_heads(const std::string& name, Value projected, Index heads, const std::string& position);

  /// Sets the divisor of the scores to the square root of the size of a query.
  void set_root_divisor(Attention& attention) const;

  struct Answer {
    Index vocabulary = 1;
    std::string tied;
    std::string untied;
    bool tied_by_default = true;
    std::string bias = {};  ///< of the logits; empty: none
    Axes bias_axes = {};    ///< [vocabulary], or [1, vocabulary]
  };
  /// Records `logits` [token, vocabulary] = features · table, and their `probabilities`. The table [vocabulary, feature]
  /// is that of the token embeddings, `tied`, if `tie_word_embeddings` says so, otherwise `untied`. If the file
  /// lacks an untied table, as models saved without their head do, records nothing, and that is no error.
  void answer(Value features, const Answer& answer, const ContractOptions& tied_options = {});

  /// An MLP of two layers around an activation: `mlp_hidden`, `mlp_activated`, `mlp_out`.
  struct Mlp {
    std::string prefix;
    Linear into;
    Activation activation = Activation::relu;
    Linear back;
  };
  Value mlp(Value input, const Mlp& mlp);

  /// The same with a gate: `mlp_hidden` counts as far as the activation of `mlp_gate` lets it.
  struct GatedMlp {
    std::string prefix;
    Linear gate;
    Linear into;
    Activation activation = Activation::silu;
    Linear back;
  };
  Value gated_mlp(Value input, const GatedMlp& mlp);

 private:
  friend std::vector<std::size_t> weights_of(const std::shared_ptr<const Model>& model);

  /// The tensor of that name; where it is missing, has another shape or cannot be read, fails and returns nothing.
  std::optional<std::size_t> entry(const std::string& stored, const std::vector<Index>& shape);
  /// `value` with the interventions on it; `value` itself if there are none.
  Value changed(Value value);
  /// Fails if the tensor has no such head, position or key.
  void check_part(const Intervention& intervention, const Axes& axes);
  /// The mask of scores with the pairs that interventions mask as well.
  Mask changed_mask(Mask mask, Value scores, const std::string& name);

  const Experiment& experiment_;
  PlanBuilder& plan_;
  std::map<std::string_view, std::size_t> entries_;
  std::map<std::string, Value> weights_;  ///< recorded so far, by name
  std::map<std::string, Value> patched_;  ///< what the model makes of the other text, by the names of its own tensors
  std::set<std::size_t> used_;            ///< positions of the tensors that the model has used so far
};

/// Keeps the keys up to the query, and of those the last `window` (0: all).
inline Mask causal_mask(Index window = 0) {
  Mask mask;
  mask.kind = Mask::Kind::causal;
  mask.last = window;
  return mask;
}

/// first, first + 1, …
std::vector<Index> counted_from(Index first, Index count);

/// "layer1.w_q" for "layer1.q".
std::string weight_name(std::string_view name, std::string_view letter);

}  // namespace attnscope
