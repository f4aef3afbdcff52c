// The open experiment and how it came to be what it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/action.h"
#include "core/experiment.h"
#include "core/result.h"

namespace attnscope {

/// The document: an experiment, its file and its history; and the lesson that is open beside it. What is refused leaves
/// all of it as it was.
class Session {
 public:
  /// Starts with `experiment`, which has been validated; `file` is where it came from, or empty.
  explicit Session(Experiment experiment, std::string file = {}, double memory_budget = kDefaultMemoryBudget);

  [[nodiscard]] const Experiment& experiment() const { return experiment_; }
  /// Where Save writes; empty when it has never been saved.
  [[nodiscard]] const std::string& file() const { return document_.file; }
  [[nodiscard]] bool modified() const { return experiment_ != document_.saved; }
  [[nodiscard]] bool can_undo() const { return !undo_.empty(); }
  [[nodiscard]] bool can_redo() const { return !redo_.empty(); }

  /// The open lesson, or null.
  [[nodiscard]] const Lesson* lesson() const { return lesson_.get(); }
  [[nodiscard]] const std::shared_ptr<const Lesson>& shared_lesson() const { return lesson_; }
  /// Its current step, counted from 0. Undoing the way to a step goes back to the step before; that the lesson is open
  /// at all is no part of the history.
  [[nodiscard]] std::size_t lesson_step() const { return step_; }
  /// Whether the experiment or its view is not that of the current step.
  [[nodiscard]] bool away_from_lesson() const {
    return lesson_ != nullptr && experiment_ != lesson_->steps[step_].experiment;
  }

  /// Applies an edit, after checking that its result can be computed and shown. The error is one line for the user.
  Result<void> apply(const Action& action);

  /// Replaces the document, as on File > Open. Undo brings back the one before, with its file.
  void open(Experiment experiment, std::string file);
  /// Replaces the experiment by what its files have by now. `own_file`: it is what stands in the document's file, so
  /// that nothing is left to be saved; otherwise there is as much to be saved as before.
  void reload(Experiment experiment, bool own_file);
  /// Opens what was never saved: it stays to be saved, to `file` where there is one. The history starts anew.
  void restore(Experiment experiment, std::string file);

  /// Notes that the experiment now stands in `file`.
  void mark_saved(std::string file);

 private:
  /// A document, whatever is done to it.
  struct Document {
    std::uint64_t number = 0;
    std::string file;
    Experiment saved;
  };
  /// What there is to come back to.
  struct State {
    Experiment experiment;
    std::shared_ptr<const Lesson> lesson;
    std::size_t step = 0;
    Document document;
  };

  /// The experiment after the edit; Undo and Redo are not among them.
  [[nodiscard]] Result<Experiment> edited(const Action& action) const;
  /// What the edit is made to: within a gesture that changes sizes the experiment before it, so that a mask or numbers
  /// that had no place on the way are there again in the end.
  [[nodiscard]] Experiment edited_from(const Action& action) const;
  /// The options of this view and, where it has none of that name, of the ones before it: the head that was chosen in
  /// one view is chosen in all.
  [[nodiscard]] ParameterValues kept_options() const;
  /// Notes where it is now, so that Undo can come back.
  void remember(State before);
  void step_back(std::vector<State>& from, std::vector<State>& to);
  /// Follows the edit with the lesson and its step.
  void move_in_lesson(const Edit& edit);

  Experiment experiment_;
  Document document_;
  std::uint64_t documents_ = 0;  ///< opened until now
  double memory_budget_;
  std::shared_ptr<const Lesson> lesson_;
  std::size_t step_ = 0;
  ParameterValues options_;  ///< of the views before this one
  std::vector<State> undo_;  ///< oldest first
  std::vector<State> redo_;
  std::uint64_t gesture_ = 0;  ///< of the last edit
};

}  // namespace attnscope
