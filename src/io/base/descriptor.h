// Open files and their descriptors. Private to io/.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace attnscope {

/// A message that begins with the file's name.
tl::unexpected<Error> fail_on(const std::filesystem::path& path, const std::string& trouble);
/// The same with the system's message for `error`.
tl::unexpected<Error> fail_with_errno(const std::filesystem::path& path, int error);

/// What exists in the place of a file: "a folder", "a pipe", ….
std::string file_kind_text(mode_t mode);

/// An open file, closed by the destructor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// A file opened for reading, and its size at that time.
struct OpenedFile {
  Descriptor descriptor;
  std::uint64_t size = 0;
};

/// Opens a regular file of at most `max_bytes`. Folders, pipes, sockets and devices are refused without opening them.
Result<OpenedFile> open_regular(const std::filesystem::path& path, std::uint64_t max_bytes);

}  // namespace attnscope
