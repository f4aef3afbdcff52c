// How far heads differ, over all layers: from the same heads of another trace, or from one head.
#pragma once

#include <optional>
#include <vector>

#include "core/base/stop.h"
#include "core/trace/trace.h"

namespace attnscope {

/// A head of the weights at step `weights`; both from 0.
struct HeadPlace {
  int weights = 0;
  Index head = 0;

  friend bool operator==(const HeadPlace&, const HeadPlace&) = default;
};

struct ComparedHead {
  HeadPlace place;
  /// Jensen–Shannon divergence in nats, the mean over the queries: 0 to ln 2. Rows that are not finite in one of the two
  /// are left out; NaN if none is left.
  double divergence = 0;
};

/// Compares every head of `trace`, of one item of the batch: with the head of `other` at `with`, or, without one, with the
/// head of the same number in the step of the same name. Heads whose weights have other sizes there are left out. Nothing if
/// stopped, or if numbers cannot be read.
std::optional<std::vector<ComparedHead>> compare_every_head(const Trace& trace, const Trace& other,
                                                            const std::optional<HeadPlace>& with, Index item,
                                                            const StopToken& stop = {});

}  // namespace attnscope
