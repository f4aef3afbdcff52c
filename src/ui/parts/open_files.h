// Opens files in the background, and reloads the open ones when another program changes them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/jobs/file_opener.h"
#include "app/jobs/file_watch.h"
#include "ui/parts/documents.h"

namespace attnscope::ui {

/// Files are read one at a time; a newer request replaces the running one. Errors appear in the status bar, and also in
/// the dialog that asked for the file. Closing that dialog cancels the request.
class OpenFiles {
 public:
  /// A lesson, the file that it was read from, and the dialog that asked for it.
  struct ReadLesson {
    std::shared_ptr<const Lesson> lesson;
    std::string path;
    Dialog dialog = Dialog::none;
  };

  OpenFiles(Shared& shared, Documents& documents, Remembered& remembered, FileWatch& watch);

  /// Opens `path` as a file of that kind.
  void open(const std::string& path, FileKind kind);
  /// Opens the files one after the other; those that follow are dropped with a message if a dialog is open by then.
  void open(std::vector<FileRequest> files);
  /// Puts a checkpoint in place of the open model, and then opens its view, as one step for Undo.
  void open(const OpenCheckpoint& checkpoint);
  /// Reads the document's file again, or that of its tensors. Undo brings the edits back.
  void reload();
  /// Whether the document has such a file.
  [[nodiscard]] bool can_reload() const;

  /// Applies a file that was read since the last frame. Call it once a frame.
  void take();
  /// Watches the files of the open document, reloads what other programs changed, and opens the next waiting file. Call
  /// it once a frame.
  void follow();
  /// A lesson that was read since the last frame, to be opened.
  [[nodiscard]] std::optional<ReadLesson> take_lesson() { return std::exchange(lesson_, std::nullopt); }
  /// Says that it is open, if it is.
  void opened(const ReadLesson& read);
  /// Whether a file is being read.
  [[nodiscard]] bool busy() const { return opener_.busy(); }

 private:
  /// Why a file is being read, and the dialog that was open then.
  struct Opening {
    enum class Why {
      open,     ///< the user opened it
      reload,   ///< the user asked for it again
      changed,  ///< another program changed it
    } why;
    Dialog dialog;
    std::optional<OpenView> view = {};                  ///< to open with a checkpoint
    std::shared_ptr<const Model> instead_of = nullptr;  ///< the model that the checkpoint is for
    std::uint64_t document = 0;                         ///< the one that is reloaded
  };
  void read(FileRequest request, Opening::Why why);
  void reload(const std::string& file, Opening::Why why);
  /// Reloads a file that another program changed; asks for F5 instead if that would replace unsaved edits.
  void reload_changed(const std::string& file);
  void say_changed(const std::string& file);
  /// Whether the document's file, if that is small, has another content than was read.
  static bool is_older(const Session& session);
  void open_waiting();
  /// Makes the experiment of a file that was read the open one.
  void take_source(const std::string& path, ExperimentSource source, const Opening& opening);
  /// Makes labels, a picture or tensors part of the open experiment, or says why they do not fit.
  Result<void> take_part(FileContent content, const Opening& opening);
  /// The same for a checkpoint, and opens its view.
  Result<void> take_checkpoint(const std::shared_ptr<const Model>& model, const Opening& opening);
  /// Says that the file is open, and closes the dialog that asked for it.
  void report(const std::string& path, const Opening& opening);
  [[nodiscard]] bool has_tensor_file() const;

  Shared& shared_;
  Documents& documents_;
  Remembered& remembered_;
  FileWatch& watch_;
  std::optional<Opening> opening_;  ///< while a file is being read
  std::optional<ReadLesson> lesson_;
  std::vector<FileRequest> waiting_;  ///< files to open after it, the next one first
  std::string followed_file_;         ///< what `watch_` watches: the document's file, and its tensors'
  const ImportedTensors* followed_tensors_ = nullptr;
  std::vector<std::string> changed_;  ///< files to reload, the next one first
  FileOpener opener_;
};

}  // namespace attnscope::ui
