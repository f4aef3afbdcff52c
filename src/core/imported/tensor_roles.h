// The roles of imported tensors, guessed from their names and shapes.
//
// The user sees the guess and can correct every part of it; `axis_guesses` lists the alternatives for the axes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

/// `output` is the weight of the output projection, `output_bias` its bias, `value_projection` the weight that made the
/// values.
enum class TensorRole { query, key, value, scores, weights, output, output_bias, value_projection, other };

/// The display name: "queries", "weights", …
std::string_view role_name(TensorRole role);

/// Splits a name into lower-case words: "model.layers.0.self_attn.q_proj" and "crossAttentionWeights" split at
/// punctuation, at digits and before capitals.
std::vector<std::string> name_words(std::string_view name);

/// The role and layer that a name states.
struct NamedRole {
  TensorRole role = TensorRole::other;
  /// {3} for "layers.3.attn.q" and "attentions_3", {1, 0} for "stages.1.blocks.0.attn.q"; empty if there is none. In
  /// lexicographic order, layers follow each other as in the model.
  std::vector<Index> layer;

  friend bool operator==(const NamedRole&, const NamedRole&) = default;
};

/// The last word with a role decides: "layers.3.attn.q" means queries, "attn" alone means weights. Names of model
/// parameters ("q_proj.weight", "attn.bias") have no role, because parameters are not activations; only the
/// projections after and before the weighted sum have one ("w_o", "o_proj.weight", "out_proj.bias", "attn.c_proj.weight",
/// "to_out.0.weight"; "w_v", "v_proj.weight").
NamedRole role_of(std::string_view name);

/// Whether a tensor is named like a parameter of a model: "attn.c_attn.weight", "W_Q", "ln_1.bias". "attn_weight" is not.
bool is_parameter(std::string_view name);

/// The rest of a name, without role and layer: "decoder self attn" for "decoder.3.self_attn.q". Tensors that share it
/// belong together.
std::string group_of(std::string_view name);

/// The meaning of an axis.
enum class AxisRole { layer, batch, head, query, key, token, dim, other };

std::string_view axis_role_name(AxisRole role);

/// A guess at the meaning of each axis of a tensor.
using AxisGuess = std::vector<AxisRole>;

/// What the first of several leading axes counts, as far as names say.
enum class FirstAxis {
  unknown,
  layers,
  batch,  ///< or each layer has a tensor of its own
};

/// What a name says about the first axis: "attn_of_all_layers" has layers, "batch_attn" has batch items, "layers.3.attn"
/// is one layer. A number after any other word ("gpt2_attn", "arr_0") says nothing.
FirstAxis first_axis_of(std::string_view name);

/// The possible axes of a tensor with this role and shape, likeliest first; none if its rank fits nothing. With four
/// axes the first one counts layers, unless `first` says otherwise or there is only one of it; with five likewise, and
/// the second one counts the other of layers and batch items.
///
///   scores, weights    [query, key]
///                      [head, query, key], [batch, query, key], [layer, query, key]
///                      [batch, head, query, key], [layer, head, query, key]
///                      [layer, batch, head, query, key], [batch, layer, head, query, key]
///   q, k, v            [token, dim]
///                      [head, token, dim], [batch, token, dim], [token, head, dim]
///                      [batch, head, token, dim], [batch, token, head, dim],
///                      [layer, head, token, dim], [layer, token, head, dim]
///                      [layer, batch, head, token, dim], [layer, batch, token, head, dim],
///                      [batch, layer, head, token, dim], [batch, layer, token, head, dim]
std::vector<AxisGuess> axis_guesses(TensorRole role, std::span<const Index> shape, FirstAxis first);

/// The number of examined rows, and of rows that look like attention weights.
struct RowSums {
  Index rows = 0;
  Index like_weights = 0;

  /// Whether a softmax may have produced the matrix: it has rows, and all look like weights.
  [[nodiscard]] bool all() const { return rows > 0 && like_weights == rows; }
};

/// Examines every row of a matrix. A row looks like weights if its numbers are between 0 and 1 and sum to 1, both within
/// `tolerance`, or are all exactly 0 (a query without keys). Half precision rounds a sum by 1e-3.
RowSums look_at_rows(const MatrixView& matrix, double tolerance = 2e-3);

}  // namespace attnscope
