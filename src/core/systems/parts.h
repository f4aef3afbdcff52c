// Parts that several systems share: picture parameters, linear layers, and attention from scores to weighted sum.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/systems/systems.h"

namespace attnscope {

/// The parameters batch, channels, height, width, picture and weights_stay.
std::vector<Parameter> picture_parameters(Index batch);

/// The parameter heads, which must divide the parameter `whole`.
Parameter heads_parameter(Index default_value, std::string whole);

/// `x` [batch, channel, row, column]: `torch.randn(batch, channels, height, width)`, or the picture that replaces it.
Value draw_picture(const Experiment& experiment, PlanBuilder& recorder);

/// Pixels as tokens: [batch, channel, row, column] to `tokens` [batch, token, channel].
Value pixels_as_tokens(PlanBuilder& recorder, Value picture);

/// Mask sizes for pixels that attend to pixels; one head if the system has no heads.
MaskSizes pixel_mask_sizes(const Experiment& experiment);

/// Reshapes `projected` [batch, token, channel] to a picture, `projected_image`, and adds it to `x`: `out`.
void add_to_picture(const Experiment& experiment, PlanBuilder& recorder, Value x, Value projected);

/// A linear layer: weight [out, in] and bias [out].
struct Layer {
  Value weight;
  Value bias;  ///< step −1: no bias
};

/// A layer with PyTorch's default initialization: `w_NAME`, then `b_NAME`.
Layer draw_linear(PlanBuilder& recorder, const std::string& name, const Axis& out, const Axis& in);
/// The same without bias.
Layer draw_linear_without_bias(PlanBuilder& recorder, const std::string& name, const Axis& out, const Axis& in);
/// A bias of zeros, `b_NAME`.
Value zero_bias(PlanBuilder& recorder, const std::string& name, const Axis& out);

/// input · weightᵀ + bias over the last axis; `leading` names the axes before it: "batch token".
Value linear(PlanBuilder& recorder, std::string name, const std::string& leading, Value input, const Layer& layer);

struct Projections {
  Value q, k, v;
};

/// Splits a stacked projection into `q`, `k` and `v`: a rearrangement whose label `part` counts them.
Projections cut_projections(PlanBuilder& recorder, std::string_view pattern, Value stacked,
                            std::map<std::string, Index> sizes);

/// `scores` = q · k / √`divisor_of`. The axes of q, k and v are `leading` ("batch head", "batch" or nothing), position
/// and dim.
Value scaled_scores(PlanBuilder& recorder, const std::string& leading, const Projections& p, Index divisor_of);

struct WeightedSum {
  Value weights;  ///< after dropout
  Value outputs;
};

/// The attention weights of `scores`, and `head_outputs` = weights · v.
WeightedSum weighted_sum(const Experiment& experiment, PlanBuilder& recorder, const std::string& leading, Value scores,
                         Value v, const MaskSizes& sizes);

}  // namespace attnscope
