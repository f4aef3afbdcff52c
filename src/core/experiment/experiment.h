// What to compute: a system, its parameters and a seed.
#pragma once

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
#include "core/experiment/parameter.h"
#include "core/experiment/picture.h"

namespace attnscope {

/// Which view an experiment is shown in, with the options that differ from the view's defaults.
struct ViewChoice {
  std::string name = "flow";
  ParameterValues options;

  friend bool operator==(const ViewChoice&, const ViewChoice&) = default;
};

/// A number put by hand in the place of one that was drawn: of an input or of a weight.
struct CellEdit {
  std::string tensor;
  std::vector<Index> index;  ///< one per axis, from 0
  double value = 0;          ///< finite as a float

  friend bool operator==(const CellEdit&, const CellEdit&) = default;
};

/// So many numbers can be put by hand.
inline constexpr std::size_t kMaxEdits = 4096;

/// Everything that determines a computation, and how it is shown. A value: two equal experiments have equal traces.
/// `parameters` is complete: it holds every parameter of the system's table.
struct Experiment {
  std::string system;
  std::uint64_t seed = 42;
  std::uint64_t discard = 0;  ///< raw 32-bit draws thrown away between the inputs and the weights
  ParameterValues parameters;
  std::vector<CellEdit> edits;      ///< each of another cell
  std::vector<Index> heads_off;     ///< heads of the first layer whose outputs count as 0, from 0, ascending
  std::vector<std::string> labels;  ///< of the tokens, first to last; tokens behind the last label show their number
  ViewChoice view;
  ColorPicture picture;  ///< of systems that attend to pixels, for the choice `file` of the parameter `picture`
  std::shared_ptr<const ImportedTensors> tensors;  ///< of the system for the user's own; the same object means the same

  /// The parameter of that name, which the system's table has and whose kind it is.
  [[nodiscard]] Index integer(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] const std::string& choice(std::string_view name) const;
  [[nodiscard]] const Mask& mask() const;

  friend bool operator==(const Experiment&, const Experiment&) = default;
};

/// Whether both have the same steps: equal but for seed, view, and labels where the system does not read them.
bool same_plan(const Experiment& a, const Experiment& b);

/// Whether both compute the same: equal but for view, and labels where the system does not read them.
bool same_computation(const Experiment& a, const Experiment& b);

/// Whether the parameter changes anything, as far as the experiment's choices say; see `Parameter::only_with`.
bool matters(const Experiment& experiment, const Parameter& parameter);

/// The label of token `token`: from the experiment, otherwise its number.
std::string token_label(const Experiment& experiment, Index token);

/// How many pixels its picture has, of a system that attends to pixels: its tokens.
Index pixel_count(const Experiment& experiment);

/// An experiment on that system, every parameter at its default.
Result<Experiment> default_experiment(std::string_view system);

/// Sets a parameter after checking it against the system's table. Whether the parameters go together is for `validate`.
Result<void> set_parameter(Experiment& experiment, std::string_view name, ParameterValue value);

/// The same from text, as after `--set NAME=`; takes `seed` and `discard` too.
Result<void> set_parameter_text(Experiment& experiment, std::string_view name, std::string_view text);

/// Whether the experiment has the picture that it chooses, and no other.
Result<void> check_picture(const Experiment& experiment);

/// Gives a system that attends to pixels a picture, and chooses it.
Result<void> set_picture(Experiment& experiment, ColorPicture picture);

/// What an experiment will take, known before anything is allocated.
struct Cost {
  double bytes = 0;  ///< of all tensors together
  double flops = 0;  ///< multiplications and additions, softmax counted as 5 per element
  Index tensors = 0;
  Index numbers = 0;

  /// One more tensor with those axes.
  void add(const Axes& axes, double its_flops);
};

/// Draws that may be thrown away: some seconds' worth.
inline constexpr std::uint64_t kMaxDiscard = 10'000'000'000;

/// Whether they are no more than that.
Result<void> check_discard(std::uint64_t discard);

/// Bytes that the tensors of one experiment may take when nothing else is said. Beyond, those that are largest and can
/// be computed again are not held.
inline constexpr double kDefaultMemoryBudget = 2e9;
inline constexpr double kUnlimitedMemory = std::numeric_limits<double>::infinity();

}  // namespace attnscope
