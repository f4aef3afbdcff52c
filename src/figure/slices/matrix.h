// Slices of a trace's tensors as matrices with names, labels and colours: the building blocks of the views.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/trace/trace.h"
#include "figure/model/figure.h"
#include "figure/slices/axis_text.h"

namespace attnscope {

/// The symbol that textbooks use for a tensor, as markup: "w_q" is "W_{Q}", "single.scores" is "scores".
std::string symbol(std::string_view tensor_name);

/// Red and blue, symmetric about 0, for numbers of both signs; otherwise magma from 0 to the largest; viridis from 0 to
/// 1 for weights. Only finite numbers count, and only unmasked scores. For a matrix that is not in memory 64 rows
/// count, and the overview if it is ready: larger numbers have the last colour.
ColorScale natural_scale(const Step& step, const MatrixSource& matrix);

/// The natural scale of two matrices together, from the scales of both.
ColorScale joint_scale(const ColorScale& a, const ColorScale& b);

/// The scale of attention weights. Among many keys hardly any weight comes near 1: the scale then ends at a round
/// number above the median over the rows of all heads (or a sample of very many) of the largest weight in a row, and
/// larger weights have the last colour. The other leading axes are as in `leading`.
ColorScale weights_scale(const Trace& trace, const Step& step, std::span<const Index> leading);

/// The label at the upper end of a colour bar: "1", or "≥ 0.02" where the scale of weights ends earlier.
std::string scale_end_text(const ColorScale& scale);

/// Whether the step's numbers are attention weights.
bool is_weights(const Step& step);

/// Selects one matrix of a tensor with more than two axes; both members count from 0.
struct Slice {
  Index head = 0;
  Index item = 0;  ///< of the batch
};

/// The matrix of the last two axes of tensor `name`, for that head and item where the tensor has such axes (the last
/// one where it has fewer); channels × pixels for pictures. Nothing where the trace has no such tensor.
std::optional<HeatmapMark> matrix_mark(const Trace& trace, std::string_view name, Slice slice, bool transposed = false);

/// The same without a scale, for several matrices that share one.
std::optional<HeatmapMark> unscaled_mark(const Trace& trace, std::string_view name, Slice slice,
                                         bool transposed = false);

/// The matrix of the last two axes of a step's tensor at `leading`; one row for a tensor with one axis. No scale.
HeatmapMark slice_mark(const Trace& trace, int step, std::vector<Index> leading);

/// Which keys are pixels, or patches, of a picture.
struct PixelKeys {
  Index across = 0;  ///< the picture's width
  Index first = 0;   ///< keys before them
};

/// The attention from token `query` as a picture: one row of the weights, computed where it is not in memory. No scale.
std::optional<HeatmapMark> pixel_row_mark(const Trace& trace, std::string_view name, Slice slice, Index query,
                                          PixelKeys keys);

/// The item of the batch that an index, or the first numbers of one, belongs to; 0 without a batch.
Index batch_item(const Axes& axes, std::span<const Index> index);

// Labels of the axis of a tensor, which is called `tensor`, for an item of the batch: see TokenNames.

/// The tokens' labels for an axis that counts tokens, long ones shortened; empty for other axes and for more tokens
/// than any picture has room for.
std::vector<std::string> axis_labels(const Trace& trace, std::string_view tensor, const Axis& axis, Index item = 0);

/// Labels of the rows and of the columns of a heatmap; empty where those are not tokens.
Labels row_labels(const Trace& trace, const HeatmapMark& mark);
Labels column_labels(const Trace& trace, const HeatmapMark& mark);

/// The height of `labels` above columns of width `cell`: one line, or their length where they have to be turned.
double column_label_height(const Labels& labels, double cell);
/// The width of `labels` left of the rows, distance included; 0 without labels.
double row_label_width(const Labels& labels);
/// What says that masked scores have their own colour, beside the colour bar of that scale; nothing where it has none, or
/// in a figure of so little width that both have no room side by side. Not placed yet.
std::optional<ColorBarMark> masked_bar(const ColorScale& scale, double width);
/// The labels for one of several matrices, the long ones with an ellipsis.
Labels short_labels(const Labels& labels);

}  // namespace attnscope
