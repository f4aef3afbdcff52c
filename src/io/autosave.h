// Work that is not saved, kept in case that the program ends before it is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/experiment.h"

namespace attnscope {

/// One program's unsaved work: a file of its own in the user's folder, which is removed when there is nothing unsaved.
class Autosave {
 public:
  /// An empty folder: nothing is kept.
  explicit Autosave(const std::filesystem::path& folder);
  /// Removes the file: whoever ends in order has asked for what is to be kept.
  ~Autosave();
  Autosave(const Autosave&) = delete;
  Autosave& operator=(const Autosave&) = delete;

  /// Keeps the experiment, which was opened from `file` or is new (empty), unless it is what was kept last. Trouble is
  /// passed over: it must not get in the way of work.
  void keep(const Experiment& experiment, const std::string& file);
  /// There is nothing unsaved.
  void forget();

 private:
  std::filesystem::path path_;  ///< empty: nowhere
  std::optional<Experiment> kept_;
  std::string kept_file_;
};

/// What a program that ended out of order had not saved.
struct LeftBehind {
  Experiment experiment;
  std::string file;  ///< that it was opened from; empty: none
};

/// The newest of what programs left behind that run no longer. Its file becomes this program's own, which no other
/// takes and `Autosave` writes and removes: so that it is there until then, whenever this program ends. Files that
/// cannot be read are put aside. To be called before this program keeps anything: a file that has its name is of an
/// earlier one.
std::optional<LeftBehind> take_left_behind(const std::filesystem::path& folder);

/// Gives the file that `take_left_behind` has taken a name of its own, so that nothing writes over it. Returns that.
std::filesystem::path put_left_behind_aside(const std::filesystem::path& folder);

}  // namespace attnscope
