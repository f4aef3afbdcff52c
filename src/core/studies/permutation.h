// An experiment with permuted tokens.
#pragma once

#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "core/trace/trace.h"

namespace attnscope {

/// Number of tokens, the rows of `x`, that can be permuted; 0 if the experiment has no such input.
Index permutable_tokens(const Trace& trace);

/// Runs the experiment with the rows of `x` permuted: row i is the original row order[i]. All other random numbers
/// stay. Null if stopped.
Result<std::shared_ptr<const Trace>> run_in_order(const Trace& trace, const std::vector<Index>& order,
                                                  const StopToken& stop);

}  // namespace attnscope
