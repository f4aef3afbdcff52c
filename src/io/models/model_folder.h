// Which files of a folder make a model.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "io/models/shard_index.h"

namespace attnscope {

inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kPreprocessorFile = "preprocessor_config.json";
inline constexpr const char* kShardIndexFile = "model.safetensors.index.json";

struct ModelFolder {
  std::filesystem::path path;     ///< what was opened: the folder of the weights, or one of several weight files in it
  std::filesystem::path weights;  ///< the folder of the weights
  std::filesystem::path config;   ///< the folder of config.json and the tokenizer: the same, or one around it
  ShardIndex shards;              ///< the files of the weights; one without tensors' names: all that it has
  bool indexed = false;           ///< whether there is an index
};

/// The model that `path` belongs to: its folder, or a file in it. All paths are absolute. The weights are
/// model.safetensors, or what model.safetensors.index.json names, or the only other .safetensors; or `path`, if it is
/// one that neither of these is. A folder that has weights but no config.json, such as checkpoints/step-100, has that of
/// the nearest of the two folders around it.
Result<ModelFolder> find_model(const std::filesystem::path& path);

/// Whether `path` is a folder or one of the files that a model's folder has beside its config.json. Only looks at names.
bool belongs_to_model(const std::filesystem::path& path);

}  // namespace attnscope
