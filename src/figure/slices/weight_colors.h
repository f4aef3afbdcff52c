// The option that says how attention weights become colours.
#pragma once

#include <string_view>

#include "core/experiment/parameter.h"
#include "figure/model/figure.h"

namespace attnscope {

inline constexpr std::string_view kColorScale = "color_scale";

/// "linear", "row" or "logarithmic".
Parameter color_scale_option();

/// What the option says; linear without it.
ScaleKind scale_kind(const ParameterValues& options);

/// Gives the attention weights of a figure scales of one kind.
/// - Shares of the row: the largest weight of every query has the last colour.
/// - Logarithmic: from a tenth of the weight that all keys had if they were alike, rounded down to a power of ten and at
///   most 0.001, to 1.
class WeightColors {
 public:
  explicit WeightColors(ScaleKind kind) : kind_(kind) {}

  /// The mark has a linear scale, or one that this made for another mark.
  void color(HeatmapMark& mark);

 private:
  ScaleKind kind_;
  Index cells_ = 0;  ///< whose shares are kept
};

/// The colour bar "scale" of attention weights, not placed yet.
ColorBarMark weights_bar(const ColorScale& scale);

}  // namespace attnscope
