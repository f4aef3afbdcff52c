// What interventions and edits did to a model's answer, in words.
#pragma once

#include <string>
#include <vector>

#include "core/residual/residual_stream.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// What interventions and edits change, as a sentence to be added to a caption: " With layer 2, head 3 off." Empty without
/// them.
std::string changes_sentence(const Trace& trace);

/// Two lines: what interventions and edits change, and what became of the answer at `position`. Empty without them, or once
/// stopped. The experiment without them is computed for it, and kept in the options' cache.
std::vector<std::string> change_text(const Trace& trace, Index position, const ViewOptions& options);

}  // namespace attnscope
