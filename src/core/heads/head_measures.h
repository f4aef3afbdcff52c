// The measures of all heads of an attention, beside those of even weights, and how far the heads are apart.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/stop.h"
#include "core/heads/head_layers.h"
#include "core/heads/metrics.h"
#include "core/trace/trace.h"

namespace attnscope {

/// The heads of one attention.
struct HeadMeasures {
  std::string tensor;  ///< the weights
  Index queries = 0;
  Index keys = 0;
  std::vector<MeasureRow> heads;
  MeasureRow uniform;                         ///< the same of weights that are even under the mask
  std::vector<std::vector<double>> received;  ///< [head][key]: the mean weight of a key over the queries
  std::vector<double> uniform_received;       ///< [key]: the same of even weights
  /// [head][head], see `head_distance`: symmetric, 0 to itself. Empty for more than `kMaxComparedHeads`.
  std::vector<std::vector<double>> distances;
  /// With each earlier layer, the first one first. Empty for more than `kMaxComparedHeads`.
  std::vector<HeadComposition> compositions;
  std::shared_ptr<const Tensor> rollout;  ///< null: see `rollout`
};

/// Heads that are compared with each other: every one more takes as long as all before it.
inline constexpr Index kMaxComparedHeads = 256;

/// The attentions of a trace: positions of the steps that are softmaxes of [query, key], or given as such.
std::vector<int> attention_steps_of(const Trace& trace);

/// Measures the heads of the weights at step `position`, of that item of the batch (from 0) where there is one.
/// Weights that are not held are computed some rows at a time, a head after the other, and once more to compare the
/// heads; see `measuring_bytes` for the memory. Nothing when it was stopped, or numbers could not be read: see
/// `Trace::failure`.
std::optional<HeadMeasures> measure_heads(const Trace& trace, int position, Index item, const StopToken& stop = {});

/// Bytes that `measure_heads` takes at most, known before.
double measuring_bytes(const Step& step);

/// The heads in an order in which those that are near each other stand together: the leaves of a tree of clusters, the
/// nearest joined first by the mean distance between their heads. Source: average linkage, Sokal & Michener 1958.
std::vector<Index> similarity_order(const std::vector<std::vector<double>>& distances);

}  // namespace attnscope
