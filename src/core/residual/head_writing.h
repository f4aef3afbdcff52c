// What a head writes, as far as the logits.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "core/residual/head_path.h"
#include "core/residual/residual_stream.h"
#include "core/residual/score_parts.h"

namespace attnscope {

/// The way from a head's values to the logits at a query: the output projection, and the final norm, whose divisor is held
/// fixed.
class HeadWriting {
 public:
  /// Of the head and the query of `choice`. The error says in one sentence why it does not write for tokens' logits.
  static Result<HeadWriting> of(const Trace& trace, const ScoreChoice& choice);

  /// Where the value [dim] of the head at that key is.
  [[nodiscard]] Region value_at(Index key) const;

  /// What attending to a value [dim] with weight 1 adds to the state that the logits are read from: [feature].
  [[nodiscard]] std::vector<double> state(std::span<const float> value) const;

  /// Calls `use` for all tokens in order, with the id of the first of some, and what their logits are of a state: the factors
  /// [token, feature], to be divided by `divisor`. Fails if they were not read before `stop` was requested.
  [[nodiscard]] Result<void> read_logits(
      const StopToken& stop, const std::function<void(Index first, std::span<const float> rows)>& use) const;
  [[nodiscard]] double divisor() const;

 private:
  HeadWriting(const Trace& trace, ResidualStream stream, const HeadPath& path, const ScoreChoice& choice)
      : trace_(trace), stream_(std::move(stream)), path_(path), choice_(choice) {}

  [[nodiscard]] std::vector<double> projected(std::span<const float> value) const;
  void through_readout(std::vector<double>& added) const;
  [[nodiscard]] int output_weights() const;

  const Trace& trace_;
  ResidualStream stream_;
  HeadPath path_;
  ScoreChoice choice_;
};

}  // namespace attnscope
