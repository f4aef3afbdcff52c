#include "io/base/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/base/text.h"
#include "io/base/printable.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

Result<void> check_regular(const fs::path& path, const struct stat& status, std::uint64_t max_bytes) {
  if (!S_ISREG(status.st_mode)) return fail_on(path, "is " + file_kind_text(status.st_mode) + ", not a file");
  if (status.st_size > 0 && static_cast<std::uint64_t>(status.st_size) > max_bytes) {
    return fail_on(path, "the file has " + bytes_text(static_cast<double>(status.st_size)) +
                             "; allowed: " + bytes_text(static_cast<double>(max_bytes)));
  }
  return {};
}

}  // namespace

tl::unexpected<Error> fail_on(const fs::path& path, const std::string& trouble) {
  return fail(path_text(path) + ": " + trouble);
}

tl::unexpected<Error> fail_with_errno(const fs::path& path, int error) {
  return fail_on(path, std::generic_category().message(error));
}

std::string file_kind_text(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Result<OpenedFile> open_regular(const fs::path& path, std::uint64_t max_bytes) {
  // Checked before it is opened: opening a pipe may wait, and opening a device may have effects. Checked again
  // afterwards, because it may have been replaced in between.
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return fail_with_errno(path, errno);
  if (const Result<void> regular = check_regular(path, status, max_bytes); !regular)
    return tl::unexpected(regular.error());
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (descriptor.number() < 0 || ::fstat(descriptor.number(), &status) != 0) return fail_with_errno(path, errno);
  if (const Result<void> regular = check_regular(path, status, max_bytes); !regular)
    return tl::unexpected(regular.error());
  return OpenedFile{std::move(descriptor), static_cast<std::uint64_t>(status.st_size)};
}

}  // namespace attnscope
