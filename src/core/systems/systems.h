// The systems: pieces of attention code that attnscope reproduces, one file each.
#pragma once

#include <vector>

#include "core/experiment/system.h"
#include "core/operations/ops.h"

namespace attnscope {

/// The systems of `systems.inc`, without the parameters that all systems take. See `systems` for the whole list.
std::vector<System> make_systems();

}  // namespace attnscope
