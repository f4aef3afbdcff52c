// The arithmetic of a moment as terms in a row.
#pragma once

#include <vector>

#include "figure/layout/arithmetic.h"
#include "figure/slices/moments.h"

namespace attnscope {

/// What is computed at that moment, with its numbers: of the first key, of the key that the moment ends with, or of the
/// largest weight.
std::vector<ArithmeticTerm> moment_terms(const Trace& trace, const PlayedQuery& played, const Moment& moment);

}  // namespace attnscope
