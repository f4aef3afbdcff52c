#include "io/figures/content_version.h"

#include <glib.h>

#include <memory>
#include <system_error>

#include "io/base/file.h"
#include "io/experiments/experiment_file.h"

namespace attnscope {

std::string content_version(std::string_view bytes) {
  const std::unique_ptr<GChecksum, decltype(&g_checksum_free)> sum(g_checksum_new(G_CHECKSUM_SHA256), &g_checksum_free);
  g_checksum_update(sum.get(), reinterpret_cast<const guchar*>(bytes.data()), static_cast<gssize>(bytes.size()));
  return g_checksum_get_string(sum.get());
}

Result<std::string> file_version(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return std::string();
  const Result<std::string> bytes = read_file(path, kMaxExperimentBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  return content_version(*bytes);
}

}  // namespace attnscope
