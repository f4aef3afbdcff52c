// Bytes that are read on demand. Private to io/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace attnscope {

/// A sequence of bytes that any thread may read at any place. Errors omit the file's name.
class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Fills `out` with the bytes from `offset` on. Fails unless all of them exist.
  virtual Result<void> read(std::uint64_t offset, std::span<char> out) const = 0;
};

/// A regular file (see open_regular) of any size: memory is taken only for what is read.
///
/// The file is read, not mapped: when another program truncates a mapped file, the next access ends this process
/// (SIGBUS), where a read returns an error. The system keeps the same pages in memory for both. Once the file has
/// changed since it was opened, reading fails: old and new bytes never mix. Fails on a file that is being written.
Result<std::shared_ptr<const ByteSource>> open_bytes(const std::filesystem::path& path);

/// Bytes in memory.
std::shared_ptr<const ByteSource> bytes_in_memory(std::string bytes);
std::shared_ptr<const ByteSource> bytes_in_memory(std::unique_ptr<const char[]> bytes, std::uint64_t size);

/// `size` bytes of `whole` from `offset` on; they must exist.
std::shared_ptr<const ByteSource> part_of_bytes(std::shared_ptr<const ByteSource> whole, std::uint64_t offset,
                                                std::uint64_t size);

/// A copy of `size` bytes from `offset` on. The caller has checked the size; fails when memory runs out.
Result<std::string> read_bytes(const ByteSource& source, std::uint64_t offset, std::uint64_t size);

/// The little-endian number of `count` bytes (at most 8) at `at` in `bytes`; they must exist.
std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t count);

/// A number of bytes for messages: "17.4 kB".
std::string size_text(std::uint64_t bytes);

}  // namespace attnscope
