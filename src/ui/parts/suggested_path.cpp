#include "ui/parts/suggested_path.h"

#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "io/base/data_files.h"
#include "io/base/paths.h"
#include "io/experiments/experiment_link.h"

namespace attnscope::ui {
namespace {

namespace fs = std::filesystem;

bool may_write_in(const fs::path& folder) { return ::access(folder.c_str(), W_OK) == 0; }

/// Empty: the current one.
fs::path usual_folder(const UiState& state, const UserState& remembered) {
  if (!state.last_folder.empty()) return state.last_folder;
  for (const fs::path each : remembered.recent) {
    if (!is_data_file(each) && may_write_in(each.parent_path())) return each.parent_path();
  }
  std::error_code error;
  const fs::path current = fs::current_path(error);
  const char* home = std::getenv("HOME");
  const bool usable = !error && current != current.root_path() && may_write_in(current);
  return usable || home == nullptr ? fs::path() : fs::path(home);
}

}  // namespace

std::string suggested_stem(const Workspace& workspace, const UiState& state, const UserState& remembered) {
  const fs::path file = workspace.shown_file();
  if (file.empty()) return (usual_folder(state, remembered) / workspace.session().experiment().system).string();
  std::error_code error;
  // The name of a folder may have a point in it: "pythia-1.4b".
  fs::path stem = file;
  if (!fs::is_directory(file, error)) stem.replace_extension();
  return is_data_file(file) ? (usual_folder(state, remembered) / stem.filename()).string() : stem.string();
}

void note_folder(const std::string& path, UiState& state) {
  if (!path.empty() && !is_experiment_link(path) && !is_data_file(path))
    state.last_folder = fs::path(absolute_path(path)).parent_path();
}

}  // namespace attnscope::ui
