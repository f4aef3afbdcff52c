// The training of a trace's model, kept from one figure to the next.
#pragma once

#include <memory>
#include <string>

#include "core/studies/training_study.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// The option "measure": all measures that a study has.
Parameter studied_measure_option();

/// What the model reads while it is studied, and with which interventions: "reading this text; with Layer 1, head 2 off".
std::string studied_text(const Trace& trace, TrainingText text);

/// What the model's checkpoints do, or why it is not known; from the cache of `options` where it has that. Null when it was
/// stopped.
std::shared_ptr<const Result<TrainingStudy>> studied_training(const Trace& trace, const ViewOptions& options,
                                                              TrainingText text);

}  // namespace attnscope
