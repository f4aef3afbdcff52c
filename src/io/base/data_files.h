// Where the files are that come with attnscope: shaders, lessons, fonts.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// The folders that may hold attnscope's files, the first one first: the environment variable ATTNSCOPE_DATA
/// (where it is set), ../share/attnscope beside the program's folder (installed), share/attnscope in the program's
/// folder (as built).
std::vector<std::filesystem::path> data_folders();

/// The file or folder `name` ("shaders/heatmap.vert") in the first of the data folders that has it. The error names
/// every folder that was looked at.
Result<std::filesystem::path> data_file(std::string_view name);

}  // namespace attnscope
