// The user's own tensors in scripts: read from their file, with the names that they have there.
#pragma once

#include <set>
#include <string>

#include "core/imported/own_tensors.h"
#include "core/script/script.h"

namespace attnscope {

/// `given`: those of the user's own tensors, by the names that they have in their file.
void write_given(Script& script, const std::set<std::size_t>& which);

/// One of those, or a part of it, in the order of its axes here.
std::string given_code(const OwnTensor& tensor);

}  // namespace attnscope
