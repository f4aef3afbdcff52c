// Asks for a file with a dialog of the desktop: its portal, or the program zenity or kdialog.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"

namespace attnscope {

/// Files that the dialog lists.
struct FileFilter {
  std::string name;                   ///< "Experiments"
  std::vector<std::string> patterns;  ///< "*.json"
};

struct FileQuestion {
  bool saves = false;    ///< asks for a file to write; the dialog asks itself before it returns one that exists
  bool folder = false;   ///< asks for a folder to open
  bool several = false;  ///< more than one file may be chosen; only where files are opened
  std::string title;
  std::string confirm;  ///< on the button: "Open"
  /// Folder and name to start with, absolute. Where files are opened, a folder alone ends in a slash.
  std::filesystem::path start = {};
  std::vector<FileFilter> filters = {};  ///< the first one is active; empty: all files
  std::string parent_window = {};        ///< "x11:1a2b", the window in front of which the dialog stays; may be empty
};

/// The chosen files, absolute; empty: the user cancelled.
using ChosenFiles = std::vector<std::filesystem::path>;

/// Which dialog asks; `automatic` is the first of the three that works here. `own` is the program's own text field.
enum class FileDialogKind { automatic, portal, zenity, kdialog, own };

/// One of the names above; nothing for another one.
std::optional<FileDialogKind> parse_file_dialog(std::string_view name);

/// What $ATTNSCOPE_FILE_DIALOG says, automatic where it is not set. The error names the allowed values.
Result<FileDialogKind> file_dialog_from_environment();

/// Shows the dialog and waits for the answer; a stop closes the dialog and counts as cancelled. Blocks: call it from a
/// background thread. Nothing where there is no such dialog; an error, one line, where the dialog broke off.
Result<std::optional<ChosenFiles>> ask_for_files(FileDialogKind kind, const FileQuestion& question,
                                                 const StopToken& stop);

}  // namespace attnscope
