#include "io/byte_source.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <system_error>
#include <utility>

#include "core/text.h"
#include "io/descriptor.h"

namespace attnscope {
namespace {

/// Whether a source of `size` bytes has `count` from `offset` on.
bool within(std::uint64_t size, std::uint64_t offset, std::uint64_t count) {
  return offset <= size && count <= size - offset;
}

tl::unexpected<Error> fail_past_end(std::uint64_t size) {
  return fail("the file ends after " + size_text(size) + ", before what is read there");
}

class FileBytes final : public ByteSource {
 public:
  explicit FileBytes(OpenedFile file) : file_(std::move(file)) {}
  [[nodiscard]] std::uint64_t size() const override { return file_.size; }
  Result<void> read(std::uint64_t offset, std::span<char> out) const override {
    if (!within(file_.size, offset, out.size())) return fail_past_end(file_.size);
    while (!out.empty()) {
      const ssize_t got = ::pread(file_.descriptor.number(), out.data(), out.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(std::generic_category().message(errno));
      if (got == 0) return fail("the file has become shorter since it was opened");
      out = out.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return {};
  }

 private:
  OpenedFile file_;
};

class HeldBytes final : public ByteSource {
 public:
  HeldBytes(std::shared_ptr<const void> owner, const char* bytes, std::uint64_t size)
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
  return std::make_shared<const FileBytes>(std::move(*file));
}

std::shared_ptr<const ByteSource> held_bytes(std::string bytes) {
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  return std::make_shared<const HeldBytes>(owner, owner->data(), owner->size());
}

std::shared_ptr<const ByteSource> held_bytes(std::unique_ptr<const char[]> bytes, std::uint64_t size) {
  const char* where = bytes.get();
  return std::make_shared<const HeldBytes>(std::shared_ptr<const char[]>(std::move(bytes)), where, size);
}

std::shared_ptr<const ByteSource> part_of_bytes(std::shared_ptr<const ByteSource> whole, std::uint64_t offset,
                                                std::uint64_t size) {
  return std::make_shared<const PartOfBytes>(std::move(whole), offset, size);
}

Result<std::string> read_bytes(const ByteSource& source, std::uint64_t offset, std::uint64_t size) {
  if (!within(source.size(), offset, size)) return fail_past_end(source.size());
  try {
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (const Result<void> read = source.read(offset, bytes); !read) return tl::unexpected(read.error());
    return bytes;
  } catch (const std::bad_alloc&) {
    return fail("no memory is left for " + size_text(size) + " of the file");
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
