// How a system of tokens tells their positions apart.
#pragma once

#include <string>

#include "core/experiment/experiment.h"

namespace attnscope {

/// `positions`: none, sinusoidal, learned, rotary or alibi. See `with_positions`, `rotated`, `biased_by_distance`.
Parameter positions_parameter();
/// The same for queries and keys that have no tokens in common to add positions to: none, rotary or alibi.
Parameter relative_positions_parameter();

/// Its value; "none" where the system has no such parameter.
const std::string& positions_of(const Experiment& experiment);

}  // namespace attnscope
