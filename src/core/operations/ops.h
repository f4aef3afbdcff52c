// The operations that systems are written in: each function records a tensor, with its name and its inputs.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/mask.h"
#include "core/experiment/picture.h"
#include "core/operations/constant.h"
#include "core/operations/lookup.h"
#include "core/plan/plan_builder.h"

namespace attnscope {

// Inputs and weights.

/// `torch.rand(axes)`, scaled to [from, to). With `same_rows`, each row along the first axis then takes the numbers of
/// the row named there, which is not after it.
Value draw_uniform(PlanBuilder& recorder, std::string name, Axes axes, double from = 0, double to = 1,
                   std::vector<Index> same_rows = {});

/// `torch.randn(axes)`, its numbers replaced by the picture if there is one.
Value draw_normal(PlanBuilder& recorder, std::string name, Axes axes, std::optional<PlacedPicture> picture = {});

/// Weight or bias of a layer with `fan_in` inputs as PyTorch initialises it: uniform in ±1/√fan_in.
Value draw_layer(PlanBuilder& recorder, std::string name, Axes axes, Index fan_in);

/// `torch.nn.init.xavier_uniform_` of a matrix [out, in]: uniform in ±√(6 / (in + out)).
Value draw_xavier(PlanBuilder& recorder, std::string name, Axes axes);

/// Stands between the inputs and the weights: begins the weights' own seed if they stay, and discards what the
/// experiment discards.
void begin_weights(PlanBuilder& recorder, const Experiment& experiment);

/// The same number everywhere.
Value constant(PlanBuilder& recorder, std::string name, Axes axes, double value);

/// Numbers set in the matrices of the last two axes: 0 outside of the parts, which lie within the matrices.
Value set_by_hand(PlanBuilder& recorder, std::string name, Axes axes, std::vector<SetPart> parts);

// Sums and products. In the patterns every axis carries a label, a word: "head query dim, head key dim -> head query
// key". The labels of the result are its axis names.

struct ContractOptions {
  double divisor = 1;
  std::string divisor_text = {};
  Value bias = {};                ///< starts the sum; instead of a divisor
  std::string bias_pattern = {};  ///< labels of its axes
};

/// `torch.einsum(pattern, a, b) / divisor`, or `bias + torch.einsum(pattern, a, b)`.
Value contract(PlanBuilder& recorder, std::string name, std::string_view pattern, Value a, Value b,
               const ContractOptions& options = {});

/// The divisor of scores in scaled dot-product attention: √size.
ContractOptions divided_by_root(Index size);

/// a + b, each repeated along the labels that it lacks; with `tanh`, the hyperbolic tangent of the sum.
Value add(PlanBuilder& recorder, std::string name, std::string_view pattern, Value a, Value b, bool tanh = false);

/// input / √size.
Value scale_by_root(PlanBuilder& recorder, std::string name, Value input, Index size);

/// (input − mean) / √(variance + 1e-5) over the axes of those names, as group and batch norm without learned scale.
Value normalize(PlanBuilder& recorder, std::string name, Value input, std::span<const std::string> over);

/// Mean over the axis of that name.
Value mean(PlanBuilder& recorder, std::string name, Value input, std::string_view axis);

/// The Euclidean norm along the last axis, which the result lacks.
Value row_norm(PlanBuilder& recorder, std::string name, Value input);

// Attention.

/// `scores` with those that `field` does not keep replaced by `fill`; axes [query, key], [head, query, key] or
/// [batch, head, query, key].
Value apply_mask(PlanBuilder& recorder, std::string name, Value scores, MaskField field, double fill);

/// Softmax over the last axis of `input / temperature`, the row maximum subtracted first.
Value softmax(PlanBuilder& recorder, std::string name, Value input, double temperature = 1);

/// `input` with about `probability` of its elements set to 0 and the others divided by 1 − probability.
Value dropout(PlanBuilder& recorder, std::string name, Value input, double probability);

// The same numbers in other places.

/// Reorders, splits and merges axes as in einops: "head query dim -> query (head dim)". A group on the left needs the
/// sizes of all its labels but one in `sizes`; a group on the right becomes one axis named "head·dim", or as the
/// pattern says: "token=(row column)". A label that the right side lacks is fixed at its value in `at`: the result is a
/// slice.
Value rearrange(PlanBuilder& recorder, std::string name, std::string_view pattern, Value input,
                const std::map<std::string, Index>& sizes = {}, const std::map<std::string, Index>& at = {});

/// The head outputs with 0 for the heads that the experiment switches off, as `kept_head_outputs`; `outputs` itself if
/// none is switched off or there are no heads.
Value keep_heads(PlanBuilder& recorder, const Experiment& experiment, Value outputs);

// Positions, where the experiment has the parameter `positions`; see `positions_parameter`.

/// The tokens plus position embeddings, as `positioned_x`, and the embeddings as `positions` [token, feature]:
/// sinusoidal, or learned, which before any training means drawn from a normal distribution. With other kinds of
/// positions, the tokens themselves. Axes […, token, feature].
Value with_positions(PlanBuilder& recorder, const Experiment& experiment, Value tokens);

/// RoPE of queries or keys, as `name`; with other kinds of positions, the input itself. Axes […, position, dim].
Value rotated(PlanBuilder& recorder, const Experiment& experiment, std::string name, Value input);

/// Scores with ALiBi, as `name`; with other kinds of positions, the scores themselves. Axes […, query, key].
Value biased_by_distance(PlanBuilder& recorder, const Experiment& experiment, std::string name, Value scores);

/// From scores to attention weights in every system: the mask (if there is one), softmax with temperature, dropout (if
/// it is on). Records `masked_scores`, `weights` and `dropped_weights`, with `prefix` before the names.
Value attention_weights(PlanBuilder& recorder, const Experiment& experiment, const std::string& prefix, Value scores,
                        const Mask& mask, MaskSizes sizes);

// Parts of trained models.

/// Rows of a table [row, feature] of a file, each times `factor`; see LookupOperation.
Value look_up(PlanBuilder& recorder, std::string name, LookupOperation lookup, Axes axes);

/// Over the last axis, with a learned scale; see FeatureNormOperation. Without a bias: step −1.
Value layer_norm(PlanBuilder& recorder, std::string name, Value input, Value scale, Value bias, double epsilon);
Value rms_norm(PlanBuilder& recorder, std::string name, Value input, Value scale, double epsilon);

enum class Activation { relu, gelu, gelu_tanh, quick_gelu, silu, tanh };

/// The activation that a config.json calls so: "gelu_new", "silu", …
std::optional<Activation> activation_called(std::string_view name);

Value activate(PlanBuilder& recorder, std::string name, Value input, Activation activation);

/// a · b, number by number.
Value multiply(PlanBuilder& recorder, std::string name, Value a, Value b);

/// Rotary positions of [head, position, dim]; see RotaryOperation.
Value rotate_halves(PlanBuilder& recorder, std::string name, Value input, std::vector<double> frequencies);

/// Each slice along the first axis `times` times in a row.
Value repeat_heads(PlanBuilder& recorder, std::string name, Value input, Index times);

/// The rows of one, then those of the other; the other axes are the same.
Value concatenate(PlanBuilder& recorder, std::string name, Value first, Value second);

/// The first cells along each axis: `sizes` of them, none larger than the input's.
Value crop(PlanBuilder& recorder, std::string name, Value input, const std::vector<Index>& sizes);

/// Sines in the first half of the features, cosines in the second; axes [position, feature].
Value half_sinusoids(PlanBuilder& recorder, std::string name, Axes axes);

struct RelativeBuckets {
  Index count = 32;
  Index furthest = 128;  ///< from this distance on, all positions share a bucket
  bool both_sides = true;

  friend bool operator==(const RelativeBuckets&, const RelativeBuckets&) = default;
};

/// Biases [head, query, key] from a table [bucket, head].
Value relative_bias(PlanBuilder& recorder, std::string name, Value table, Index queries, Index keys,
                    const RelativeBuckets& buckets);

}  // namespace attnscope
