// Disks that are full and folders that cannot be written to, for tests of what happens then.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "support/temporary_folder.h"

namespace attnscope::test {

/// What `work` returns, run in a process of its own: nothing too. When that ends in any other way, it says so.
inline std::optional<std::string> in_own_process(const std::function<std::optional<std::string>()>& work) {
  constexpr int kNothing = 77;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "no pipe";
  const ::pid_t child = ::fork();
  if (child == 0) {
    const std::optional<std::string> said = work();
    for (std::size_t at = 0; said && at < said->size();) {
      const ssize_t written = ::write(ends[1], said->data() + at, said->size() - at);
      if (written < 0) ::_exit(1);
      at += static_cast<std::size_t>(written);
    }
    ::_exit(said ? 0 : kNothing);
  }
  ::close(ends[1]);
  std::string said;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t got = ::read(ends[0], buffer.data(), buffer.size());
    if (got <= 0) break;
    said.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNothing) return std::nullopt;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) said += "; the process ended with " + std::to_string(status);
  return said;
}

/// Makes `folder` a file system of that many bytes, in memory, which only this process and its children see. False
/// where the system does not let users do so.
inline bool mount_small_disk(const std::filesystem::path& folder, int bytes) {
  const auto write = [](const char* path, const std::string& text) {
    const int descriptor = ::open(path, O_WRONLY | O_CLOEXEC);
    const bool written =
        descriptor >= 0 && ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (descriptor >= 0) ::close(descriptor);
    return written;
  };
  const std::string user = std::to_string(::geteuid());
  const std::string group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  const bool mapped = write("/proc/self/setgroups", "deny") && write("/proc/self/uid_map", "0 " + user + " 1") &&
                      write("/proc/self/gid_map", "0 " + group + " 1");
  const std::string options = "mode=755,size=" + std::to_string(bytes);
  return mapped && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
}

/// Of what `mount_small_disk` made: from now on nothing in it can be changed.
inline bool make_read_only(const std::filesystem::path& folder) {
  return ::mount(nullptr, folder.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0;
}

/// Takes up all the room that is left on the disk of `folder`, with the file "filler".
inline void fill_disk(const std::filesystem::path& folder) {
  const int descriptor = ::open((folder / "filler").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string piece(4096, 'f');
  while (::write(descriptor, piece.data(), piece.size()) > 0) {
  }
  ::close(descriptor);
}

/// While it lives, root is a user like any other, whom the permissions of files stop; other users are already.
class WithoutPrivilege {
 public:
  WithoutPrivilege() : was_root_(::geteuid() == 0) {
    // Root stays what the process can go back to.
    if (was_root_ && ::setresuid(kNobody, kNobody, 0) != 0) throw std::runtime_error("root cannot step down");
  }
  ~WithoutPrivilege() {
    if (was_root_ && ::setresuid(0, 0, 0) != 0) ADD_FAILURE() << "root cannot come back";
  }
  WithoutPrivilege(const WithoutPrivilege&) = delete;
  WithoutPrivilege& operator=(const WithoutPrivilege&) = delete;

  static constexpr ::uid_t kNobody = 65534;

 private:
  bool was_root_;
};

/// A folder whose content this process may read and, without privilege, not change, for as long as it lives.
class ProtectedFolder {
 public:
  explicit ProtectedFolder(std::filesystem::path path) : path_(std::move(path)) { allow(0555); }
  ~ProtectedFolder() { allow(0755); }
  ProtectedFolder(const ProtectedFolder&) = delete;
  ProtectedFolder& operator=(const ProtectedFolder&) = delete;

 private:
  void allow(int mode) const {
    std::error_code error;
    std::filesystem::permissions(path_, std::filesystem::perms(mode), error);
  }
  std::filesystem::path path_;
};

}  // namespace attnscope::test
