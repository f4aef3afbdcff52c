#include "io/models/bundled_models.h"

#include <algorithm>
#include <system_error>

#include "core/base/result.h"
#include "io/base/data_files.h"

namespace attnscope {

std::vector<BundledModel> models_in(const std::filesystem::path& folder) {
  std::vector<BundledModel> models;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code unreadable;
    if (std::filesystem::is_regular_file(entry->path() / "config.json", unreadable))
      models.push_back({entry->path().filename().string(), entry->path()});
  }
  std::ranges::sort(models, {}, &BundledModel::name);
  return models;
}

std::vector<BundledModel> bundled_models() {
  const Result<std::filesystem::path> folder = data_file("assets/models");
  return folder ? models_in(*folder) : std::vector<BundledModel>();
}

}  // namespace attnscope
