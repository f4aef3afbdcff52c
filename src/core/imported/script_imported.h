// Imported tensors in scripts: read from their file under the names that they have there.
#pragma once

#include <set>
#include <string>

#include "core/imported/imported_layers.h"
#include "core/script/script.h"

namespace attnscope {

/// Defines `given`: the tensors `which` by their names in the file.
void write_imported(Script& script, const std::set<std::size_t>& which);

/// An expression for a tensor or a part of it, with its axes in attnscope's order.
std::string imported_code(const LayerTensor& tensor);

}  // namespace attnscope
