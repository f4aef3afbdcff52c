// Experiments as PyTorch scripts. A system writes the body of its script with `Script`; what all scripts share, from
// the header to the saved file, is added here.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/python_text.h"
#include "core/experiment/experiment.h"

namespace attnscope {

/// The experiment, which `validate` has accepted, as a script that needs nothing but PyTorch: it draws the same
/// numbers, computes with PyTorch's own layers, and saves every tensor of the trace under its name.
std::string pytorch_script(const Experiment& experiment);

/// The body of a script under construction. Its variables are called like the tensors and like the parameters: an
/// integer or real parameter is defined at the top of the script where the body mentions it, and every tensor is saved
/// from the variable of its name unless `save` says otherwise.
class Script {
 public:
  explicit Script(const Experiment& experiment);

  [[nodiscard]] const Experiment& experiment() const { return experiment_; }
  /// The names of the experiment's tensors, in their order.
  [[nodiscard]] std::span<const std::string> tensors() const { return tensors_; }

  /// Appends lines of Python. A raw string may begin on its second line. The first lines come right after the seed.
  void code(std::string_view python);
  /// The same behind an empty line; nothing where there are no lines.
  void section(std::string_view python);
  void empty_line() { body_ += '\n'; }
  /// Draws what the experiment discards and throws it away.
  void discard();
  /// `variable = python`, a layer. Its weight and bias are the tensors w_NAME and b_NAME.
  void layer(const std::string& variable, const std::string& name, std::string_view python);

  /// Puts the experiment's edits in their places, once everything is drawn. A tensor is changed where it is saved from,
  /// unless `places` names another expression.
  void edits(const std::map<std::string, std::string>& places = {});

  /// Saves the tensor `name` from another expression.
  void save(const std::string& name, const std::string& expression);
  /// Saves several tensors by one line of the dictionary.
  void save_together(std::span<const std::string> names, const std::string& line);

  /// The whole script, which prints the last tensor in the end.
  [[nodiscard]] std::string text();

 private:
  [[nodiscard]] bool mentions(std::string_view name) const;
  [[nodiscard]] std::string header() const;
  [[nodiscard]] std::string parameters() const;
  [[nodiscard]] std::string seed() const;
  [[nodiscard]] std::string dictionary() const;
  [[nodiscard]] std::string end() const;

  const Experiment& experiment_;
  std::vector<std::string> tensors_;
  std::map<std::string, std::string> lines_;       ///< of the dictionary, by tensor
  std::map<std::string, std::string> saved_from_;  ///< expressions, by tensor
  std::string result_;                             ///< the last tensor, as an expression
  bool random_ = false;                            ///< whether the seed counts
  std::string body_;
  std::string names_;  ///< the body without comments and literals, once it is whole
};

/// The axes of `scores` in a script: those in front, "batch" and "head", and what the last two count, as Python.
struct ScoreAxes {
  std::vector<std::string> leading;
  std::string queries;
  std::string keys;
};

/// Defines `keep`, true where a query may attend to a key, so that it broadcasts to the scores. Nothing without a mask.
std::string mask_code(const Experiment& experiment, const ScoreAxes& axes);

/// From the variable `scores` to the weights, each name with `prefix` in front: `masked_scores` where there is a mask
/// and `masked`, `weights`, `dropped_weights` where there is dropout.
std::string weights_code(const Experiment& experiment, const std::string& prefix = "", bool masked = true);
/// The variable that holds the weights in the end.
std::string weights_name(const Experiment& experiment, const std::string& prefix = "");

/// Defines `kept_head_outputs` of the expression `outputs`, whose axis `axis` is that of the heads: those that are
/// switched off are 0. Nothing where all are on.
std::string heads_code(const Experiment& experiment, const std::string& outputs, int axis);
/// The variable that holds what the heads give in the end.
std::string heads_name(const Experiment& experiment);

}  // namespace attnscope
