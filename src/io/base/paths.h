// Paths of files: which lead to the same one, and which are free.
#pragma once

#include <filesystem>
#include <string>

namespace attnscope {

/// Whether two paths lead to the same file: through links of either kind, or by the same name where there is none yet.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// `path` as an absolute one, its bytes otherwise as they are: what finds the same file from every folder.
std::string absolute_path(const std::filesystem::path& path);

/// `path`, or where something stands there already the first of "name-2.ext", "name-3.ext", … that is free.
std::filesystem::path free_path(const std::filesystem::path& path);

/// The extension of a file's name, letters of ASCII in lower case: ".png" of "a/b.PNG"; empty where it has none.
std::string lower_extension(const std::filesystem::path& path);

}  // namespace attnscope
