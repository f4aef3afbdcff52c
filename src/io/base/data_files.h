// The files that come with attnscope: shaders, lessons, fonts.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// The folders that may hold attnscope's files, in order of preference: the environment variable ATTNSCOPE_DATA if it
/// is set, ../share/attnscope seen from the program's folder (installed), share/attnscope in the program's folder (as
/// built).
std::vector<std::filesystem::path> data_folders();

/// The file or folder `name` ("shaders/heatmap.vert") in the first data folder that has it. The error names every
/// folder that was searched.
Result<std::filesystem::path> data_file(std::string_view name);

}  // namespace attnscope
