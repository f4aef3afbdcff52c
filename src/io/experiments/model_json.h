// The model of an experiment and what it reads, in the experiment's file.
//
//   "model": "../models/story", "text": "…", "text2": "…"       or "tokens": [1, 2], "tokens2": [3] where ids were given
//   "interventions": [{"tensor": "layer2.head_outputs", "head": 2, "position": 4, "with": "patched"}, …]
//   "patch_text": "…"                                            or "patch_tokens": [1, 2]: what is patched from
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"
#include "core/experiment/experiment.h"

namespace attnscope {

/// Reads model, texts and interventions into `experiment`, whose `system` is already set; after an error it may be partly
/// changed. The model's path is relative to `folder`.
Result<void> read_model_json(const nlohmann::json& document, const std::filesystem::path& folder,
                             Experiment& experiment);

/// Writes the same members of `experiment`, which must have a model; `path` is stored as given (absolute or relative to
/// the file).
void write_model_json(const Experiment& experiment, const std::string& path, nlohmann::ordered_json& document);

}  // namespace attnscope
