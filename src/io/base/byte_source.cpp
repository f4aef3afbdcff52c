#include "io/base/byte_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <limits>
#include <new>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "core/base/memory_size.h"
#include "core/base/text.h"
#include "io/base/descriptor.h"

namespace attnscope {
namespace {

/// Whether a source of `size` bytes has `count` from `offset` on.
bool within(std::uint64_t size, std::uint64_t offset, std::uint64_t count) {
  return offset <= size && count <= size - offset;
}

tl::unexpected<Error> fail_past_end(std::uint64_t size) {
  return fail("the file ends after " + size_text(size) + ", before the end of the requested bytes");
}

/// Tells one content of a file from another: the system updates the time before it writes to the file or truncates it.
/// A replaced file remains readable for those who have it open.
struct FileState {
  std::uint64_t size = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;

  friend bool operator==(const FileState&, const FileState&) = default;
};

Result<FileState> state_of(const Descriptor& file) {
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) return fail(std::generic_category().message(errno));
  return FileState{static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

/// The current time on the clock of file times, which advances in steps of some milliseconds.
FileState clock_of_files() {
#if defined(CLOCK_REALTIME_COARSE)
  constexpr clockid_t clock = CLOCK_REALTIME_COARSE;
#else
  constexpr clockid_t clock = CLOCK_REALTIME;
#endif
  struct timespec now = {};
  ::clock_gettime(clock, &now);
  return {0, now.tv_sec, now.tv_nsec};
}

/// The state of a file, from which every later change can be told. A file that was written within the current step of
/// the clock could be written again and have the same time.
Result<FileState> settled_state(const Descriptor& file) {
  constexpr int kMaxLooks = 100;
  constexpr std::chrono::milliseconds kBetween{2};
  for (int look = 0; look < kMaxLooks; ++look) {
    const FileState now = clock_of_files();
    Result<FileState> state = state_of(file);
    if (!state) return state;
    const bool before = std::tie(state->seconds, state->nanoseconds) < std::tie(now.seconds, now.nanoseconds);
    // Set by another machine's clock.
    if (before || state->seconds > now.seconds + 1) return state;
    std::this_thread::sleep_for(kBetween);
  }
  return fail("the file is being written");
}

class FileBytes final : public ByteSource {
 public:
  FileBytes(OpenedFile file, const FileState& state) : file_(std::move(file)), state_(state) {}
  [[nodiscard]] std::uint64_t size() const override { return state_.size; }
  Result<void> read(std::uint64_t offset, std::span<char> out) const override {
    if (!within(state_.size, offset, out.size())) return fail_past_end(state_.size);
    while (!out.empty()) {
      const ssize_t got = ::pread(file_.descriptor.number(), out.data(), out.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(std::generic_category().message(errno));
      if (got == 0) return fail("the file has been shortened since it was opened");
      out = out.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    // Checked after reading: any other content that was read had been written before.
    const Result<FileState> state = state_of(file_.descriptor);
    if (!state) return tl::unexpected(state.error());
    if (*state == state_) return {};
    return fail(state->size < state_.size ? "the file has been shortened since it was opened"
                                          : "the file has changed since it was opened");
  }

 private:
  OpenedFile file_;
  FileState state_;
};

class ResidentBytes final : public ByteSource {
 public:
  ResidentBytes(std::shared_ptr<const void> owner, const char* bytes, std::uint64_t size)
      : owner_(std::move(owner)), bytes_(bytes), size_(size) {}
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  Result<void> read(std::uint64_t offset, std::span<char> out) const override {
    if (!within(size_, offset, out.size())) return fail_past_end(size_);
    if (!out.empty()) std::memcpy(out.data(), bytes_ + offset, out.size());
    return {};
  }

 private:
  std::shared_ptr<const void> owner_;
  const char* bytes_;
  std::uint64_t size_;
};

class PartOfBytes final : public ByteSource {
 public:
  PartOfBytes(std::shared_ptr<const ByteSource> whole, std::uint64_t offset, std::uint64_t size)
      : whole_(std::move(whole)), offset_(offset), size_(size) {
    assert(within(whole_->size(), offset_, size_));
  }
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  Result<void> read(std::uint64_t offset, std::span<char> out) const override {
    if (!within(size_, offset, out.size())) return fail_past_end(size_);
    return whole_->read(offset_ + offset, out);
  }

 private:
  std::shared_ptr<const ByteSource> whole_;
  std::uint64_t offset_;
  std::uint64_t size_;
};

}  // namespace

Result<std::shared_ptr<const ByteSource>> open_bytes(const std::filesystem::path& path) {
  Result<OpenedFile> file = open_regular(path, std::numeric_limits<std::uint64_t>::max());
  if (!file) return tl::unexpected(file.error());
  const Result<FileState> state = settled_state(file->descriptor);
  if (!state) return fail_on(path, state.error().message);
  return std::make_shared<const FileBytes>(std::move(*file), *state);
}

std::shared_ptr<const ByteSource> bytes_in_memory(std::string bytes) {
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  return std::make_shared<const ResidentBytes>(owner, owner->data(), owner->size());
}

std::shared_ptr<const ByteSource> bytes_in_memory(std::unique_ptr<const char[]> bytes, std::uint64_t size) {
  const char* where = bytes.get();
  return std::make_shared<const ResidentBytes>(std::shared_ptr<const char[]>(std::move(bytes)), where, size);
}

std::shared_ptr<const ByteSource> part_of_bytes(std::shared_ptr<const ByteSource> whole, std::uint64_t offset,
                                                std::uint64_t size) {
  return std::make_shared<const PartOfBytes>(std::move(whole), offset, size);
}

Result<std::string> read_bytes(const ByteSource& source, std::uint64_t offset, std::uint64_t size) {
  if (!within(source.size(), offset, size)) return fail_past_end(source.size());
  try {
    std::string bytes(memory_size(size), '\0');
    if (const Result<void> read = source.read(offset, bytes); !read) return tl::unexpected(read.error());
    return bytes;
  } catch (const std::bad_alloc&) {
    return fail("not enough memory for " + size_text(size) + " of the file");
  }
}

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  assert(count <= 8 && at + count <= bytes.size());
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = (value << 8U) | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::string size_text(std::uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); }

}  // namespace attnscope
