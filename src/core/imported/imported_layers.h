// Which of the user's own tensors take part in attention, and what their axes are.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/experiment/imported_tensors.h"
#include "core/imported/tensor_roles.h"
#include "core/operations/import.h"
#include "core/plan/operation.h"

namespace attnscope {

/// A tensor of one layer, or its part of a tensor that has all layers.
struct LayerTensor {
  ImportOperation numbers;
  Axes axes;  ///< [batch?, head?, query, key] of weights and scores, [batch?, head?, query or key, dim] of the others
};

struct ImportedLayer {
  std::optional<LayerTensor> weights;  ///< or, without them,
  std::optional<LayerTensor> scores;   ///< these, or
  std::optional<LayerTensor> q, k;     ///< both of these, and perhaps
  std::optional<LayerTensor> v;
};

/// What of the tensors is looked at: the words of the parameter `use`. The last one: every tensor, as it is.
inline constexpr const char* kUseWeights = "weights";
inline constexpr const char* kUseScores = "scores";
inline constexpr const char* kUseQueries = "queries";
inline constexpr const char* kUseTensors = "tensors";

/// Which of those there are, the best first: weights, which are what was computed, then scores, then queries with keys,
/// then the tensors themselves. Empty where there is no tensor that can be shown.
std::vector<std::string> possible_uses(const ImportedTensors& given);

/// The sets of tensors that there are for a use, each by the name of its first tensor: names in one set differ in the
/// layer only. Those with most layers first, at most `most` of them.
std::vector<std::string> tensor_groups(const ImportedTensors& given, const std::string& use,
                                       Index most = std::numeric_limits<Index>::max());

/// What of a file is looked at, and how.
struct ImportedSelection {
  std::string use;
  Index group = 1;             ///< which of `tensor_groups`; beyond the last one: that
  std::string axes = "guess";  ///< or one of `possible_axes`
};

/// The orders of axes that the main tensor of that choice may have, the likeliest first, as the parameter `axes` has
/// them: "head query key".
std::vector<std::string> possible_axes(const ImportedTensors& given, const ImportedSelection& choice);

/// All words of the parameter `axes` but "guess".
std::vector<std::string> axis_orders();

/// The layers, first to last. Fails where the tensors are not there, do not go together or have no such axes; the
/// message names the file, the tensor and what is allowed. None where the tensors are shown as they are.
Result<std::vector<ImportedLayer>> imported_layers(const std::shared_ptr<const ImportedTensors>& given,
                                                   const ImportedSelection& choice);

/// A tensor as it is, its axes counted from 1: "axis1", "axis2".
struct PlainTensor {
  std::string name;  ///< no two have the same
  LayerTensor tensor;
};

/// Every tensor that can be shown, in the order of the file.
std::vector<PlainTensor> plain_tensors(const std::shared_ptr<const ImportedTensors>& given);

/// An experiment on the user's own tensors, what is best looked at chosen. Fails where none is attention.
Result<Experiment> experiment_on(std::shared_ptr<const ImportedTensors> tensors);

}  // namespace attnscope
