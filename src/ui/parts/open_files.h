// Opens files in the background, and reads them again when another program changes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/jobs/file_opener.h"
#include "app/jobs/file_watch.h"
#include "ui/parts/documents.h"

namespace attnscope::ui {

class OpenFiles {
 public:
  OpenFiles(Shared& shared, Documents& documents, Remembered& remembered, FileWatch& watch);

  /// Opens a file of that kind. An error becomes a message, also in the open dialog.
  void open(const std::string& path, FileKind kind);
  /// Opens labels, an experiment, a figure or tensors, and after it each of `more` unless a dialog asks something.
  void open(const std::string& path, const std::vector<std::string>& more);
  /// Reads the document's file again. Undo brings back what was edited here.
  void reload();
  [[nodiscard]] bool can_reload() const;

  /// Applies a file that was read since the last frame.
  void take();
  /// Watches the open files and reads those again that other programs changed.
  void follow();
  [[nodiscard]] bool busy() const { return opener_.busy(); }

 private:
  /// A file that is being read: what for, and the dialog that asked for it.
  struct Opening {
    enum class Why { open, reload, changed } why;
    Dialog dialog;
  };
  void read(FileRequest request, Opening::Why why);
  void reload(const std::string& file, Opening::Why why);
  void reload_changed(const std::string& file);
  void open_waiting();
  void take_source(const std::string& path, ExperimentSource source, const Opening& opening);
  Result<void> take_part(FileContent content);
  void report(const std::string& path, const Opening& opening);
  [[nodiscard]] bool has_tensor_file() const;

  Shared& shared_;
  Documents& documents_;
  Remembered& remembered_;
  FileWatch& watch_;
  std::optional<Opening> opening_;
  std::vector<std::string> waiting_;  ///< files to open after that, the next one first
  std::string followed_file_;
  const ImportedTensors* followed_tensors_ = nullptr;
  std::vector<std::string> changed_;  ///< files to read again
  FileOpener opener_;
};

}  // namespace attnscope::ui
