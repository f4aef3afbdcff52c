// The small models of every family in tests/golden/models.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "io/base/file.h"
#include "io/base/json_value.h"
#include "io/figures/png_picture.h"
#include "io/models/model_file.h"

namespace attnscope::test {

inline const std::filesystem::path kGoldenModels =
    std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "tests/golden/models/data";
inline std::vector<std::string> golden_folders() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kGoldenModels)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

inline std::vector<Index> golden_ids(const nlohmann::json& list) {
  return list.is_null() ? std::vector<Index>{} : list.get<std::vector<Index>>();
}

inline Experiment golden_experiment(const std::filesystem::path& folder) {
  const Result<std::shared_ptr<const Model>> model = open_model(folder);
  if (!model) throw std::runtime_error(model.error().message);
  Experiment experiment = experiment_on_model(*model);
  const nlohmann::json inputs = *parse_json(*read_file(folder / "inputs.json", 1'000'000));
  experiment.text.ids = golden_ids(inputs.at("tokens"));
  experiment.text2.ids = golden_ids(inputs.at("tokens2"));
  if (!inputs.at("picture").is_null())
    experiment.picture = *read_png_picture(folder / inputs.at("picture").get<std::string>());
  return experiment;
}

/// The families of the models.
inline std::vector<std::string> golden_families() {
  std::vector<std::string> names;
  for (const std::string& folder : golden_folders()) {
    if (folder.ends_with("-1")) names.push_back(folder.substr(0, folder.size() - 2));
  }
  return names;
}

/// The name as that of a test.
inline std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

}  // namespace attnscope::test
