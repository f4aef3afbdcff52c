// Experiments as PyTorch scripts. A system writes the body of its script with `Script`, which adds what all scripts
// share, from the header to the saved file.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/python_text.h"
#include "core/experiment/experiment.h"

namespace attnscope {

/// A valid experiment as a script that needs only PyTorch: it draws the same numbers, computes with PyTorch's own
/// layers, and saves every tensor of the trace under its name.
std::string pytorch_script(const Experiment& experiment);

/// Builds the body of a script. Variables have the names of tensors and parameters: an integer or real parameter that
/// the body mentions is defined at the top of the script, and every tensor is saved from the variable of its name,
/// unless `save` says otherwise.
class Script {
 public:
  explicit Script(const Experiment& experiment);

  [[nodiscard]] const Experiment& experiment() const { return experiment_; }
  /// The names of the experiment's tensors, in order.
  [[nodiscard]] std::span<const std::string> tensors() const { return tensors_; }

  /// Appends lines of Python. A raw string may begin with a newline. The first lines follow the seed directly.
  void code(std::string_view python);
  /// Appends an empty line and the lines; does nothing if there are none.
  void section(std::string_view python);
  void empty_line() { body_ += '\n'; }
  /// Stands between the inputs and the weights: gives these their own seed if they stay, and draws and drops the numbers
  /// that the experiment discards.
  void begin_weights();
  /// Defines a layer, `variable = python`, whose weight and bias are the tensors w_NAME and b_NAME.
  void layer(const std::string& variable, const std::string& name, std::string_view python);

  /// Applies the experiment's edits, after all draws. An edit changes the expression that its tensor is saved from,
  /// unless `places` names another one.
  void edits(const std::map<std::string, std::string>& places = {});

  /// Saves the tensor `name` from another expression.
  void save(const std::string& name, const std::string& expression);
  /// Saves several tensors by one line of the dictionary.
  void save_together(std::span<const std::string> names, const std::string& line);

  /// The whole script, which prints the last tensor at the end.
  [[nodiscard]] std::string text();

 private:
  /// Whether the finished body uses `name`, not as an attribute. Known once `text` has set `names_`.
  [[nodiscard]] bool mentions(std::string_view name) const;
  /// The parts around the body, in their order; each ends with a newline, or is empty.
  [[nodiscard]] std::string header() const;
  [[nodiscard]] std::string parameters() const;
  [[nodiscard]] std::string seed() const;
  [[nodiscard]] std::string dictionary() const;
  [[nodiscard]] std::string output() const;

  const Experiment& experiment_;
  std::vector<std::string> tensors_;
  std::map<std::string, std::string> lines_;       ///< of the dictionary, by tensor
  std::map<std::string, std::string> saved_from_;  ///< expressions, by tensor
  std::string result_;                             ///< the last tensor, as an expression
  bool random_ = false;                            ///< whether the script draws random numbers
  std::string body_;
  std::string names_;  ///< the finished body without comments and literals
};

/// The axes of `scores` in a script: the leading ones ("batch", "head"), and the sizes of the last two as Python.
struct ScoreAxes {
  std::vector<std::string> leading;
  std::string queries;
  std::string keys;
};

/// Defines `keep`, true where a query may attend to a key, in a shape that broadcasts to the scores. Empty without a
/// mask.
std::string mask_code(const Experiment& experiment, const ScoreAxes& axes);

/// From the variable `scores` to the weights, all names with `prefix`: `masked_scores` (with a mask and `masked`),
/// `weights`, `dropped_weights` (with dropout).
std::string weights_code(const Experiment& experiment, const std::string& prefix = "", bool masked = true);
/// The variable that holds the final weights.
std::string weights_name(const Experiment& experiment, const std::string& prefix = "");

/// Defines `kept_head_outputs`: the expression `outputs` with 0 for switched-off heads, along the head axis `axis`.
/// Empty if all heads are on.
std::string heads_code(const Experiment& experiment, const std::string& outputs, int axis);
/// The variable that holds the final head outputs.
std::string heads_name(const Experiment& experiment);

}  // namespace attnscope
