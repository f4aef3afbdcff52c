// The measures of a trace's heads, kept from one figure to the next.
#pragma once

#include <memory>
#include <vector>

#include "core/heads/attention_list.h"
#include "core/heads/head_measures.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// The measures of the weights `step` for that item of the batch; from the cache of `options` where it has them. Null
/// when it was stopped.
std::shared_ptr<const HeadMeasures> measured_heads(const Trace& trace, const Step& step, const ViewOptions& options,
                                                   Index item);

/// The measures of one of several attentions, without distances and rollout.
struct MeasuredLayer {
  LayerAttention attention;
  HeadMeasures measures;
};

/// Those of all `layer_attentions` for that item of the batch, likewise kept. Null when it was stopped. Where the
/// effective ranks of all heads would take long, they are left out.
std::shared_ptr<const std::vector<MeasuredLayer>> measured_layers(const Trace& trace, const ViewOptions& options,
                                                                  Index item);

}  // namespace attnscope
