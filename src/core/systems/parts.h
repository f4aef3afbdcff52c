// Pieces that several systems share: parameters of pictures, linear layers, the middle of every attention.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/systems/systems.h"

namespace attnscope {

/// batch, channels, height and width of pictures, and what they show.
std::vector<Parameter> picture_parameters(Index batch);

/// Heads that divide the parameter called `whole`.
Parameter heads_parameter(Index default_value, std::string whole);

/// `torch.randn(batch, channels, height, width)` as `x` [batch, channel, row, column], or the picture that stands in
/// its place.
Value draw_picture(const Experiment& experiment, PlanBuilder& recorder);

/// Pixels as tokens: [batch, channel, row, column] to `tokens` [batch, token, channel].
Value pixels_as_tokens(PlanBuilder& recorder, Value picture);

/// The sizes of masks where every pixel attends to every pixel; one head where the system has no heads.
MaskSizes pixel_mask_sizes(const Experiment& experiment);

/// `x` + `projected` [batch, token, channel], which becomes a picture again first: `projected_image`, `out`.
void add_to_picture(const Experiment& experiment, PlanBuilder& recorder, Value x, Value projected);

/// A linear layer: weight [out, in] and bias [out].
struct Layer {
  Value weight;
  Value bias;  ///< step −1: none
};

/// A layer as PyTorch initialises it: `w_NAME`, then `b_NAME`.
Layer draw_linear(PlanBuilder& recorder, const std::string& name, const Axis& out, const Axis& in);
/// The same without bias.
Layer draw_linear_without_bias(PlanBuilder& recorder, const std::string& name, const Axis& out, const Axis& in);
/// A bias of zeros, `b_NAME`.
Value zero_bias(PlanBuilder& recorder, const std::string& name, const Axis& out);

/// input · weightᵀ + bias over the last axis; `leading` labels the axes before it: "batch token".
Value linear(PlanBuilder& recorder, std::string name, const std::string& leading, Value input, const Layer& layer);

struct Projections {
  Value q, k, v;
};

/// Cuts `q`, `k` and `v` out of a stacked projection: a rearrangement in which the label `part` counts them.
Projections cut_projections(PlanBuilder& recorder, std::string_view pattern, Value stacked,
                            std::map<std::string, Index> sizes);

/// `scores` = q · k / √`divisor_of`. The axes of q, k and v are `leading` ("batch head", "batch" or nothing), position
/// and dim.
Value scaled_scores(PlanBuilder& recorder, const std::string& leading, const Projections& p, Index divisor_of);

struct WeightedSum {
  Value weights;  ///< after dropout
  Value outputs;
};

/// The weights that `scores` give, and `head_outputs` = weights · v.
WeightedSum weighted_sum(const Experiment& experiment, PlanBuilder& recorder, const std::string& leading, Value scores,
                         Value v, const MaskSizes& sizes);

}  // namespace attnscope
