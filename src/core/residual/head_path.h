// The way of what heads read to the residual stream.
#pragma once

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace attnscope {

/// Steps behind attention weights, in order.
struct HeadPath {
  int outputs = -1;     ///< [head, query, dim]: weights times values
  int merged = -1;      ///< [query, feature]: the outputs side by side; interventions may lie between
  int projection = -1;  ///< [query, feature]: what is added to the stream
};

/// The path behind the weights at that step. The error says in one sentence that there is none.
Result<HeadPath> head_path(const Trace& trace, int weights);

/// The numbers [dim] that a head reads at a key, as part of the values; of several heads that share them, those of all.
Region value_at(const Trace& trace, const HeadPath& path, Index head, Index key);

}  // namespace attnscope
