// The rotary positions that a config.json asks for.
#pragma once

#include <utility>
#include <vector>

#include "core/models/model_builder.h"

namespace attnscope {

/// Frequencies of the pairs of the first `rotated` dims, in radians per position. Reads `rope_theta` or
/// `rotary_emb_base`, `rope_parameters` and `rope_scaling` (dynamic, linear, llama3).
std::vector<double> rotary_config(ModelBuilder& m, Index rotated);

}  // namespace attnscope
