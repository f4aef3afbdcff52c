// config.json of a model, as the families of models read it; and preprocessor_config.json, which is alike.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/base/result.h"
#include "core/experiment/model.h"

namespace attnscope {

/// Bytes of the largest configuration file.
inline constexpr std::uint64_t kMaxConfigBytes = 1'000'000;

/// The fields of a configuration file, those of nested objects by dotted names. Null, empty objects, empty lists and
/// lists of anything but numbers or texts are left out. Errors do not name a file.
Result<ModelConfig> parse_model_config(std::string_view text);

/// The same from a file, which errors name.
Result<ModelConfig> read_model_config(const std::filesystem::path& file);

/// The id of the token that starts a decoder. Errors do not name a file.
Result<Index> decoder_start_id(const ModelConfig& config);

}  // namespace attnscope
