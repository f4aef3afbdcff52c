#include "io/base/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <thread>

#include "core/base/stop.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

/// The attributes that a program is started with.
class SpawnActions {
 public:
  /// `output`: a descriptor for its standard output; less than 0: nowhere.
  SpawnActions(const ProgramCall& call, int output) {
    ::posix_spawn_file_actions_init(&actions_);
    // Files first: their names may be relative to where we are.
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, call.input.c_str(), O_RDONLY, 0);
    if (output < 0) {
      ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    } else {
      ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    }
    ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, call.complaints.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0600);
    if (!call.folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions_, call.folder.c_str());
  }
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// A signal can end it, whatever is blocked here.
class SpawnAttributes {
 public:
  SpawnAttributes() {
    ::posix_spawnattr_init(&attributes_);
    ::sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;

  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

tl::unexpected<Error> trouble_with(const ProgramCall& call, int error) {
  return fail(call.words.front() + ": " + std::generic_category().message(error));
}

/// Returns once the process has ended, but before it is reaped: until then no other process can have its number.
void kill_when_stopped(pid_t process, const StopToken& stop) {
  constexpr std::chrono::milliseconds longest_pause{20};
  siginfo_t ended = {};
  for (std::chrono::milliseconds pause{1}; ended.si_pid == 0; pause = std::min(2 * pause, longest_pause)) {
    if (stop.stop_requested()) (void)::kill(process, SIGKILL);
    const int flags = WEXITED | WNOWAIT | (stop.stop_requested() ? 0 : WNOHANG);
    if (::waitid(P_PID, static_cast<id_t>(process), &ended, flags) < 0 && errno != EINTR) return;
    if (ended.si_pid == 0) std::this_thread::sleep_for(pause);
  }
}

/// Its end, and the code that it ended with.
Result<ProgramOutput> run(const ProgramCall& call, int output, const StopToken& stop) {
  if (stop.stop_requested()) return ProgramOutput{ProgramEnd::stopped};
  std::vector<std::string> words = call.words;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const SpawnActions actions(call, output);
  const SpawnAttributes attributes;
  pid_t process = 0;
  const int error =
      ::posix_spawnp(&process, arguments.front(), actions.get(), attributes.get(), arguments.data(), environ);
  if (error == ENOENT) return ProgramOutput{ProgramEnd::missing};
  if (error != 0) return trouble_with(call, error);
  if (stop.stop_possible()) kill_when_stopped(process, stop);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return trouble_with(call, errno);
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (WIFEXITED(status) && code == 0) return ProgramOutput{ProgramEnd::done};
  return ProgramOutput{stop.stop_requested() ? ProgramEnd::stopped : ProgramEnd::failed, code};
}

}  // namespace

Result<ProgramEnd> run_to_end(const ProgramCall& call, const StopToken& stop) {
  return run(call, -1, stop).map([](const ProgramOutput& ran) { return ran.end; });
}

Result<ProgramOutput> run_and_read(const ProgramCall& call, const StopToken& stop) {
  // A file, unlike a pipe, takes any amount without somebody who reads it.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (file == nullptr) return trouble_with(call, errno);
  Result<ProgramOutput> ran = run(call, ::fileno(file.get()), stop);
  if (!ran) return ran;
  std::rewind(file.get());
  std::array<char, 4096> bytes{};
  for (std::size_t read = 0; (read = std::fread(bytes.data(), 1, bytes.size(), file.get())) > 0;)
    ran->output.append(bytes.data(), read);
  return ran;
}

bool has_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  for (const std::string& folder : split(path != nullptr ? path : "/bin:/usr/bin", ':')) {
    const std::filesystem::path program = std::filesystem::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (std::filesystem::is_regular_file(program, error) && ::access(program.c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace attnscope
