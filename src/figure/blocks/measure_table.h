// The measures of the heads of one attention in a table, with how similar the heads are or how they depend on earlier ones.
#pragma once

#include "core/trace/trace.h"
#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// The number of pages for so many heads.
Index measure_table_pages(Index heads);

/// The table of the attention that the options select, for a view with the options "sort", "order", "head" and "page";
/// empty when it was stopped.
Figure measure_table_figure(const Trace& trace, const ViewOptions& options);

}  // namespace attnscope
