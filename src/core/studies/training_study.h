// What the heads and the answers of a model were at the checkpoints of its training.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "core/experiment/experiment.h"
#include "core/heads/metrics.h"

namespace attnscope {

/// What a model reads at each checkpoint.
enum class TrainingText {
  given,   ///< the experiment's text, with its interventions
  random,  ///< random tokens, repeated: the standard test of `find_heads`; with its interventions `on_any_text`
};

/// A model at one checkpoint.
struct TrainingState {
  std::string name;  ///< of the checkpoint
  Index step = 0;
  /// The mean of −ln p of the tokens that follow, in nats; of random tokens only those of the second copy behind its first
  /// one, which nothing announces. Nothing for a model that does not continue a text, or where no token follows.
  std::optional<double> loss = {};
  std::vector<MeasureRow> heads =
      {};  ///< [head][measure of `studied_measures`], in the order of `TrainingStudy::heads`
};

struct StudiedHead {
  std::string tensor;  ///< the weights: "layer1.weights"
  Index head = 0;      ///< from 0

  friend bool operator==(const StudiedHead&, const StudiedHead&) = default;
};

struct TrainingStudy {
  std::vector<StudiedHead> heads;  ///< layer by layer
  MeasureRow uniform;              ///< of uniform attention in the first layer
  std::vector<TrainingState> states;
};

/// The measures of a study: all, of which the effective rank is missing in every row because it takes far longer; or those
/// of the standard test.
std::span<const Measure> studied_measures(TrainingText text);

struct TrainingChoice {
  TrainingText text = TrainingText::given;
  double memory_budget = kDefaultMemoryBudget;  ///< bytes, as for Executor
  StopToken stop = {};
  std::function<void(double)> progress = {};  ///< told the share that is done, from 0 to 1; may be empty
};

/// Reads the checkpoints of the experiment's model one after the other. Fails if one cannot be read, has other heads than
/// the first one or cannot take the text, or if stopped. Precondition: the model has checkpoints.
Result<TrainingStudy> study_training(const Experiment& experiment, const TrainingChoice& choice);

}  // namespace attnscope
