#include "app/jobs/ending.h"

#include <pthread.h>

#include <array>
#include <cstdlib>
#include <utility>

namespace attnscope {
namespace {

constexpr std::array<int, 3> kEndings = {SIGTERM, SIGHUP, SIGINT};

/// For the handler of `exit`, which has no argument.
std::atomic<EndingWatch*>& current() {
  static std::atomic<EndingWatch*> watch = nullptr;
  return watch;
}

}  // namespace

EndingWatch::EndingWatch() {
  ::sigemptyset(&signals_);
  for (const int each : kEndings) {
    struct sigaction now = {};
    // nohup ignores SIGHUP, and so must we.
    if (::sigaction(each, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) ::sigaddset(&signals_, each);
  }
  // The thread inherits the blocked signals. SIGUSR2 wakes it at the end.
  ::sigset_t heard = signals_;
  ::sigaddset(&heard, SIGUSR2);
  ::pthread_sigmask(SIG_BLOCK, &heard, &before_);
  thread_ = std::thread([this, heard] { wait(heard); });
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  static const int registered = std::atexit([] {
    if (EndingWatch* const watch = current().exchange(nullptr)) watch->act();
  });
  static_cast<void>(registered);
  current() = this;
}

EndingWatch::~EndingWatch() {
  current() = nullptr;
  over_ = true;
  ::pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void EndingWatch::set_last_act(std::function<void()> act) {
  const std::scoped_lock lock(mutex_);
  act_ = std::move(act);
}

void EndingWatch::act() {
  const std::scoped_lock lock(mutex_);
  if (const std::function<void()> act = std::exchange(act_, {})) act();
}

void EndingWatch::wait(const ::sigset_t& heard) {
  int signal = 0;
  while (::sigwait(&heard, &signal) != 0 || signal == SIGUSR2) {
    if (over_) return;
  }
  act();
  // The process ends by the signal, as its sender expects.
  ::signal(signal, SIG_DFL);
  ::sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
}

}  // namespace attnscope
