// The residual stream of a trained model: what the tokens are after each layer, and the steps that read the output
// from it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/base/stop.h"
#include "core/trace/trace.h"

namespace attnscope {

/// Positions of steps. Of a model with two parts, the stream is the decoder's.
struct ResidualStream {
  std::vector<int> states;   ///< [token, feature]: the embeddings, then the stream after each layer
  std::vector<int> readout;  ///< the steps from the last state to the logits, in order
  int logits = 0;            ///< [token, vocabulary], or [token, label] for the first token alone
  int probabilities = 0;

  [[nodiscard]] std::size_t last() const { return states.size() - 1; }
};

/// Nothing for a system, and for a model without an output.
std::optional<ResidualStream> residual_stream(const Trace& trace);

/// Repeats the readout on other states: the recorded operations, with the recorded weights. The trace and the stream
/// must outlive it. For one thread.
class Readout {
 public:
  Readout(const Trace& trace, const ResidualStream& stream, StopToken stop);
  ~Readout();
  Readout(const Readout&) = delete;
  Readout& operator=(const Readout&) = delete;

  /// The logits of these positions and answers, `begin` ≤ number < `end`, as they would be if the state of that number
  /// were the last: [position, answer]. Unfinished once a stop is requested.
  struct Range {
    Index begin = 0;
    Index end = 0;
  };
  [[nodiscard]] std::shared_ptr<const Tensor> logits(std::size_t state, Range positions, Range answers);

 private:
  struct Boxes;

  std::shared_ptr<const Tensor> numbers(const Region& region, int state);

  const Trace& trace_;
  const ResidualStream& stream_;
  StopToken stop_;
  std::unique_ptr<Boxes> boxes_;
};

}  // namespace attnscope
