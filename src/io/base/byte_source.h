// Bytes that are read where they are wanted. Private to io/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace attnscope {

/// So many bytes, read at any place by any thread. Errors are without the file's name.
class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Fills `out` with the bytes from `offset` on. Fails where not all of them are there.
  virtual Result<void> read(std::uint64_t offset, std::span<char> out) const = 0;
};

/// A regular file (see open_regular), which may be of any size: memory is taken for what is read only.
///
/// It is read and not mapped. Of a mapping, what another program cuts off while it is looked at ends this one (SIGBUS);
/// a read says that it is gone. The system keeps the same pages in memory for both. Once the file has changed in any
/// way since it was opened, reading fails, so that old bytes and new ones are never mixed. Fails on a file that is
/// being written.
Result<std::shared_ptr<const ByteSource>> open_bytes(const std::filesystem::path& path);

/// Bytes in memory.
std::shared_ptr<const ByteSource> bytes_in_memory(std::string bytes);
std::shared_ptr<const ByteSource> bytes_in_memory(std::unique_ptr<const char[]> bytes, std::uint64_t size);

/// `size` bytes of `whole` from `offset` on, which it has.
std::shared_ptr<const ByteSource> part_of_bytes(std::shared_ptr<const ByteSource> whole, std::uint64_t offset,
                                                std::uint64_t size);

/// `size` bytes from `offset` on in memory of their own: a number that has been checked. Fails where memory ends.
Result<std::string> read_bytes(const ByteSource& source, std::uint64_t offset, std::uint64_t size);

/// The little-endian number of `count` bytes (at most 8) at `at` of `bytes`, which has them.
std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t count);

/// "17.4 kB" of a number of bytes.
std::string size_text(std::uint64_t bytes);

}  // namespace attnscope
