// The operations that systems are written in: each records a tensor by its name, its inputs and how it is made.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/experiment/mask.h"
#include "core/experiment/picture.h"
#include "core/operations/constant.h"
#include "core/plan/plan_builder.h"

namespace attnscope {

// Inputs and weights.

/// `torch.rand(axes)`, scaled to [from, to).
Value draw_uniform(PlanBuilder& recorder, std::string name, Axes axes, double from = 0, double to = 1);

/// `torch.randn(axes)`, with a picture in the place of the numbers where there is one.
Value draw_normal(PlanBuilder& recorder, std::string name, Axes axes, std::optional<PlacedPicture> picture = {});

/// Weight or bias of a layer with `fan_in` inputs as PyTorch initialises it: uniform in ±1/√fan_in.
Value draw_layer(PlanBuilder& recorder, std::string name, Axes axes, Index fan_in);

/// `torch.nn.init.xavier_uniform_` of a matrix [out, in]: uniform in ±√(6 / (in + out)).
Value draw_xavier(PlanBuilder& recorder, std::string name, Axes axes);

/// The same number everywhere.
Value constant(PlanBuilder& recorder, std::string name, Axes axes, double value);

/// Numbers set by hand in the matrices of the last two of the axes: 0 outside of the parts, which lie within them.
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

/// What divides scores in scaled dot-product attention: √size.
ContractOptions divided_by_root(Index size);

/// a + b, each repeated along the labels that it lacks; `tanh` of it where that is asked for.
Value add(PlanBuilder& recorder, std::string name, std::string_view pattern, Value a, Value b, bool tanh = false);

/// input / √size.
Value scale_by_root(PlanBuilder& recorder, std::string name, Value input, Index size);

/// (input − mean) / √(variance + 1e-5) over the axes of those names, as group and batch norm without learned scale.
Value normalize(PlanBuilder& recorder, std::string name, Value input, std::span<const std::string> over);

/// Mean over the axis of that name.
Value mean(PlanBuilder& recorder, std::string name, Value input, std::string_view axis);

// Attention.

/// `scores` with those that `field` does not keep replaced by `fill`; axes [query, key], [head, query, key] or
/// [batch, head, query, key].
Value apply_mask(PlanBuilder& recorder, std::string name, Value scores, MaskField field, double fill);

/// Softmax over the last axis of `input / temperature`, the row maximum subtracted first.
Value softmax(PlanBuilder& recorder, std::string name, Value input, double temperature = 1);

/// `input` with about `probability` of its elements set to 0 and the others divided by 1 − probability.
Value dropout(PlanBuilder& recorder, std::string name, Value input, double probability);

// The same numbers elsewhere.

/// Reorders, splits and merges axes as in einops: "head query dim -> query (head dim)". A group on the left needs the
/// sizes of all its labels but one in `sizes`; a group on the right becomes one axis named "head·dim", or as the
/// pattern says: "token=(row column)". A label that the right side lacks stands still at its place in `at`: that is a
/// slice.
Value rearrange(PlanBuilder& recorder, std::string name, std::string_view pattern, Value input,
                const std::map<std::string, Index>& sizes = {}, const std::map<std::string, Index>& at = {});

/// The outputs of the heads as the layer behind them gets them: with 0 for those that the experiment switches off, as
/// `kept_head_outputs`; itself where there are none of them, or no heads.
Value keep_heads(PlanBuilder& recorder, const Experiment& experiment, Value outputs);

// Positions, where the experiment has the parameter `positions`; see `positions_parameter`.

/// The tokens with what is added to tell their positions apart, as `positioned_x`, and that as `positions` [token,
/// feature]: sinusoidal, or learned and here as it is before any learning, drawn from a normal distribution. Itself
/// with the others. Axes […, token, feature].
Value with_positions(PlanBuilder& recorder, const Experiment& experiment, Value tokens);

/// Queries or keys with rotary positions, as `name`; itself with the others. Axes […, position, dim].
Value rotated(PlanBuilder& recorder, const Experiment& experiment, std::string name, Value input);

/// Scores with ALiBi, as `name`; itself with the others. Axes […, query, key].
Value biased_by_distance(PlanBuilder& recorder, const Experiment& experiment, std::string name, Value scores);

/// What stands between scores and the weighted sum in every system: the mask (when there is one), softmax with
/// temperature, dropout (when on). Records `masked_scores`, `weights` and `dropped_weights` with `prefix` in front.
Value attention_weights(PlanBuilder& recorder, const Experiment& experiment, const std::string& prefix, Value scores,
                        const Mask& mask, MaskSizes sizes);

}  // namespace attnscope
