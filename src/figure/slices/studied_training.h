// The training of a trace's model, kept from one figure to the next.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/studies/training_study.h"
#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// The option "measure": all measures that a study has.
Parameter studied_measure_option();

/// What the model reads while it is studied, and with which interventions: "reading this text; with layer 1, head 2 off".
std::string studied_text(const Trace& trace, TrainingText text);

/// What the model's checkpoints do, or why it is not known; from the cache of `options` where it has that. Null when it was
/// stopped.
std::shared_ptr<const Result<TrainingStudy>> studied_training(const Trace& trace, const ViewOptions& options,
                                                              TrainingText text);

/// Makes a click on the target show the model as it was at a checkpoint, in that view or in the open one. At the
/// checkpoint that is open, and for one that has no folder, it only opens the view.
void open_state(TargetMark& target, const Model& model, const std::string& checkpoint,
                const std::optional<OpenView>& view);

}  // namespace attnscope
