// The measures of all heads of an attention layer and of uniform attention, and the distances between heads.
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

/// The measures of the heads of one attention layer.
struct HeadMeasures {
  std::string tensor;  ///< the name of the weights
  Index queries = 0;
  Index keys = 0;
  /// Of imported weights, the mask that the measures and uniform attention take: "causal mask, judging by weights of 0",
  /// "mask causal, as set"; empty without one.
  std::string mask = {};
  Index left_out = 0;  ///< rows with weights that are not finite, of all heads; no measure counts them
  std::vector<MeasureRow> heads = {};
  MeasureRow uniform = {};                         ///< the measures of uniform attention under the mask
  std::vector<std::vector<double>> received = {};  ///< [head][key]: the mean weight of a key over the queries
  std::vector<double> uniform_received = {};       ///< [key]: the same for uniform attention
  /// [head][head]: symmetric, 0 on the diagonal; see `head_distance`. Empty for more than `kMaxComparedHeads` heads.
  std::vector<std::vector<double>> distances = {};
  /// Composition with each earlier layer, in order. Empty for more than `kMaxComparedHeads` heads.
  std::vector<HeadComposition> compositions = {};
  std::shared_ptr<const Tensor> rollout = {};  ///< may be null; see `rollout`
};

/// The maximum number of heads that are compared: the time is quadratic in it.
inline constexpr Index kMaxComparedHeads = 256;

/// The attention layers of a trace: the steps with computed or imported weights [query, key].
std::vector<int> attention_steps_of(const Trace& trace);

struct ImportedMask;

/// What has been measured of an attention before its measuring was paused.
struct MeasuredSoFar {
  struct Head {
    MeasureRow row;
    std::vector<double> received;
    std::vector<double> entropies;  ///< see `compare_heads`
    Index left_out = 0;
  };
  std::vector<std::optional<Head>> heads = {};
  std::optional<Head> uniform = {};
  std::vector<std::vector<double>> distances = {};  ///< those of pairs that were not compared are negative
  std::shared_ptr<const ImportedMask> mask = {};
  std::vector<std::optional<HeadCircuit>> circuits = {};  ///< of each head

  /// Of the heads and pairs of heads, from 0 to 1.
  [[nodiscard]] double share() const;
};

/// Which measures to compute: some take far longer than others.
struct Measuring {
  Index item = 0;         ///< of the batch, from 0
  bool rank = true;       ///< the effective rank
  bool distances = true;  ///< and compositions
  bool rollout = true;
  bool circuits = true;  ///< measures of the heads' weight matrices; without them there are no compositions either
  StopToken stop = {};
  /// Asked between two heads, and between two pairs: what is measured by then is in `so_far`, and the next call with
  /// that goes on there.
  StopToken pause = {};
  MeasuredSoFar* so_far = nullptr;  ///< null: it is not paused
};

/// Measures the heads of the weights at step `position`. Lazy weights are computed a few
/// rows at a time, head by head, and again to compare the heads; see `measuring_bytes` for the memory. Nothing if
/// stopped or paused, or if numbers cannot be read; see `Trace::failure`.
std::optional<HeadMeasures> measure_heads(const Trace& trace, int position, const Measuring& measuring);

/// The same with all measures.
inline std::optional<HeadMeasures> measure_heads(const Trace& trace, int position, Index item,
                                                 const StopToken& stop = {}) {
  return measure_heads(trace, position, Measuring{.item = item, .stop = stop});
}

/// About how many operations the effective ranks of all heads take whose weights have these axes.
double rank_operations(const Axes& axes);
/// The effective ranks of many heads are left out, unless asked for, where they take more than this: a second or two.
inline constexpr double kMaxRankOperations = 3e9;

/// The maximum memory of `measure_heads` in bytes.
double measuring_bytes(const Step& step);

/// The heads in an order that groups similar ones: the leaves of a hierarchical clustering by mean distance.
/// Source: average linkage, Sokal & Michener 1958.
std::vector<Index> similarity_order(const std::vector<std::vector<double>>& distances);

}  // namespace attnscope
