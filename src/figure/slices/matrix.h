// Slices of a trace's tensors as matrices with names, labels and colours: what the views are made of.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/trace/trace.h"
#include "figure/model/figure.h"

namespace attnscope {

/// The symbol that textbooks use for a tensor, as markup: "w_q" is "W_{Q}", "single.scores" is "scores".
std::string symbol(std::string_view tensor_name);

/// Numbers of both signs are red and blue symmetric about 0, others magma from 0 to the largest. Only finite numbers
/// count, and of masked scores only those that are kept. Weights are viridis from 0 to 1. Of a matrix that is not in
/// memory 64 rows count, and the overview if that is ready: extremes outside them have the last colours.
ColorScale natural_scale(const Step& step, const MatrixSource& matrix);

/// The natural scale of the numbers of two matrices together, from those of each.
ColorScale joint_scale(const ColorScale& a, const ColorScale& b);

/// The scale of attention weights. Among many keys hardly any weight comes near 1: then it ends at a round number
/// above what is the largest weight in the usual row (the median over all heads, of very many over some of them; the
/// other leading axes as in `leading`), and larger weights have the last colour.
ColorScale weights_scale(const Trace& trace, const Step& step, std::span<const Index> leading);

/// The upper end for a colour bar: "1", or "≥ 0.02" where the scale of weights ends earlier.
std::string scale_end_text(const ColorScale& scale);

/// Whether the step's numbers are attention weights, shares of 1.
bool is_weights(const Step& step);

/// Which of its matrices is shown of a tensor with more than two axes; both count from 0.
struct Slice {
  Index head = 0;
  Index item = 0;  ///< of the batch
};

/// The matrix that the last two axes of tensor `name` span, of that head and item where the tensor has such axes (of
/// the last one where it has fewer); of pictures, channels × pixels. Nothing where the trace has no such tensor.
std::optional<HeatmapMark> matrix_mark(const Trace& trace, std::string_view name, Slice slice, bool transposed = false);

/// The same without a scale, for who has one for several matrices.
std::optional<HeatmapMark> unscaled_mark(const Trace& trace, std::string_view name, Slice slice,
                                         bool transposed = false);

/// The matrix that the last two axes of a step's tensor span at `leading`; one row of a tensor with one axis. No scale.
HeatmapMark slice_mark(const Trace& trace, int step, std::vector<Index> leading);

/// One row of weights between pixels, that of `query`, as a picture `across` pixels wide: what the query looks at. The
/// numbers of a row that is not held are computed. No scale.
std::optional<HeatmapMark> pixel_row_mark(const Trace& trace, std::string_view name, Slice slice, Index query,
                                          Index across);

/// The tokens' labels for an axis that counts tokens, long ones shortened; empty for other axes, and where there are so
/// many tokens that no picture has room for them.
std::vector<std::string> axis_labels(const Trace& trace, const Axis& axis);

/// A token's label, shortened where it is very long; nothing where it has none, or the axis counts no tokens.
std::optional<std::string> label_of(const Trace& trace, const Axis& axis, Index token);

/// A token as in a sentence: “sat”, or its number where it has no label. What is very long is shortened.
std::string token_text(const Trace& trace, const Axis& axis, Index token);

/// Labels of the rows and of the columns of a heatmap, empty where they do not count tokens.
Labels row_labels(const Trace& trace, const HeatmapMark& mark);
Labels column_labels(const Trace& trace, const HeatmapMark& mark);

/// What `labels` take above columns of width `cell`: one line, or their length where they have to stand upright.
double column_label_height(const Labels& labels, double cell);
/// What `labels` take at the left of rows, the distance included; 0 without labels.
double row_label_width(const Labels& labels);

}  // namespace attnscope
