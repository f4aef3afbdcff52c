// Positional encodings of tokens.
#pragma once

#include <string>

#include "core/experiment/experiment.h"

namespace attnscope {

/// The parameter `positions`: none, sinusoidal, learned, rotary or alibi. See `with_positions`, `rotated`,
/// `biased_by_distance`.
Parameter positions_parameter();
/// The same without encodings that are added to X, for separate queries and keys: none, rotary or alibi.
Parameter relative_positions_parameter();

/// Its value; "none" if the system has no such parameter.
const std::string& positions_of(const Experiment& experiment);

}  // namespace attnscope
