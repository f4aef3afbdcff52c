// What wrote a value: the parts of what a head adds to a logit by attending to a key, as a map.
#pragma once

#include <memory>

#include "core/residual/value_parts.h"
#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// The parts for the weight that the options `layer`, `head`, `query` and `key` choose, and the answer of `token` and
/// `other_token`; or why there are none. Null when it was stopped. The model has an output.
std::shared_ptr<const Result<Contributions>> chosen_value_parts(const Trace& trace, const ViewOptions& options);

/// Those parts as a figure.
Figure value_map_figure(const Trace& trace, const Contributions& parts, const ViewOptions& options);

}  // namespace attnscope
