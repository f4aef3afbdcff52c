#include "io/file.h"

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
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "core/text.h"
#include "io/descriptor.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{1} << 18U;  // bytes handed to the system at a time

Result<std::string> read_descriptor(const fs::path& path, int descriptor, std::uint64_t expected,
                                    std::uint64_t max_bytes) {
  std::string bytes;
  std::size_t size = 0;
  // One byte more than expected shows the end of the file without growing.
  bytes.resize(static_cast<std::size_t>(expected) + 1);
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

/// The file behind all links, the last of which may point to nothing yet.
fs::path behind_links(fs::path path) {
  constexpr int most_links = 40;  // as the kernel
  std::error_code error;
  for (int i = 0; i < most_links && fs::is_symlink(fs::symlink_status(path, error)); ++i) {
    const fs::path target = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / target;  // an absolute target replaces all of it
  }
  return path;
}

void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // The file is complete either way; some file systems cannot do this.
  if (descriptor.number() >= 0) (void)::fsync(descriptor.number());
}

/// The whole of `text` as a number of a temporary file's name; −1 where it is none.
::pid_t name_number(std::string_view text) {
  ::pid_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return whole && text.front() != '-' ? number : -1;
}

constexpr std::string_view kTemporaryPrefix = ".attnscope-";
constexpr std::string_view kTemporarySuffix = ".tmp";

/// The process that wrote the temporary file of this name, ".attnscope-PROCESS-NUMBER.tmp"; −1 for every other name.
::pid_t writer_of(std::string_view name) {
  if (!name.starts_with(kTemporaryPrefix) || !name.ends_with(kTemporarySuffix)) return -1;
  name.remove_prefix(kTemporaryPrefix.size());
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos || name.size() < dash + 1 + kTemporarySuffix.size()) return -1;
  const std::string_view number = name.substr(dash + 1, name.size() - dash - 1 - kTemporarySuffix.size());
  return name_number(number) < 0 ? -1 : name_number(name.substr(0, dash));
}

/// Removes the temporary files that programs left in `folder` when they were killed while saving: of this user, of
/// processes that are gone, and an hour old, for the process may run on another machine that shares the folder.
void remove_leftovers(const fs::path& folder) {
  constexpr std::time_t kOldEnough = 3600;  // seconds
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const ::pid_t writer = writer_of(entry->path().filename().native());
    if (writer <= 0 || ::kill(writer, 0) == 0 || errno != ESRCH) continue;
    struct stat status = {};
    if (::lstat(entry->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (status.st_uid == ::geteuid() && std::time(nullptr) - status.st_mtime > kOldEnough)
      ::unlink(entry->path().c_str());
  }
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::uint64_t max_bytes) {
  const Result<OpenedFile> file = open_regular(path, max_bytes);
  if (!file) return tl::unexpected(file.error());
  try {
    return read_descriptor(path, file->descriptor.number(), file->size, max_bytes);
  } catch (const std::bad_alloc&) {
    return fail_on(path, "no memory is left for the " + bytes_text(static_cast<double>(file->size)) + " of the file");
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
      size_(other.size_) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> AtomicFile::open() {
  if (path_.empty()) return fail("the name of the file to write is empty");
  target_ = behind_links(path_);
  struct stat status = {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) return fail_with_errno(path_, errno);
  if (exists && !S_ISREG(status.st_mode))
    return fail_on(path_, "is " + file_kind_text(status.st_mode) + ", not a file");
  if (!exists && !target_.has_filename()) return fail_on(path_, "is a folder, not a file");
  // A new file could take the place of a write-protected one; that is not what the protection means.
  if (exists && ::access(target_.c_str(), W_OK) != 0) return fail_with_errno(path_, errno);

  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  remove_leftovers(folder);
  static std::atomic<unsigned> count = 0;
  for (int attempt = 0; attempt < 1000 && descriptor_ < 0; ++attempt) {
    std::string name(kTemporaryPrefix);
    name += std::to_string(::getpid()) + "-" + std::to_string(count++);
    const fs::path temporary = folder / name.append(kTemporarySuffix);
    descriptor_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      temporary_ = temporary;
    } else if (errno != EEXIST) {
      return fail_with_errno(path_, errno);
    }
  }
  if (descriptor_ < 0) return fail_with_errno(path_, EEXIST);
  if (exists) {
    // The owner first: changing it resets some permissions. Only root can change it; for everybody else a file that
    // they may write becomes their own.
    [[maybe_unused]] const int owned = ::fchown(descriptor_, status.st_uid, status.st_gid);
    if (::fchmod(descriptor_, status.st_mode & 07777U) != 0) return fail_with_errno(path_, errno);
  }
  return {};
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
  if (::fsync(descriptor_) != 0 && errno != EINVAL) return fail_with_errno(path_, errno);
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) return fail_with_errno(path_, errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return fail_with_errno(path_, errno);
  temporary_.clear();
  sync_folder(target_.has_parent_path() ? target_.parent_path() : fs::path("."));
  return {};
}

Result<void> write_file(const fs::path& path, std::string_view bytes) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return tl::unexpected(file.error());
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->commit();
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
