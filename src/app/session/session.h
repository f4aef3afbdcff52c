// The open experiment and how it came to be what it is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/action.h"
#include "core/base/result.h"
#include "core/experiment/experiment.h"

namespace attnscope {

/// The document: an experiment, its file and its history. A lesson is a document of its own, which lies over the user's
/// until it is closed. What is refused leaves all of it as it was.
class Session {
 public:
  /// Starts with `experiment`, which has been validated; `file` is where it came from, or empty, and `version` what
  /// stood there (`content_version`).
  explicit Session(Experiment experiment, std::string file = {}, double memory_budget = kDefaultMemoryBudget,
                   std::string version = {});

  [[nodiscard]] const Experiment& experiment() const { return opened_.experiment; }
  /// Where Save writes; empty when it has never been saved, and for a lesson.
  [[nodiscard]] const std::string& file() const { return opened_.document.file; }
  /// What stood in that file when it was last read or written here.
  [[nodiscard]] const std::string& version() const { return opened_.document.version; }
  /// Another number for every document that was opened, lessons included.
  [[nodiscard]] std::uint64_t document() const { return opened_.document.number; }
  /// Whether there are edits that are not saved. Another view is none: it is a look at the experiment.
  [[nodiscard]] bool modified() const { return modified_; }
  /// Another number after everything that was done here: what belongs to it need not be looked at in between.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }
  [[nodiscard]] bool can_undo() const { return !opened_.undo.empty(); }
  [[nodiscard]] bool can_redo() const { return !opened_.redo.empty(); }

  /// The open lesson, or null.
  [[nodiscard]] const Lesson* lesson() const { return lesson_.get(); }
  [[nodiscard]] const std::shared_ptr<const Lesson>& shared_lesson() const { return lesson_; }
  /// Its current step, counted from 0. Undoing the way to a step goes back to the step before.
  [[nodiscard]] std::size_t lesson_step() const { return step_; }
  /// Whether the experiment or its view is not that of the current step.
  [[nodiscard]] bool away_from_lesson() const {
    return lesson_ != nullptr && experiment() != lesson_->steps[step_].experiment;
  }

  /// Applies an edit, after checking that its result can be computed and shown. The error is one line for the user.
  Result<void> apply(const Action& action);

  /// What lies under the open lesson with edits that are not saved: its file, version, number and experiment; otherwise
  /// nothing.
  struct Covered {
    const Experiment& experiment;
    const std::string& file;
    const std::string& version;
    std::uint64_t document;
  };
  [[nodiscard]] std::optional<Covered> unsaved_under_lesson() const;

  /// Replaces the document, as on File > Open, and closes the lesson. Undo brings back the document before, with its
  /// file.
  void open(Experiment experiment, std::string file, std::string version = {});
  /// Replaces the experiment by what its files have by now. `own_file`: it is what stands in the document's file, as
  /// `version`, so that nothing is left to be saved; otherwise there is as much to be saved as before.
  void reload(Experiment experiment, bool own_file, std::string version = {});
  /// Opens what was never saved: it stays to be saved, to `file` where there is one. The history starts anew.
  void restore(Experiment experiment, std::string file, std::string version = {});

  /// Notes that the experiment now stands in `file`, as `version`. A lesson stays one: what was saved is a copy.
  void mark_saved(std::string file, std::string version = {});

 private:
  /// A document, whatever is done to it.
  struct Document {
    std::uint64_t number = 0;
    std::string file;
    std::string version;
    Experiment saved;
  };
  /// What there is to come back to.
  struct State {
    Experiment experiment;
    std::size_t step = 0;
    Document document;
  };
  /// A document as it is open, with its history.
  struct Opened {
    Experiment experiment;
    Document document;
    ParameterValues options = {};  ///< of the views before this one
    std::vector<State> undo = {};  ///< oldest first
    std::vector<State> redo = {};
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
  Result<void> carry_out(const Action& action);
  /// To be called after everything that is done.
  void note_change();
  /// Makes a lesson the document, at its first step.
  void open_lesson(std::shared_ptr<const Lesson> lesson);
  /// Makes the document under the lesson the open one again.
  void close_lesson();

  Opened opened_;
  std::optional<Opened> under_lesson_;  ///< while one is open
  std::uint64_t documents_ = 0;         ///< opened until now
  double memory_budget_;
  std::shared_ptr<const Lesson> lesson_;
  std::size_t step_ = 0;
  bool modified_ = false;
  std::uint64_t revision_ = 0;
  std::uint64_t gesture_ = 0;  ///< of the last edit
};

}  // namespace attnscope
