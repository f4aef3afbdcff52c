// The open experiment and how it came to be what it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/action.h"
#include "core/experiment.h"
#include "core/result.h"

namespace attnscope {

/// The document: an experiment, its file and its history. What is refused leaves it as it was.
class Session {
 public:
  /// Starts with `experiment`, which has been validated; `file` is where it came from, or empty.
  explicit Session(Experiment experiment, std::string file = {}, double memory_budget = kDefaultMemoryBudget);

  [[nodiscard]] const Experiment& experiment() const { return experiment_; }
  /// Where Save writes; empty when it has never been saved.
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] bool modified() const { return experiment_ != saved_; }
  [[nodiscard]] bool can_undo() const { return !undo_.empty(); }
  [[nodiscard]] bool can_redo() const { return !redo_.empty(); }

  /// Applies an edit, after checking that its result can be computed and shown. The error is one line for the user.
  Result<void> apply(const Action& action);

  /// Replaces the document, as on File > Open; the history starts anew.
  void open(Experiment experiment, std::string file);

  /// Notes that the experiment now stands in `file`.
  void mark_saved(std::string file);

 private:
  /// The experiment after the edit; Undo and Redo are not among them.
  [[nodiscard]] Result<Experiment> edited(const Edit& edit) const;
  bool step_back(std::vector<Experiment>& from, std::vector<Experiment>& to);

  Experiment experiment_;
  Experiment saved_;
  std::string file_;
  double memory_budget_;
  std::vector<Experiment> undo_;  ///< oldest first
  std::vector<Experiment> redo_;
  std::uint64_t gesture_ = 0;  ///< of the last edit
};

}  // namespace attnscope
