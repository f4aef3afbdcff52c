#include "ui/parts/remembered.h"

#include <utility>

namespace attnscope::ui {

Remembered::Remembered(std::filesystem::path folder) : folder_(std::move(folder)) {
  ReadUserState read = read_user_state(folder_);
  state_ = std::move(read.state);
  notice_ = std::move(read.notice);
}

void Remembered::add_recent(const std::string& path) {
  UserState next = state_;
  next.add_recent(path);
  change_to(std::move(next));
}

void Remembered::set_theme(Theme theme) {
  UserState next = state_;
  next.theme = theme;
  change_to(std::move(next));
}

void Remembered::set_size(double size) {
  UserState next = state_;
  next.size = size;
  change_to(std::move(next));
}

void Remembered::set_start_offers(bool shown) {
  UserState next = state_;
  next.start_offers = shown;
  change_to(std::move(next));
}

void Remembered::set_language(const std::string& language) {
  UserState next = state_;
  next.language = language;
  change_to(std::move(next));
}

void Remembered::set_pace(double pace) {
  UserState next = state_;
  next.pace = pace;
  change_to(std::move(next));
}

void Remembered::change_to(UserState next) {
  if (next == state_) return;
  state_ = std::move(next);
  static_cast<void>(write_user_state(folder_, state_));
}

}  // namespace attnscope::ui
