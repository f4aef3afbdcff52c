// The roles of imported tensors, guessed from their names and shapes.
//
// The user sees the guess and can correct every part of it; `axis_guesses` lists the alternatives for the axes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

enum class TensorRole { query, key, value, scores, weights, other };

/// The display name: "queries", "weights", …
std::string_view role_name(TensorRole role);

/// The role and layer that a name states.
struct NamedRole {
  TensorRole role = TensorRole::other;
  std::optional<Index> layer;  ///< the number in "layers.3.attn.q" or "attentions_3"

  friend bool operator==(const NamedRole&, const NamedRole&) = default;
};

/// The last word with a role decides: "layers.3.attn.q" means queries, "attn" alone means weights. Names of model
/// parameters ("q_proj.weight", "attn.bias") have no role, because parameters are not activations.
NamedRole role_of(std::string_view name);

/// The rest of a name, without role and layer: "decoder self" for "decoder.3.self_attn.q". Tensors that share it belong
/// together.
std::string group_of(std::string_view name);

/// The meaning of an axis.
enum class AxisRole { layer, batch, head, query, key, token, dim, other };

std::string_view axis_role_name(AxisRole role);

/// A guess at the meaning of each axis of a tensor.
using AxisGuess = std::vector<AxisRole>;

/// The possible axes of a tensor with this role and shape, likeliest first; none if its rank fits nothing. `numbered`:
/// each layer has a tensor of its own, which makes a layer axis unlikely.
///
///   scores, weights    [query, key], [head, query, key], [batch, head, query, key], [layer, head, query, key] and
///                      [layer, batch, head, query, key]
///   q, k, v            [token, dim], [head, token, dim], [batch, token, dim], [batch, head, token, dim],
///                      [batch, token, head, dim], [layer, …] and [layer, batch, …]
std::vector<AxisGuess> axis_guesses(TensorRole role, std::span<const Index> shape, bool numbered);

/// The number of examined rows, and of rows that look like attention weights.
struct RowSums {
  Index rows = 0;
  Index like_weights = 0;

  /// Whether a softmax may have produced the matrix: it has rows, and all look like weights.
  [[nodiscard]] bool all() const { return rows > 0 && like_weights == rows; }
};

/// Examines every row of a matrix. A row looks like weights if its numbers are between 0 and 1 and sum to 1, or are all
/// 0 (a query without keys), within `tolerance`. Half precision rounds a sum by 1e-3.
RowSums look_at_rows(const MatrixView& matrix, double tolerance = 2e-3);

}  // namespace attnscope
