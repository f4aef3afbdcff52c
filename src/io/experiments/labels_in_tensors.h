// Token labels inside a file of tensors.
#pragma once

#include <string>
#include <vector>

#include "core/experiment/imported_tensors.h"
#include "io/tensors/tensor_file.h"

namespace attnscope {

/// The lists of labels in a file: arrays of texts [token] or [batch item, token], and metadata whose key says that it has
/// labels and whose text is a JSON list of strings, or a list of such lists for each batch item. A list outside the
/// limits for labels is left out; if its name says that it has labels, a line that names it is added to `warnings`.
std::vector<ImportedLabels> labels_in_tensors(const TensorFile& file, std::vector<std::string>& warnings);

}  // namespace attnscope
