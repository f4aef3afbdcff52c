// Imported weights are shown as they are: what is odd about them, and the mask that the user declares for them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/experiment/mask.h"

namespace attnscope {

struct Step;
class LazyTensors;

/// The mask that an experiment declares for imported weights [batch?, head?, query, key]; nothing if it declares none or
/// the mask does not fit these weights.
std::optional<MaskField> declared_mask(const Experiment& experiment, const Axes& axes);

/// Adds one line for rows that do not sum to 1, and one for weights outside the declared mask that are not 0. Nothing for
/// a step that is no resident imported weights.
void warn_of_weights(const Step& step, const Experiment& experiment, std::vector<std::string>& warnings);

/// The same for weights that are not resident, step `number`, from some rows all over the tensor.
void warn_of_some_weights(const Step& step, int number, const LazyTensors& lazy, const Experiment& experiment,
                          std::vector<std::string>& warnings);

}  // namespace attnscope
