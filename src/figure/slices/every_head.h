// Every head of a trace beside another, kept from one figure to the next.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/heads/compared_heads.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// Whether comparing every head would take too long.
bool has_too_many_weights(const Trace& trace);

/// Every head beside the same one of the baseline, or beside the head `with` of this trace; see `compare_every_head`. From
/// the cache of `options` where it has that. Null if stopped, or if numbers cannot be read.
std::shared_ptr<const std::vector<ComparedHead>> every_head(const Trace& trace, const ViewOptions& options,
                                                            const std::optional<HeadPlace>& with);

}  // namespace attnscope
