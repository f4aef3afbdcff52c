// The rotary positions that a config.json asks for.
#pragma once

#include <utility>
#include <vector>

#include "core/models/model_builder.h"

namespace attnscope {

/// Frequencies of the pairs of the first `rotated` dims, in radians per position, and the factor of cosine and sine.
/// Reads `rope_theta` or `rotary_emb_base`, `rope_parameters` and `rope_scaling` (linear, llama3).
std::pair<std::vector<double>, double> rotary_config(ModelBuilder& m, Index rotated);

}  // namespace attnscope
