// Trained models as they come from a hub: a folder with config.json, weights as safetensors, and a tokenizer.
//
// Nothing in a folder is trusted or run: sizes, names and shapes are checked against each other before memory is taken,
// and what cannot be used is refused with one line that names file, field, value and limit.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/experiment/model.h"

namespace attnscope {

/// The model in a folder, or that a file belongs to; see model_folder.h. Its configuration and the shapes of its weights
/// are those of a family that is known. Without a tokenizer that can be read, `Model::tokens` says why.
Result<std::shared_ptr<const Model>> open_model(const std::filesystem::path& path);

/// The picture that a model of pictures has as an example: the file in its folder that `attnscope_example` in its
/// config.json names; nothing if it names none.
std::optional<std::filesystem::path> example_picture(const Model& model);

/// The files that a model was read from; none for a model that is not from a folder.
std::vector<std::string> files_of_model(const Model& model);

}  // namespace attnscope
