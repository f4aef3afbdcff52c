// model.safetensors.index.json: which of several files holds which tensor.
//
//   {"metadata": {"total_size": 1234}, "weight_map": {"wte.weight": "model-00001-of-00002.safetensors"}}
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// Bytes of the largest index.
inline constexpr std::uint64_t kMaxIndexBytes = 16'000'000;
/// The most files that a model's weights may be in: each stays open.
inline constexpr std::size_t kMaxShards = 256;

/// The names of the tensors in each file. Files are names in the index's own folder, never paths.
using ShardIndex = std::map<std::string, std::vector<std::string>>;

/// Errors do not name a file.
Result<ShardIndex> parse_shard_index(std::string_view text);

/// The same from a file, which errors name.
Result<ShardIndex> read_shard_index(const std::filesystem::path& file);

}  // namespace attnscope
