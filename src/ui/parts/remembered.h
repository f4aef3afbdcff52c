// What the program remembers of its user, written as soon as it changes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "io/desktop/user_state.h"

namespace attnscope::ui {

/// What cannot be written is lost: it is of no importance.
class Remembered {
 public:
  /// Reads the state in `folder`; an empty folder remembers nothing.
  explicit Remembered(std::filesystem::path folder);

  [[nodiscard]] const UserState& state() const { return state_; }
  /// What went wrong when the state was read; empty: nothing.
  [[nodiscard]] const std::string& notice() const { return notice_; }
  void add_recent(const std::string& path);
  void set_theme(Theme theme);
  void set_size(double size);
  void set_start_offers(bool shown);
  void set_language(const std::string& language);
  void set_pace(double pace);
  void set_window(const ClosedWindow& window);

 private:
  /// Changes one thing, here and in what is stored.
  void change(const std::function<void(UserState&)>& set);

  std::filesystem::path folder_;
  UserState state_;
  std::string notice_;
};

}  // namespace attnscope::ui
