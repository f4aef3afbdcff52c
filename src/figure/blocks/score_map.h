// What wrote a score: the parts of q · k as a map.
#pragma once

#include <memory>

#include "core/residual/score_parts.h"
#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// The parts of the score that the options `layer`, `head`, `query` and `key` choose, through its query or, with
/// `to=key`, through its key; or why there are none. Null when it was stopped.
std::shared_ptr<const Result<Contributions>> chosen_score_parts(const Trace& trace, const ViewOptions& options);

/// Those parts as a figure.
Figure score_map_figure(const Trace& trace, const Contributions& parts, const ViewOptions& options);

}  // namespace attnscope
