// The model of an experiment and what it reads, in the experiment's file.
//
//   "model": "../models/story", "text": "…", "text2": "…"       or "tokens": [1, 2], "tokens2": [3] where ids were given
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/experiment/experiment.h"

namespace attnscope {

/// Reads the members of `document` that belong to a model, whose path is relative to `folder`.
Result<void> read_model_json(const nlohmann::json& document, const std::filesystem::path& folder,
                             Experiment& experiment);

/// Writes those of `experiment`, which must have a model; `path` is that of its folder, as it is written.
void write_model_json(const Experiment& experiment, const std::string& path, nlohmann::ordered_json& document);

}  // namespace attnscope
