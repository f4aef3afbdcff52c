// What a system is, and how to find one. The systems themselves are in `core/systems`.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/experiment/experiment.h"

namespace attnscope {

class PlanBuilder;
class Script;

struct System {
  std::string name;                   ///< as in files and on the command line
  std::string title;                  ///< as shown in the window
  std::string summary;                ///< one sentence: what it computes
  std::string source;                 ///< the code that it reproduces
  std::vector<Parameter> parameters;  ///< its own parameters, then the common ones
  std::vector<std::string> labels;    ///< token labels of the default experiment
  /// What each head of each layer does, if that is known beforehand; otherwise empty.
  std::vector<std::vector<std::string>> head_names;
  /// The sizes that a mask must fit.
  MaskSizes (*mask_sizes)(const Experiment&) = nullptr;
  /// The values of a choice that are available now, with their display names; null or an empty result: all values.
  std::vector<std::pair<std::string, std::string>> (*choices)(const Experiment&, std::string_view parameter) = nullptr;
  /// A picture as the experiment keeps it; null: at most kMaxTokenPictureSide pixels along a side.
  Result<ColorPicture> (*fit_picture)(const Experiment&, const ColorPicture&) = nullptr;
  bool uses_seed = true;
  /// Whether equal labels are equal tokens, so that labels change numbers; null: never.
  bool (*reads_labels)(const Experiment&) = nullptr;
  /// Warnings about a valid experiment; null: none.
  std::vector<std::string> (*warnings)(const Experiment&) = nullptr;
  /// Further checks before a run; null: none.
  Result<void> (*check)(const Experiment&) = nullptr;
  /// Draws and computes in the order of the source.
  void (*run)(const Experiment&, PlanBuilder&) = nullptr;
  /// Writes the same computation in PyTorch.
  void (*script)(Script&) = nullptr;
};

/// What the program shows at its first start: numbers of both signs, so that heads differ at sight, words that keep their
/// vector, and weights that stay when tokens are added.
inline constexpr const char* kFirstSystem = "worked-example";
inline constexpr std::array<const char*, 4> kFirstSettings = {"scale=sqrt_head_dim", "random_numbers=signed",
                                                              "same_label=same_vector", "weights_stay=yes"};
Experiment first_experiment();

/// All systems except own-tensors and transformer, which need a file; in the order of the menus.
std::span<const System> systems();

/// The system of that name, including those that need a file; null if there is none.
const System* find_system(std::string_view name);

/// The same; the error lists or suggests names.
Result<const System*> named_system(std::string_view name);

/// What the head (from 0) of the weights `tensor` does, if the system says so; otherwise empty. Tensors of later layers
/// have a prefix: "layer2.weights".
std::string head_name(const Experiment& experiment, std::string_view tensor, Index head);
/// "head 1: previous token", or "head 1".
std::string head_title(const Experiment& experiment, std::string_view tensor, Index head);

}  // namespace attnscope
