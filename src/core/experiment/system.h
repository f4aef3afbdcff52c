// What a system is, and where to find one. The systems themselves stand in `core/systems`.
#pragma once

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
  std::string title;                  ///< as in the window
  std::string summary;                ///< one sentence: what it computes
  std::string source;                 ///< what it replays
  std::vector<Parameter> parameters;  ///< its own, then those that all systems take
  std::vector<std::string> labels;    ///< token labels of the default experiment
  bool reads_labels = false;          ///< labels say which tokens are the same: they change what is computed
  /// What each head of each layer does, where that is known beforehand; otherwise empty.
  std::vector<std::vector<std::string>> head_names;
  /// The sizes that a mask has to fit.
  MaskSizes (*mask_sizes)(const Experiment&) = nullptr;
  /// The words of a choice that can be chosen now, and how they are shown; null, or none of them: all.
  std::vector<std::pair<std::string, std::string>> (*choices)(const Experiment&, std::string_view parameter) = nullptr;
  bool uses_seed = true;
  /// What the user should know of an experiment that is valid; null: nothing.
  std::vector<std::string> (*warnings)(const Experiment&) = nullptr;
  /// What else must hold, before it is run; null: nothing.
  Result<void> (*check)(const Experiment&) = nullptr;
  /// Draws and computes, in the order of the source.
  void (*run)(const Experiment&, PlanBuilder&) = nullptr;
  /// Writes the same in PyTorch.
  void (*script)(Script&) = nullptr;
};

/// All systems that need nothing but their parameters, in the order of the menus.
std::span<const System> systems();

/// One of those, or the one for the user's own tensors.
const System* find_system(std::string_view name);

/// The same; fails where there is none, and names those there are.
Result<const System*> named_system(std::string_view name);

/// What that head of the weights `tensor` does, where the system says so, otherwise nothing. Layers behind the first
/// have names with a prefix: "layer2.weights".
std::string head_name(const Experiment& experiment, std::string_view tensor, Index head);
/// "head 1: previous token", or "head 1".
std::string head_title(const Experiment& experiment, std::string_view tensor, Index head);

}  // namespace attnscope
