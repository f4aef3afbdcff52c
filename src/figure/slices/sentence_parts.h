// What captions say in more than one view.
#pragma once

#include <string>

#include "core/experiment/experiment.h"

namespace attnscope {

/// "1 token", "1,024 tokens".
std::string counted_text(Index count, const std::string& thing);

/// " (“Emma met Paul”)": what a model reads, or its beginning; empty where that is no text.
std::string quoted_model_text(const ModelText& text);

/// "; a causal mask hides later keys"; empty without a mask.
std::string hidden_keys_text(const Experiment& experiment);

}  // namespace attnscope
