// What to compute: a system, its parameters and a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/experiment/imported_tensors.h"
#include "core/experiment/intervention.h"
#include "core/experiment/model.h"
#include "core/experiment/parameter.h"
#include "core/experiment/picture.h"

namespace attnscope {

/// The view that shows an experiment, with the options that differ from the view's defaults.
struct ViewChoice {
  std::string name = "flow";
  ParameterValues options;

  friend bool operator==(const ViewChoice&, const ViewChoice&) = default;
};

/// A value that replaces a random one, in an input or a weight, or one in a weight of a trained model.
struct CellEdit {
  std::string tensor;
  std::vector<Index> index;  ///< one per axis, from 0
  double value = 0;          ///< finite as a float

  friend bool operator==(const CellEdit&, const CellEdit&) = default;
};

/// "; 2 numbers edited", to be added to a note; empty without edits.
std::string edits_text(const std::vector<CellEdit>& edits);

/// The maximum number of edits.
inline constexpr std::size_t kMaxEdits = 4096;

/// The most token labels that an experiment may have, and the most bytes of one.
inline constexpr std::size_t kMaxLabels = 65'536;
inline constexpr std::size_t kMaxLabelBytes = 256;

/// Everything that determines a computation and how it is shown. A value: two equal experiments have equal traces.
/// `parameters` is complete: it holds every parameter of the system.
struct Experiment {
  std::string system;
  std::uint64_t seed = 42;
  std::uint64_t discard = 0;  ///< raw 32-bit draws discarded between the inputs and the weights
  ParameterValues parameters;
  std::vector<CellEdit> edits;      ///< at most one per cell
  std::vector<Index> heads_off;     ///< switched-off heads of the first layer, from 0, ascending; they output 0
  std::vector<std::string> labels;  ///< of the tokens, in order; tokens after the last label show their number
  ViewChoice view;
  SharedPicture picture;                           ///< shown if the parameter `picture` is `file`; what a model sees
  std::shared_ptr<const ImportedTensors> tensors;  ///< of the system own-tensors; compared by identity
  std::shared_ptr<const Model> model;              ///< of the system transformer; compared by identity
  ModelText text;                                  ///< what the model reads
  ModelText text2;                                 ///< what its decoder is given, if it has one
  std::vector<Intervention> interventions;         ///< in the model; at most one on each part
  ModelText patch_text;                            ///< read in place of `text`, for what is patched

  /// The value of a parameter. The system must have a parameter of this name and kind.
  [[nodiscard]] Index integer(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] const std::string& choice(std::string_view name) const;
  /// None if the system has no such parameter.
  [[nodiscard]] const Mask& mask() const;

  friend bool operator==(const Experiment&, const Experiment&) = default;
};

/// What interventions and edits change: "layer 2, head 3 off; 2 numbers edited", with at most so many parts named; empty
/// without them.
std::string changes_text(const Experiment& experiment, std::size_t most_named);

/// Whether both have the same plan: equal except for seed, view, and labels if the system does not read them.
bool same_plan(const Experiment& a, const Experiment& b);

/// Whether both compute the same numbers: equal except for view, and labels if the system does not read them.
bool same_computation(const Experiment& a, const Experiment& b);

/// Whether the parameter has an effect, given the experiment's choices; see `Parameter::only_with`.
bool matters(const Experiment& experiment, const Parameter& parameter);

/// An experiment on a model, without any tokens yet.
Experiment experiment_on_model(std::shared_ptr<const Model> model);

/// Number of pixels, which are the tokens of a system that attends to pixels.
Index pixel_count(const Experiment& experiment);

/// An experiment on `system` with every parameter at its default.
Result<Experiment> default_experiment(std::string_view system);

/// Sets a parameter after checking its kind and range; `validate` checks whether the parameters fit together.
Result<void> set_parameter(Experiment& experiment, std::string_view name, ParameterValue value);

/// Sets a parameter, `seed` or `discard` from text, as in `--set NAME=TEXT`.
Result<void> set_parameter_text(Experiment& experiment, std::string_view name, std::string_view text);

/// Checks that the experiment has a picture if it chooses one, and none if its system attends to no pixels.
Result<void> check_picture(const Experiment& experiment);

/// Gives the experiment a picture, at the size that its system or model uses, and selects it; fails if its system or
/// model sees none.
Result<void> set_picture(Experiment& experiment, const ColorPicture& picture);

/// The cost of an experiment, known before anything is allocated.
struct Cost {
  double bytes = 0;  ///< of all tensors together
  double flops = 0;  ///< multiplications and additions; softmax counts 5 per element
  Index tensors = 0;
  Index numbers = 0;

  /// Adds a tensor with these axes.
  void add(const Axes& axes, double its_flops);
};

/// The maximum number of discarded draws: a few seconds of work.
inline constexpr std::uint64_t kMaxDiscard = 10'000'000'000;

/// Fails if `discard` exceeds kMaxDiscard.
Result<void> check_discard(std::uint64_t discard);

/// Default limit on the bytes that the tensors of one experiment take. Beyond it, the largest tensors that can be
/// recomputed are lazy.
inline constexpr double kDefaultMemoryBudget = 2e9;
inline constexpr double kUnlimitedMemory = std::numeric_limits<double>::infinity();

}  // namespace attnscope
