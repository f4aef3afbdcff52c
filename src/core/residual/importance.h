// How much each head and MLP of a model matters to an answer: what becomes of it when that part is off. Source: Michel
// et al. 2019, Are Sixteen Heads Really Better than One? (ablating one head at a time).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/experiment/intervention.h"
#include "core/residual/residual_stream.h"

namespace attnscope {

/// What becomes of the log-probability of an answer when a part is replaced: after − before, natural logarithm.
struct LayerImportance {
  int weights = 0;            ///< step of the attention weights
  std::vector<double> heads;  ///< when that head alone is replaced
  std::optional<double> mlp;  ///< when the MLP behind this attention is, if there is one
};

struct Importance {
  std::vector<LayerImportance> layers;  ///< in the order of `layer_attentions`
  double log_probability = 0;           ///< of the answer, with everything in place
};

/// What is asked. Everything counts from 0.
struct ImportanceChoice {
  Index position = 0;
  Index answer = 0;
  Intervention::Kind kind = Intervention::Kind::off;  ///< off or mean

  friend bool operator==(const ImportanceChoice&, const ImportanceChoice&) = default;
};

/// The importance of every head and MLP. What comes before a part is taken from the trace, and the parts of a layer go
/// through the rest of the model together; of what comes after the last attention, only the row of the answer is
/// computed. `progress` is told the share that is done, from 0 to 1, from time to time. Nothing if stopped, or if the
/// model's files could not be read.
std::optional<Importance> importance(const Trace& trace, const ResidualStream& stream, const ImportanceChoice& choice,
                                     const StopToken& stop = {}, const std::function<void(double)>& progress = {});

}  // namespace attnscope
