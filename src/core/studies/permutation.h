// The tokens of an experiment in another order.
#pragma once

#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "core/trace/trace.h"

namespace attnscope {

/// How many tokens, the rows of `x`, can change places; 0 where the experiment has no such input.
Index permutable_tokens(const Trace& trace);

/// The same experiment with the rows of `x` in that order, one for each token; everything drawn besides is as it was.
/// Null when it was stopped.
Result<std::shared_ptr<const Trace>> run_in_order(const Trace& trace, const std::vector<Index>& order,
                                                  const StopToken& stop);

}  // namespace attnscope
