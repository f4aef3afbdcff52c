// The attention of one token: what it attends to, or who attends to it, by one head, several heads or several layers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/stop.h"
#include "core/trace/trace.h"

namespace attnscope {

/// How the weights of several heads become one number for each pair of tokens.
enum class HeadCombination {
  one,      ///< the weights of one head
  mean,     ///< over the heads of the layer
  maximum,  ///< over the heads of the layer
  rollout,  ///< through all layers up to this one, see `rollout` in `heads/head_layers.h`
};

/// One row or column of the attention of a layer.
struct TokenQuestion {
  int weights = 0;  ///< step
  Index item = 0;   ///< of the batch, from 0
  Index head = 0;   ///< from 0; only for one head
  HeadCombination heads = HeadCombination::one;
  bool from = true;  ///< what the query `token` attends to; false: who attends to the key `token`
  Index token = 0;   ///< from 0

  friend bool operator==(const TokenQuestion&, const TokenQuestion&) = default;
};

/// The attention between a token and each of the others.
struct TokenAttention {
  std::vector<float> weights;       ///< [token]: the keys of a query, or the queries of a key
  std::vector<float> largest;       ///< [token]: the largest weight of any head; only for mean and maximum
  std::vector<Index> largest_head;  ///< [token]: the head that has it, from 0
};

/// Reads only the row or column; for rollout what a row or column of the product needs, which takes time in proportion
/// to the heads, the layers and the square of the tokens. Rollout requires that `no_rollout` is empty. Nothing if
/// stopped, or if numbers cannot be read; see `Trace::failure`.
std::optional<TokenAttention> token_attention(const Trace& trace, const TokenQuestion& question,
                                              const StopToken& stop = {});

/// The steps of weights that rollout up to the layer at step `weights` goes through, from the first layer on; empty
/// where `no_rollout` says why there is none.
std::vector<int> rollout_layers(const Trace& trace, int weights);

/// Why there is no rollout up to the layer at step `weights`, in one sentence; empty: there is.
std::string no_rollout(const Trace& trace, int weights);

}  // namespace attnscope
