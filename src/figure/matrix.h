// Slices of a trace's tensors as matrices with names, labels and colours: what the views are made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/trace.h"
#include "figure/figure.h"

namespace attnscope {

/// The symbol that textbooks use for a tensor, as markup: "w_q" is "W_{Q}", "single.scores" is "scores".
std::string symbol(std::string_view tensor_name);

/// Weights are viridis from 0 to 1; numbers of both signs red and blue symmetric about 0; others magma from 0 to the
/// largest. Only finite numbers count, and of masked scores only those that are kept.
ColorScale natural_scale(const Step& step, const MatrixView& matrix);

/// Whether the step's numbers are attention weights, shares of 1.
bool is_weights(const Step& step);

/// The matrix that the last two axes of tensor `name` span, for one head (where the tensor has a head axis; counted
/// from 0) and the first batch item; nothing where the trace has no such tensor.
std::optional<HeatmapMark> matrix_mark(const Trace& trace, std::string_view name, Index head, bool transposed = false);

/// The tokens' labels for an axis that counts tokens; empty for other axes.
std::vector<std::string> axis_labels(const Trace& trace, const Axis& axis);

/// Labels of the rows and of the columns of a heatmap, empty where they do not count tokens.
std::vector<std::string> row_labels(const Trace& trace, const HeatmapMark& mark);
std::vector<std::string> column_labels(const Trace& trace, const HeatmapMark& mark);

/// How many heads the trace has: the size of the head axis of its weights, otherwise 1.
Index head_count(const Trace& trace);

/// What `labels` take above columns of width `cell`: one line, or their length where they have to stand upright.
double column_label_height(const std::vector<std::string>& labels, double cell);
/// What `labels` take at the left of rows, the distance included; 0 without labels.
double row_label_width(const std::vector<std::string>& labels);

}  // namespace attnscope
