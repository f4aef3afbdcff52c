#include "io/clipboard.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "io/printable.h"

namespace attnscope {
namespace {

/// What a program is started with: the picture comes from its standard input, and nobody reads what it says.
class SpawnActions {
 public:
  explicit SpawnActions(const std::filesystem::path& input) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// Runs a program to its end; false where there is none of that name.
Result<bool> run_to_end(std::vector<std::string> words, const std::filesystem::path& input) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const SpawnActions actions(input);
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, arguments.front(), actions.get(), nullptr, arguments.data(), environ);
  if (error == ENOENT) return false;
  if (error != 0) return fail(words.front() + ": " + std::generic_category().message(error));
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return fail(words.front() + ": " + std::generic_category().message(errno));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  return fail(words.front() + " did not take the picture " + path_text(input));
}

}  // namespace

Result<bool> copy_png_to_clipboard(const std::filesystem::path& png) {
  if (is_set("WAYLAND_DISPLAY")) {
    Result<bool> copied = run_to_end({"wl-copy", "--type", "image/png"}, png);
    if (!copied || *copied) return copied;
  }
  if (!is_set("DISPLAY")) return false;
  return run_to_end({"xclip", "-selection", "clipboard", "-t", "image/png", "-i"}, png);
}

}  // namespace attnscope
