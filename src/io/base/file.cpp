#include "io/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <limits>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/memory_size.h"
#include "core/base/text.h"
#include "io/base/descriptor.h"
#include "io/base/printable.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{1} << 18U;  // bytes handed to the system at a time

Result<std::string> read_descriptor(const fs::path& path, int descriptor, std::uint64_t expected,
                                    std::uint64_t max_bytes) {
  std::string bytes;
  std::size_t size = 0;
  // One byte more than expected shows the end of the file without growing.
  bytes.resize(memory_size(expected + 1));
  while (true) {
    const ssize_t got = ::read(descriptor, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_with_errno(path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > max_bytes) return fail_on(path, "the file is over " + bytes_text(static_cast<double>(max_bytes)));
    if (size == bytes.size()) bytes.resize(size + std::max(size, kPiece));
  }
  bytes.resize(size);
  return bytes;
}

/// The file at the end of all links; the last one may point to nothing yet.
fs::path behind_links(fs::path path) {
  constexpr int most_links = 40;  // as in the kernel
  std::error_code error;
  for (int i = 0; i < most_links && fs::is_symlink(fs::symlink_status(path, error)); ++i) {
    const fs::path target = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / target;  // an absolute target replaces all of it
  }
  return path;
}

/// Makes the name of `file` last.
void sync_folder_of(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // The file is complete either way; some file systems cannot do this.
  if (descriptor.number() >= 0) (void)::fsync(descriptor.number());
}

/// `text` as the number in a temporary file's name; −1 if it is not one.
::pid_t name_number(std::string_view text) {
  ::pid_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return whole && text.front() != '-' ? number : -1;
}

constexpr std::string_view kTemporaryPrefix = ".attnscope-";
constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr std::string_view kStagingSuffix = ".frames";

/// The process that made the temporary file or folder of this name, ".attnscope-PROCESS-NUMBER.tmp"; −1 for any other
/// name.
::pid_t writer_of(std::string_view name, std::string_view suffix) {
  if (!name.starts_with(kTemporaryPrefix) || !name.ends_with(suffix)) return -1;
  name.remove_prefix(kTemporaryPrefix.size());
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos || name.size() < dash + 1 + suffix.size()) return -1;
  const std::string_view number = name.substr(dash + 1, name.size() - dash - 1 - suffix.size());
  return name_number(number) < 0 ? -1 : name_number(name.substr(0, dash));
}

/// An unused name of that kind.
std::string temporary_name(std::string_view suffix) {
  static std::atomic<unsigned> count = 0;
  return std::string(kTemporaryPrefix) + std::to_string(::getpid()) + "-" + std::to_string(count++) +
         std::string(suffix);
}

/// Removes the temporary files and folders that programs left in `folder` when they were killed while saving: those of
/// this user, of processes that are gone, and at least an hour old, because the process may run on another machine that
/// shares the folder.
void remove_leftovers(const fs::path& folder) {
  constexpr std::time_t kOldEnough = 3600;  // seconds
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool is_folder = name.ends_with(kStagingSuffix);
    const ::pid_t writer = writer_of(name, is_folder ? kStagingSuffix : kTemporarySuffix);
    if (writer <= 0 || ::kill(writer, 0) == 0 || errno != ESRCH) continue;
    struct stat status = {};
    if (::lstat(entry->path().c_str(), &status) != 0) continue;
    if (status.st_uid != ::geteuid() || std::time(nullptr) - status.st_mtime <= kOldEnough) continue;
    std::error_code stays;  // then the next one tries
    if (is_folder && S_ISDIR(status.st_mode)) fs::remove_all(entry->path(), stays);
    if (!is_folder && S_ISREG(status.st_mode)) ::unlink(entry->path().c_str());
  }
}

std::string descriptor_path(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

/// A new file without a name in `folder`; −1 where the file system has no such files.
int open_nameless([[maybe_unused]] const fs::path& folder) {
#ifdef O_TMPFILE
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  // It gets its name through there.
  if (descriptor < 0 || ::access(descriptor_path(descriptor).c_str(), F_OK) == 0) return descriptor;
  ::close(descriptor);
#endif
  return -1;
}

/// What a new file will replace.
struct Place {
  fs::path target;  ///< after following all links
  bool exists = false;
  struct stat status = {};  ///< if it exists

  [[nodiscard]] fs::path folder() const { return target.has_parent_path() ? target.parent_path() : fs::path("."); }
};

Result<Place> place_of(const fs::path& path) {
  if (path.empty()) return fail("the name of the file to write is empty");
  Place place;
  place.target = behind_links(path);
  place.exists = ::stat(place.target.c_str(), &place.status) == 0;
  if (!place.exists && errno != ENOENT) return fail_with_errno(path, errno);
  if (place.exists && !S_ISREG(place.status.st_mode))
    return fail_on(path, "is " + file_kind_text(place.status.st_mode) + ", not a file");
  if (!place.exists && !place.target.has_filename()) return fail_on(path, "is a folder, not a file");
  // A write-protected file could be replaced, but the protection means that it should not.
  if (place.exists && ::access(place.target.c_str(), W_OK) != 0) return fail_with_errno(path, errno);
  return place;
}

/// Gives the new file the permissions of the existing one.
Result<void> keep_permissions(const fs::path& path, const Place& place, int descriptor) {
  if (!place.exists) return {};
  // The owner first: changing it resets some permissions. Only root can change it; anybody else becomes the owner of a
  // file that they may write, and leaves it to its group as far as they are in it.
  constexpr auto kSameOwner = static_cast<uid_t>(-1);
  mode_t mode = place.status.st_mode & 07777U;
  if (::fchown(descriptor, place.status.st_uid, place.status.st_gid) != 0 &&
      ::fchown(descriptor, kSameOwner, place.status.st_gid) != 0) {
    // What the group may do is not what another group may.
    mode &= ~static_cast<mode_t>(S_IRWXG | S_ISGID);
  }
  if (::fchmod(descriptor, mode) != 0) return fail_with_errno(path, errno);
  return {};
}

Result<void> sync_file(const fs::path& path, int descriptor) {
  if (::fsync(descriptor) != 0 && errno != EINVAL) return fail_with_errno(path, errno);
  return {};
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::uint64_t max_bytes) {
  const Result<OpenedFile> file = open_regular(path, max_bytes);
  if (!file) return tl::unexpected(file.error());
  try {
    return read_descriptor(path, file->descriptor.number(), file->size, max_bytes);
  } catch (const std::bad_alloc&) {
    return fail_on(path, "not enough memory for the " + bytes_text(static_cast<double>(file->size)) + " of the file");
  }
}

Result<AtomicFile> AtomicFile::create(const fs::path& path) {
  AtomicFile file(path);
  if (const Result<void> opened = file.open(); !opened) return tl::unexpected(opened.error());
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      pending_(std::move(other.pending_)),
      size_(other.size_),
      stop_(std::move(other.stop_)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> AtomicFile::open() {
  const Result<Place> place = place_of(path_);
  if (!place) return tl::unexpected(place.error());
  target_ = place->target;
  remove_leftovers(place->folder());
  descriptor_ = open_nameless(place->folder());
  for (int attempt = 0; attempt < 1000 && descriptor_ < 0; ++attempt) {
    const fs::path temporary = place->folder() / temporary_name(kTemporarySuffix);
    descriptor_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      temporary_ = temporary;
    } else if (errno != EEXIST) {
      return fail_with_errno(path_, errno);
    }
  }
  if (descriptor_ < 0) return fail_with_errno(path_, EEXIST);
  return keep_permissions(path_, *place, descriptor_);
}

Result<void> AtomicFile::name() {
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  for (int attempt = 0; attempt < 1000 && temporary_.empty(); ++attempt) {
    const fs::path temporary = folder / temporary_name(kTemporarySuffix);
    if (::linkat(AT_FDCWD, descriptor_path(descriptor_).c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = temporary;
    } else if (errno != EEXIST) {
      return fail_with_errno(path_, errno);
    }
  }
  return temporary_.empty() ? Result<void>(fail_with_errno(path_, EEXIST)) : Result<void>();
}

Result<void> AtomicFile::write(std::string_view bytes) {
  size_ += bytes.size();
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPiece);
    pending_ += piece;
    bytes.remove_prefix(piece.size());
    if (pending_.size() < kPiece) continue;
    if (Result<void> flushed = flush(); !flushed) return flushed;
  }
  return {};
}

Result<void> AtomicFile::flush() {
  if (stop_.stop_requested()) return fail(path_text(path_) + ": stopped before it was done");
  for (std::size_t at = 0; at < pending_.size();) {
    const ssize_t written = ::write(descriptor_, pending_.data() + at, pending_.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_with_errno(path_, errno);
    at += static_cast<std::size_t>(written);
  }
  pending_.clear();
  return {};
}

Result<void> AtomicFile::commit() {
  if (Result<void> flushed = flush(); !flushed) return flushed;
  if (Result<void> synced = sync_file(path_, descriptor_); !synced) return synced;
  if (temporary_.empty()) {
    if (Result<void> named = name(); !named) return named;
  }
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) return fail_with_errno(path_, errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return fail_with_errno(path_, errno);
  temporary_.clear();
  sync_folder_of(target_);
  return {};
}

Result<void> write_file(const fs::path& path, std::string_view bytes) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return tl::unexpected(file.error());
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->commit();
}

namespace {

/// The folders that there are. They outlive the last act of a program that ends.
struct StagingFolders {
  std::mutex mutex;
  std::set<fs::path> paths;
};

StagingFolders& staging_folders() {
  static auto* const folders = new StagingFolders;
  return *folders;
}

}  // namespace

void remove_staging_folders() {
  StagingFolders& folders = staging_folders();
  const std::scoped_lock lock(folders.mutex);
  std::error_code stays;
  for (const fs::path& path : folders.paths) fs::remove_all(path, stays);
}

StagingFolder::StagingFolder(fs::path path, fs::path output) : path_(std::move(path)), output_(std::move(output)) {
  StagingFolders& folders = staging_folders();
  const std::scoped_lock lock(folders.mutex);
  folders.paths.insert(path_);
}

Result<StagingFolder> StagingFolder::create_beside(const fs::path& path) {
  const Result<Place> place = place_of(path);
  if (!place) return tl::unexpected(place.error());
  remove_leftovers(place->folder());
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const fs::path folder = place->folder() / temporary_name(kStagingSuffix);
    if (::mkdir(folder.c_str(), 0700) == 0) return StagingFolder(folder, path);
    if (errno != EEXIST) return fail_with_errno(path, errno);
  }
  return fail_with_errno(path, EEXIST);
}

StagingFolder::~StagingFolder() {
  std::error_code stays;  // then a later one removes it
  if (path_.empty()) return;
  fs::remove_all(path_, stays);
  StagingFolders& folders = staging_folders();
  const std::scoped_lock lock(folders.mutex);
  folders.paths.erase(path_);
}

Result<void> StagingFolder::write(const std::string& name, std::string_view bytes) const {
  const Descriptor file(::open((path_ / name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (file.number() < 0) return fail_with_errno(output_, errno);
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_with_errno(output_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> check_place(const fs::path& path) {
  const Result<Place> place = place_of(path);
  return place ? Result<void>() : tl::unexpected(place.error());
}

Result<void> move_into_place(const fs::path& finished, const fs::path& path) {
  const Result<Place> place = place_of(path);
  if (!place) return tl::unexpected(place.error());
  {
    const Descriptor file(::open(finished.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (file.number() < 0) return fail_with_errno(path, errno);
    if (Result<void> kept = keep_permissions(path, *place, file.number()); !kept) return kept;
    if (Result<void> synced = sync_file(path, file.number()); !synced) return synced;
  }
  if (::rename(finished.c_str(), place->target.c_str()) == 0) {
    sync_folder_of(place->target);
    return {};
  }
  if (errno != EXDEV) return fail_with_errno(path, errno);
  // Another file system: behind a link, or with an output of its own there.
  const Result<OpenedFile> opened = open_regular(finished, std::numeric_limits<std::uint64_t>::max());
  if (!opened) return tl::unexpected(opened.error());
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return tl::unexpected(file.error());
  std::string piece(kPiece, '\0');
  while (true) {
    const ssize_t got = ::read(opened->descriptor.number(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_with_errno(path, errno);
    if (got == 0) return file->commit();
    if (Result<void> written = file->write({piece.data(), static_cast<std::size_t>(got)}); !written) return written;
  }
}

std::string stand_in(std::string_view bytes) {
  if (bytes.starts_with("version https://git-lfs.github.com/spec/")) {
    return "a Git-LFS pointer, not the file itself; \"git lfs pull\" fetches that";
  }
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (begin == std::string_view::npos) return {};
  std::string head(bytes.substr(begin, 16));
  std::transform(head.begin(), head.end(), head.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const std::string_view mark : {"<!doctype html", "<html", "<head"}) {
    if (head.starts_with(mark)) return "an HTML page, not the file itself; the download went wrong";
  }
  return {};
}

}  // namespace attnscope
