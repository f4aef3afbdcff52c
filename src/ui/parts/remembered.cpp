#include "ui/parts/remembered.h"

#include <utility>

namespace attnscope::ui {

Remembered::Remembered(std::filesystem::path folder) : folder_(std::move(folder)) {
  ReadUserState read = read_user_state(folder_);
  state_ = std::move(read.state);
  notice_ = std::move(read.notice);
}

void Remembered::add_recent(const std::string& path) {
  change([&](UserState& state) { state.add_recent(path); });
}

void Remembered::set_theme(Theme theme) {
  change([&](UserState& state) { state.theme = theme; });
}

void Remembered::set_size(double size) {
  change([&](UserState& state) { state.size = size; });
}

void Remembered::set_start_offers(bool shown) {
  change([&](UserState& state) { state.start_offers = shown; });
}

void Remembered::set_language(const std::string& language) {
  change([&](UserState& state) { state.language = language; });
}

void Remembered::set_pace(double pace) {
  change([&](UserState& state) { state.pace = pace; });
}

void Remembered::set_window(const ClosedWindow& window) {
  change([&](UserState& state) { state.window = window; });
}

void Remembered::change(const std::function<void(UserState&)>& set) {
  const UserState before = state_;
  set(state_);
  if (state_ == before || folder_.empty()) return;
  // Another window may have changed something else in the meantime.
  ReadUserState stored = read_user_state(folder_);
  UserState all = stored.is_known ? std::move(stored.state) : state_;
  set(all);
  state_.recent = all.recent;
  static_cast<void>(write_user_state(folder_, all));
}

}  // namespace attnscope::ui
