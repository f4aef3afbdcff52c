// The open experiment and its history.
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

/// The document: an experiment, its file and its history. A lesson is a second document on top of the user's until it
/// is closed. An edit that is refused changes nothing.
class Session {
 public:
  /// Starts with a validated experiment; `file` is where it came from, or empty, and `version` its `content_version`.
  explicit Session(Experiment experiment, std::string file = {}, double memory_budget = kDefaultMemoryBudget,
                   std::string version = {});

  [[nodiscard]] const Experiment& experiment() const { return opened_.experiment; }
  /// Where Save writes; empty when it has never been saved, and for a lesson.
  [[nodiscard]] const std::string& file() const { return opened_.document.file; }
  /// The content version of that file when it was last read or written here.
  [[nodiscard]] const std::string& version() const { return opened_.document.version; }
  /// A number of its own for every document, lessons included.
  [[nodiscard]] std::uint64_t document() const { return opened_.document.number; }
  /// Whether there are unsaved edits. Choosing a view is not an edit.
  [[nodiscard]] bool modified() const { return modified_; }
  /// Changes with every change of the session: while it stays the same, so does everything here.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }
  [[nodiscard]] bool can_undo() const { return !opened_.undo.empty(); }
  [[nodiscard]] bool can_redo() const { return !opened_.redo.empty(); }

  /// The open lesson, or null.
  [[nodiscard]] const Lesson* lesson() const { return lesson_.get(); }
  [[nodiscard]] const std::shared_ptr<const Lesson>& shared_lesson() const { return lesson_; }
  /// Its current step, counted from 0. Undo can go back to the previous step.
  [[nodiscard]] std::size_t lesson_step() const { return step_; }
  /// Whether the experiment or its view differs from that of the current step.
  [[nodiscard]] bool away_from_lesson() const {
    return lesson_ != nullptr && experiment() != lesson_->steps[step_].experiment;
  }

  /// Applies an edit if its result can be computed and shown. The error is one line for the user.
  Result<void> apply(const Action& action);

  /// The document under the open lesson, if it has unsaved edits.
  struct Covered {
    const Experiment& experiment;
    const std::string& file;
    const std::string& version;
    std::uint64_t document;
  };
  [[nodiscard]] std::optional<Covered> unsaved_under_lesson() const;

  /// Replaces the document, as on File > Open, and closes the lesson. Undo restores the last document and its file.
  void open(Experiment experiment, std::string file, std::string version = {});
  /// Replaces the experiment after its files changed. `own_file`: it was read from the document's file, as `version`,
  /// and nothing is unsaved; otherwise unsaved edits stay unsaved.
  void reload(Experiment experiment, bool own_file, std::string version = {});
  /// Opens unsaved work, to be saved to `file` if it has one, with an empty history.
  void restore(Experiment experiment, std::string file, std::string version = {});

  /// Notes that the experiment was saved to `file`, as `version`. A lesson stays open: the file has a copy.
  void mark_saved(std::string file, std::string version = {});

 private:
  /// What identifies a document through all edits.
  struct Document {
    std::uint64_t number = 0;
    std::string file;
    std::string version;
    Experiment saved;
  };
  /// A step of the history.
  struct State {
    Experiment experiment;
    std::size_t step = 0;
    Document document;
  };
  /// An open document with its history.
  struct Opened {
    Experiment experiment;
    Document document;
    ParameterValues options = {};  ///< of views that were open before
    std::vector<State> undo = {};  ///< oldest first
    std::vector<State> redo = {};
  };

  /// The experiment after an edit other than Undo and Redo.
  [[nodiscard]] Result<Experiment> edited(const Action& action) const;
  /// Drops edited numbers and heads that `edit` leaves without a place; fails where `next` cannot be computed or shown.
  Result<void> fit_and_validate(const Edit& edit, Experiment& next) const;
  /// The experiment that the edit applies to. During a drag that changes sizes, that is the one before the drag: a mask
  /// or edited numbers that do not fit on the way are there again at the end.
  [[nodiscard]] Experiment edited_from(const Action& action) const;
  /// The options of this view, and of earlier views where this one has none of that name: a head that is selected in
  /// one view is selected in all.
  [[nodiscard]] ParameterValues kept_options() const;
  /// Adds a step to the history.
  void remember(State before);
  void step_back(std::vector<State>& from, std::vector<State>& to);
  Result<void> carry_out(const Action& action);
  /// To be called after every change.
  void note_change();
  /// Opens a lesson at its first step.
  void open_lesson(std::shared_ptr<const Lesson> lesson);
  /// Returns to the document under the lesson.
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
