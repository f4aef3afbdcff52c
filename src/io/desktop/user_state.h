// What the program remembers of its user from one start to the next.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "figure/style/palette.h"

namespace attnscope {

/// Files that the menu offers to open again.
inline constexpr std::size_t kMaxRecent = 10;

struct UserState {
  Theme theme = Theme::dark;        ///< of the window: dark or light
  std::vector<std::string> recent;  ///< paths of files that were opened or saved, the last one first

  /// Puts that file in front.
  void add_recent(const std::string& path);

  friend bool operator==(const UserState&, const UserState&) = default;
};

/// Where it is kept: $XDG_CONFIG_HOME/attnscope, or ~/.config/attnscope. Empty where neither variable is set to an
/// absolute path: nothing is kept then.
std::filesystem::path user_folder();

/// A state as it was read, and what is to be said about that; empty: nothing.
struct ReadUserState {
  UserState state;
  std::string notice;
};

/// The state in a folder; where there is none, or no folder, as at first. A damaged one is put aside under another
/// name, which the notice says.
ReadUserState read_user_state(const std::filesystem::path& folder);

/// Writes it in one step, and the folder where there is none. Does nothing for an empty folder.
Result<void> write_user_state(const std::filesystem::path& folder, const UserState& state);

}  // namespace attnscope
