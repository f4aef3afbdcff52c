// The weights of a model: the tensors of one file or several under one roof.
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/experiment/imported_tensors.h"
#include "io/models/model_folder.h"

namespace attnscope {

/// The tensors of all weight files of a model. Every tensor that an index names must be in its file. Tensors whose
/// numbers are no weights (whole numbers, truth values) are there with their trouble.
Result<std::shared_ptr<const ImportedTensors>> open_model_weights(const ModelFolder& folder);

}  // namespace attnscope
