// Files: read whole and bounded, written so that there is never half of one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"

namespace attnscope {

/// The bytes of a regular file of at most `max_bytes`. Folders, pipes, sockets and devices are refused without being
/// opened, so that this neither waits nor runs without end; the size is checked before memory is taken, and again while
/// reading, since files grow. Errors are one line that begins with the file's name.
Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t max_bytes);

/// A file under construction: its bytes collect in a temporary file beside it, and `commit` puts that in its place in
/// one step. Whatever fails, and whenever the program ends, there is the old file or the new one. The temporary file
/// has no name before `commit`, so that nothing is left of it, where the file system can do that; otherwise it is
/// removed without `commit`, and one that stayed because the program was killed by a later file in the same folder.
///
/// A symbolic link stays, and what it points to is written. The permissions of a file that was there before are kept.
class AtomicFile {
 public:
  /// Fails where `path` is a folder or a device, or cannot be written.
  static Result<AtomicFile> create(const std::filesystem::path& path);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Appends `bytes`. Small pieces are collected, so that callers need not.
  Result<void> write(std::string_view bytes);
  /// Puts the file in its place, once it is safely on the disk. The last thing done to it.
  Result<void> commit();
  /// Bytes written so far.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The name in messages, as it was given.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit AtomicFile(std::filesystem::path path) : path_(std::move(path)) {}
  Result<void> open();
  /// Gives a temporary file without a name one.
  Result<void> name();
  Result<void> flush();

  std::filesystem::path path_;       // as given
  std::filesystem::path target_;     // behind all links
  std::filesystem::path temporary_;  // empty: it has no name, or none any more
  int descriptor_ = -1;
  std::string pending_;
  std::uint64_t size_ = 0;
};

/// Makes `bytes` the content of `path`, in one step; see AtomicFile.
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes);

/// A folder of our own beside a file that is to be written, for what it takes to make that: removed at the end with all
/// that is in it, or by a later one in the same place if the program was killed.
class StagingFolder {
 public:
  /// Fails where `path` cannot be written, naming it.
  static Result<StagingFolder> create_beside(const std::filesystem::path& path);

  StagingFolder(StagingFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  StagingFolder& operator=(StagingFolder&&) = delete;
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;
  ~StagingFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Makes a new file of that name in it.
  [[nodiscard]] Result<void> write(const std::string& name, std::string_view bytes) const;

 private:
  explicit StagingFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;  // empty: nothing to remove
};

/// Whether a file could take the place of `path`, as far as is known without making one: it is no folder, and not
/// write-protected.
Result<void> check_place(const std::filesystem::path& path);

/// Puts a finished file in the place of `path` in one step, as AtomicFile does: links stay, and the permissions of what
/// was there. From another file system it is copied, and stays.
Result<void> move_into_place(const std::filesystem::path& finished, const std::filesystem::path& path);

/// What `bytes` are when a download left something else in place of a file: "a Git-LFS pointer, …", "an HTML page, …".
/// Empty when they are neither.
std::string stand_in(std::string_view bytes);

}  // namespace attnscope
