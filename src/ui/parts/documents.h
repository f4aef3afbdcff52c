// Leaving, saving and restoring documents. Before edits are lost, the user is asked.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/jobs/file_watch.h"
#include "ui/panels/panels.h"
#include "ui/parts/remembered.h"
#include "ui/parts/shared.h"

namespace attnscope::ui {

class Documents {
 public:
  Documents(Shared& shared, Remembered& remembered, FileWatch& watch)
      : shared_(shared), remembered_(remembered), watch_(watch) {}

  /// What happens after the document is left.
  struct Leaving {
    std::function<void()> then;
    bool lesson_only = false;  ///< the document under the lesson stays open
  };
  /// Does that, or asks first what becomes of unsaved edits.
  void leave(Leaving leaving);
  /// Ends the program, or asks first what becomes of unsaved edits.
  void ask_to_quit();
  [[nodiscard]] bool wants_to_quit() const { return quit_; }

  /// Saves the document to its file, or asks where.
  void save(const std::string& suggestion);
  /// Saves it as the dialog says, or asks first whether the file is to be replaced.
  void save_to(const DialogResult& result);
  void answer_unsaved(const DialogResult& result);

  /// Offers the unsaved work of programs that ended unexpectedly: that of the open file where it was `named`, otherwise
  /// all. The newest is restored at once, unless an earlier attempt did not come to a figure.
  void offer_left_behind(bool named);
  void offer_left_behind_of(const std::string& file);
  void list_left_behind(std::vector<UnsavedEntry> entries);
  void answer_left_behind(const DialogResult& result);

  /// At the end of a frame: keeps unsaved edits, in case the program ends unexpectedly. `is_shown`: the figure on
  /// screen is the open experiment's.
  void finish_frame(bool is_shown);

 private:
  void restore(const UnsavedEntry& entry);

  Shared& shared_;
  Remembered& remembered_;
  FileWatch& watch_;
  std::optional<Leaving> leaving_;  ///< while the user is asked
  bool restoring_ = false;          ///< what was restored has not been shown yet
  bool quit_ = false;
};

}  // namespace attnscope::ui
