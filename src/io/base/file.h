// Files: read as a whole with a limit, written completely or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/base/stop.h"

namespace attnscope {

/// The bytes of a regular file of at most `max_bytes`. Folders, pipes, sockets and devices are refused without opening
/// them: reading one could wait or never end. The size is checked before memory is taken, and again while reading,
/// since files grow. Errors are one line that begins with the file's name.
Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t max_bytes);

/// A file under construction. Its bytes collect in a temporary file in the same folder, and `commit` puts that in place
/// in one step: whatever fails, and whenever the program ends, either the old file or the new one is there. Where the
/// file system can do it, the temporary file has no name before `commit` and leaves nothing behind. Elsewhere it is
/// removed if `commit` is not called; one left by a killed program is removed by a later save in the same folder.
///
/// A symbolic link stays, and its target is written. The permissions of an existing file are kept.
class AtomicFile {
 public:
  /// Fails where `path` is a folder or a device, or cannot be written.
  static Result<AtomicFile> create(const std::filesystem::path& path);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Nothing more is written once that token says so: `write` and `commit` fail then.
  void stop_with(StopToken stop) { stop_ = std::move(stop); }
  /// Appends `bytes`. Small pieces are buffered: callers need not.
  Result<void> write(std::string_view bytes);
  /// Puts the file in place once it is safely on disk. Nothing may be done with it afterwards.
  Result<void> commit();
  /// Bytes written so far.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The name for messages, as it was given.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit AtomicFile(std::filesystem::path path) : path_(std::move(path)) {}
  Result<void> open();
  /// Names a temporary file that has no name.
  Result<void> name();
  Result<void> flush();

  std::filesystem::path path_;       // as given
  std::filesystem::path target_;     // after following all links
  std::filesystem::path temporary_;  // empty: it has no name, or none any more
  int descriptor_ = -1;
  std::string pending_;
  std::uint64_t size_ = 0;
  StopToken stop_;
};

/// Replaces the content of `path` by `bytes` in one step; see AtomicFile.
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes);

/// A temporary folder next to a file that is going to be written, for what it takes to make it. The folder and its
/// contents are removed at the end, or by a later one in the same place if the program was killed.
class StagingFolder {
 public:
  /// Fails, naming `path`, if that cannot be written.
  static Result<StagingFolder> create_beside(const std::filesystem::path& path);

  StagingFolder(StagingFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), output_(std::move(other.output_)) {}
  StagingFolder& operator=(StagingFolder&&) = delete;
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;
  ~StagingFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Creates a new file of that name in the folder. Errors name the file that is going to be written.
  [[nodiscard]] Result<void> write(const std::string& name, std::string_view bytes) const;

 private:
  StagingFolder(std::filesystem::path path, std::filesystem::path output);

  std::filesystem::path path_;    // empty: nothing to remove
  std::filesystem::path output_;  // what it stands beside, as given
};

/// Removes the folders of all StagingFolders that there are, for the last moment of a program that has to end.
void remove_staging_folders();

/// Whether a file could replace `path`, as far as that is known without making one: it is no folder, and not
/// write-protected.
Result<void> check_place(const std::filesystem::path& path);

/// Moves a finished file to `path` in one step, as AtomicFile does: links stay, and so do the permissions of an
/// existing file. A file on another file system is copied and stays.
Result<void> move_into_place(const std::filesystem::path& finished, const std::filesystem::path& path);

/// What a failed download left instead of a file, judged by its `bytes`: "a Git-LFS pointer, …", "an HTML page, …".
/// Empty if it is neither.
std::string stand_in(std::string_view bytes);

}  // namespace attnscope
