// Which of the user's own tensors take part in attention, and what their axes are.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/given_tensors.h"
#include "core/operation.h"
#include "core/tensor_roles.h"

namespace attnscope {

/// A tensor of one layer, or its part of a tensor that has all layers.
struct OwnTensor {
  GivenOperation numbers;
  Axes axes;  ///< [batch?, head?, query, key] of weights and scores, [batch?, head?, query or key, dim] of the others
};

struct OwnLayer {
  std::optional<OwnTensor> weights;  ///< or, without them,
  std::optional<OwnTensor> scores;   ///< these, or
  std::optional<OwnTensor> q, k;     ///< both of these, and perhaps
  std::optional<OwnTensor> v;
};

/// What of the tensors is looked at: the words of the parameter `use`.
inline constexpr const char* kUseWeights = "weights";
inline constexpr const char* kUseScores = "scores";
inline constexpr const char* kUseQueries = "queries";

/// Which of those there are, the best first: weights, which are what was computed, then scores, then queries with keys.
/// Empty where nothing is called like any of them, and there is more than one tensor.
std::vector<std::string> possible_uses(const GivenTensors& given);

/// The orders of axes that the main tensor of that use may have, the likeliest first, as the parameter `axes` has them:
/// "head query key".
std::vector<std::string> possible_axes(const GivenTensors& given, const std::string& use);

/// All words of the parameter `axes` but "guess".
std::vector<std::string> axis_orders();

/// The layers, first to last. Fails where the tensors are not there, do not go together or have no such axes; the
/// message names the file, the tensor and what is allowed. `axes`: "guess", or one of `possible_axes`.
Result<std::vector<OwnLayer>> own_layers(const std::shared_ptr<const GivenTensors>& given, const std::string& use,
                                         const std::string& axes);

}  // namespace attnscope
