// What the program remembers about its user between two starts.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "figure/style/palette.h"

namespace attnscope {

/// The most files that the menu offers to open again.
inline constexpr std::size_t kMaxRecent = 10;

/// How large everything in the window may be, as a share of the usual size.
inline constexpr std::array kWindowSizes = {0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0};

/// Limits of `UserState::pace`.
inline constexpr double kSlowestPace = 0.2;
inline constexpr double kFastestPace = 20;

/// A window as it was closed, in screen coordinates; 0: unknown.
struct ClosedWindow {
  int width = 0;  ///< when it is not maximized
  int height = 0;
  bool maximized = false;

  friend bool operator==(const ClosedWindow&, const ClosedWindow&) = default;
};

struct UserState {
  Theme theme = Theme::dark;        ///< of the window
  std::vector<std::string> recent;  ///< paths of files that were opened or saved, the latest first
  bool start_offers = true;         ///< whether the window begins with offers of what to open
  double size = 1;                  ///< of everything in the window, one of kWindowSizes
  std::string language = "en";      ///< of lessons, where they have it
  double pace = 2;                  ///< moments of a computation that is played, in a second
  ClosedWindow window = {};

  /// Moves that file to the front.
  void add_recent(const std::string& path);

  friend bool operator==(const UserState&, const UserState&) = default;
};

/// The folder of the state: $XDG_CONFIG_HOME/attnscope, or ~/.config/attnscope. Empty if neither variable is set to an
/// absolute path: nothing is kept then.
std::filesystem::path user_folder();

/// A state that was read, and a notice about it; empty: none.
struct ReadUserState {
  UserState state;
  std::string notice;
  bool is_known = false;  ///< the state was stored there
};

/// The state in a folder; the default one if there is none, or no folder, as at the first start. A damaged file is
/// renamed, and the notice says so, or why it cannot be read.
ReadUserState read_user_state(const std::filesystem::path& folder);

/// The state in a folder; nothing where there is none, or none that can be read. Changes nothing there.
std::optional<UserState> stored_user_state(const std::filesystem::path& folder);

/// Writes it in one step, and creates the folder if necessary. Does nothing for an empty folder.
Result<void> write_user_state(const std::filesystem::path& folder, const UserState& state);

}  // namespace attnscope
