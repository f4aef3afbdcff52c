// The measures of the heads of all layers, in one table and on a map of layers and heads.
#pragma once

#include <string>

#include "core/trace/trace.h"
#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// The number of pages of `layers_figure`.
Index layers_pages(const Trace& trace);

/// Why the table would take too long to wait for; empty if it would not.
std::string too_many_weights(const Trace& trace);

/// The heads of all `layer_attentions`, for a view with the options "sort", "order", "item" and "page"; empty when it was
/// stopped.
Figure layers_figure(const Trace& trace, const ViewOptions& options);

}  // namespace attnscope
