// The measures of a trace's heads, kept from one figure to the next.
#pragma once

#include <memory>

#include "core/heads/head_measures.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// The measures of the weights `step` for that item of the batch; from the cache of `options` where it has them. Null
/// when it was stopped.
std::shared_ptr<const HeadMeasures> measured_heads(const Trace& trace, const Step& step, const ViewOptions& options,
                                                   Index item);

}  // namespace attnscope
