// The heads that the standard test finds: a map of all layers and heads, and a table with their names.
#pragma once

#include "core/heads/finder.h"
#include "core/trace/trace.h"
#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// The number of pages of `found_figure` if it shows all heads.
Index found_pages(const Trace& trace);

/// The heads `found` in the trace's model, for a view with the options "sort", "order", "show" and "page". The map shows
/// the measure that the table is sorted by, otherwise induction. A click on a head opens it.
Figure found_figure(const Trace& trace, const FoundHeads& found, const ViewOptions& options);

}  // namespace attnscope
