// The models that come with attnscope.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace attnscope {

struct BundledModel {
  std::string name;
  std::filesystem::path folder;
  std::string summary;  ///< the first sentence of its card, README.md; empty: it has none
};

/// By name; none if their folder is missing.
std::vector<BundledModel> bundled_models();
/// The same for one folder: the folders in it that have a config.json.
std::vector<BundledModel> models_in(const std::filesystem::path& folder);

}  // namespace attnscope
