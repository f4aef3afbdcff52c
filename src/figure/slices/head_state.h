// Heads whose outputs something else takes the place of.
#pragma once

#include <string>
#include <string_view>

#include "core/experiment/experiment.h"

namespace attnscope {

/// "off", "mean" or "patched" where all outputs of the head (from 0) of the weights in that tensor are replaced, "partly
/// masked" where an intervention masks some of its scores; otherwise empty, as where outputs are replaced at some positions.
std::string head_state(const Experiment& experiment, std::string_view weights, Index head);

/// The title of a head with its state, if it has one: "Head 2, off".
std::string with_head_state(std::string title, const Experiment& experiment, std::string_view weights, Index head);

/// The outputs of the heads of those weights: "layer2.head_outputs" of "layer2.weights".
std::string outputs_of_heads(std::string_view weights);

}  // namespace attnscope
