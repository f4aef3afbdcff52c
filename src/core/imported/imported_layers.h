// Which imported tensors take part in attention, and the meaning of their axes.
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

struct System;

/// The system for imported tensors, without the parameters that all systems take.
System imported_tensors_system();

/// The tensor of one layer, or its part of a tensor with all layers.
struct LayerTensor {
  ImportOperation numbers;
  Axes axes;  ///< weights, scores: [batch?, head?, query, key]; q, k, v: [batch?, head?, query or key, dim]
};

struct ImportedLayer {
  std::optional<LayerTensor> weights;  ///< or, without them,
  std::optional<LayerTensor> scores;   ///< these, or
  std::optional<LayerTensor> q, k;     ///< both of these, and perhaps
  std::optional<LayerTensor> v;
  /// The output projection, with the values only: [head·dim, feature], [feature, head·dim] or [head, dim, feature];
  /// without heads [dim, feature] or [feature, dim].
  std::optional<LayerTensor> w_o;
  std::optional<LayerTensor> b_o;  ///< [feature]
  /// The projection that made the values, with the output projection only: [feature, head·dim], [head·dim, feature] or
  /// [head, feature, dim]; without heads [feature, dim] or [dim, feature].
  std::optional<LayerTensor> w_v;
};

/// The values of the parameter `use`: which tensors to show. The last one: every tensor as it is.
inline constexpr const char* kUseWeights = "weights";
inline constexpr const char* kUseScores = "scores";
inline constexpr const char* kUseQueries = "queries";
inline constexpr const char* kUseTensors = "tensors";

/// The values of the parameter `output`: the order of the axes of the output projection, or that it is left out.
inline constexpr const char* kGuessedOutput = "guess";
inline constexpr const char* kOutputInOut = "in out";
inline constexpr const char* kOutputOutIn = "out in";
inline constexpr const char* kNoOutput = "none";

/// The available uses, best first: weights, scores, queries with keys, the tensors themselves. Empty if no tensor can
/// be shown.
std::vector<std::string> possible_uses(const ImportedTensors& given);

/// The sets of tensors for a use, each named after its first tensor. Names in a set differ only in the layer. Sets with
/// the most layers come first; at most `most` of them.
std::vector<std::string> tensor_groups(const ImportedTensors& given, const std::string& use,
                                       Index most = std::numeric_limits<Index>::max());

/// The selected part of a file and its interpretation.
struct ImportedSelection {
  std::string use;
  Index group = 1;             ///< which of `tensor_groups`, from 1; clamped to the last
  std::string axes = "guess";  ///< or one of `possible_axes`
  std::string output = kGuessedOutput;
};

/// The possible axes of the main tensor of a selection, likeliest first, as values of the parameter `axes`: "head query
/// key".
std::vector<std::string> possible_axes(const ImportedTensors& given, const ImportedSelection& choice);

/// That the first axis of the main tensor was taken for layers although it may count batch items; nothing where names,
/// sizes or the user leave no doubt.
std::optional<std::string> axes_notice(const ImportedTensors& given, const ImportedSelection& choice);

/// What was left out of the output projections of a selection, and which order a square one is taken for.
std::vector<std::string> output_notices(const std::shared_ptr<const ImportedTensors>& given,
                                        const ImportedSelection& choice);

/// Whether the selection has a tensor that is named like an output projection.
bool has_output_named(const ImportedTensors& given, const ImportedSelection& choice);

/// That the file has a model's weights and no attention, and what to open instead; nothing for any other file.
std::optional<std::string> model_notice(const ImportedTensors& given);

/// All values of the parameter `axes` except "guess".
std::vector<std::string> axis_orders();

/// The layers, in order. Fails if the tensors do not exist, do not match or cannot have these axes; the message names
/// the file, the tensor and what is allowed. Empty if the tensors are shown as they are.
Result<std::vector<ImportedLayer>> imported_layers(const std::shared_ptr<const ImportedTensors>& given,
                                                   const ImportedSelection& choice);

/// A tensor as it is, with numbered axes: "axis1", "axis2".
struct PlainTensor {
  std::string name;  ///< unique
  LayerTensor tensor;
};

/// Every tensor that can be shown, in file order.
std::vector<PlainTensor> plain_tensors(const std::shared_ptr<const ImportedTensors>& given);

/// The first of the possible uses that works: the tensors as they are if those with names of attention do not match.
std::string best_use(const std::shared_ptr<const ImportedTensors>& tensors);

/// The view that shows a use first.
std::string view_of_use(const std::string& use);

/// An experiment on imported tensors, with the best available use. Fails if no tensor can be shown.
Result<Experiment> experiment_on(std::shared_ptr<const ImportedTensors> tensors);

}  // namespace attnscope
