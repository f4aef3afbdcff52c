// What captions say in more than one view.
#pragma once

#include <string>
#include <string_view>

#include "core/experiment/experiment.h"
#include "core/trace/trace.h"

namespace attnscope {

/// "1 token", "1,024 tokens".
std::string counted_text(Index count, const std::string& thing);

/// " (“Emma met Paul”)": what a model reads, or its beginning; empty where that is no text.
std::string quoted_model_text(const ModelText& text);

/// "; a causal mask hides later keys"; empty without a mask.
std::string hidden_keys_text(const Experiment& experiment);

/// What becomes of a sum of products before it is one of the `weights`: " and divided by √7, and the softmax over the
/// keys makes the weight of it"; empty where scores are no dot products.
std::string made_of_sum_text(const Trace& trace, std::string_view weights);

}  // namespace attnscope
