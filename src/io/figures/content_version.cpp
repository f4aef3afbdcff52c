#include "io/figures/content_version.h"

#include <system_error>

#include "io/base/file.h"
#include "io/base/sha256.h"
#include "io/experiments/experiment_file.h"

namespace attnscope {

std::string content_version(std::string_view bytes) { return sha256_text(bytes); }

Result<std::string> file_version(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return std::string();
  const Result<std::string> bytes = read_file(path, kMaxExperimentBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  return content_version(*bytes);
}

}  // namespace attnscope
