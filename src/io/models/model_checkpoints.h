// The states of its training that lie beside a model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "io/models/model_folder.h"

namespace attnscope {

/// A folder with the weights of one state.
struct CheckpointFolder {
  Index step = 0;
  std::filesystem::path path;
  std::int64_t changed = 0;  ///< when its weights last were, in ticks of the file system's clock
};

/// At most so many are listed, those with the first steps.
inline constexpr std::size_t kMostCheckpoints = 1000;

/// The folders of checkpoints of a model, by step: folders with weights, in the model's folder or in `checkpoints` in it,
/// whose names are a number or end in one after "step", "checkpoint", "global_step", "iter" or "epoch" ("step-000400",
/// "checkpoint-500", "step1000"). Of a model that is in such a folder itself, those beside it. Only looks at names.
std::vector<CheckpointFolder> find_checkpoints(const ModelFolder& model);

}  // namespace attnscope
