// What the tensors of other programs are, guessed from their names and sizes.
//
// A guess is shown to the user, who may know better: every part of it can be replaced, and `axis_guesses` lists what
// else an axis order could be.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

enum class TensorRole { query, key, value, scores, weights, other };

/// "queries", "weights", …, as it stands on the screen.
std::string_view role_name(TensorRole role);

/// What a name says.
struct NamedRole {
  TensorRole role = TensorRole::other;
  std::optional<Index> layer;  ///< the number in "layers.3.attn.q" or "attentions_3"

  friend bool operator==(const NamedRole&, const NamedRole&) = default;
};

/// The role is that of the last words of the name that have one: "layers.3.attn.q" are queries, "attn" alone weights. A
/// name of parameters ("q_proj.weight", "attn.bias") has no role: they are not numbers of tokens.
NamedRole role_of(std::string_view name);

/// What a name says besides role and layer: "decoder self" of "decoder.3.self_attn.q". Tensors that have it in common
/// belong together.
std::string group_of(std::string_view name);

/// What one axis counts.
enum class AxisRole { layer, batch, head, query, key, token, dim, other };

std::string_view axis_role_name(AxisRole role);

/// A guess at what the axes of a tensor are, one for each.
using AxisGuess = std::vector<AxisRole>;

/// What the axes of a tensor of that role and shape may be, the likeliest first; none where its rank fits nothing,
/// which is for the user to say. `numbered`: whether tensors of each layer have names of their own, so that none has an
/// axis of layers.
///
///   scores, weights    [query, key], [head, query, key], [batch, head, query, key], [layer, head, query, key] and
///                      [layer, batch, head, query, key]
///   q, k, v            [token, dim], [head, token, dim], [batch, token, dim], [batch, head, token, dim],
///                      [batch, token, head, dim], [layer, …] and [layer, batch, …]
std::vector<AxisGuess> axis_guesses(TensorRole role, std::span<const Index> shape, bool numbered);

/// How many rows were looked at, and how many of them are like weights.
struct RowSums {
  Index rows = 0;
  Index like_weights = 0;

  /// Whether a softmax may have made them: there are rows, and all are like weights.
  [[nodiscard]] bool all() const { return rows > 0 && like_weights == rows; }
};

/// Looks at every row of a matrix: its numbers are from 0 to 1 and their sum is 1, or all are 0, as in a row without
/// any key, each within `tolerance`. Half precision rounds a sum by 1e-3.
RowSums look_at_rows(const MatrixView& matrix, double tolerance = 2e-3);

}  // namespace attnscope
