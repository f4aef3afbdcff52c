// The user's own tensors in scripts: read from their file, with the names that they have there.
#pragma once

#include <set>
#include <string>

#include "core/imported/imported_layers.h"
#include "core/script/script.h"

namespace attnscope {

/// `given`: those of the user's own tensors, by the names that they have in their file.
void write_imported(Script& script, const std::set<std::size_t>& which);

/// One of those, or a part of it, in the order of its axes here.
std::string imported_code(const LayerTensor& tensor);

}  // namespace attnscope
