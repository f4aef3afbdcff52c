// The files that come with attnscope: shaders, lessons, fonts.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// The folders that may hold attnscope's files, the preferred one first; they need not exist:
/// - the value of the environment variable ATTNSCOPE_DATA, if it is set and not empty;
/// - ../share/attnscope relative to the program's folder, as installed;
/// - share/attnscope in the program's folder, as built.
/// Without /proc the program's folder is unknown, and only the first is left.
std::vector<std::filesystem::path> data_folders();

/// The path of the file or folder `name`, relative to a data folder ("shaders/heatmap.vert"), in the first data folder
/// that has it. The error names every folder that was searched.
Result<std::filesystem::path> data_file(std::string_view name);

/// Whether a file or folder is in a data folder.
bool is_data_file(const std::filesystem::path& path);

}  // namespace attnscope
