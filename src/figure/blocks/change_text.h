// What interventions did to a model's answer, in words.
#pragma once

#include <string>
#include <vector>

#include "core/residual/residual_stream.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// Two lines: the interventions, and what became of the answer at `position`. Empty without interventions, or once
/// stopped. The experiment without them is computed for it, and kept in the options' cache.
std::vector<std::string> change_text(const Trace& trace, const ResidualStream& stream, Index position,
                                     const ViewOptions& options);

}  // namespace attnscope
