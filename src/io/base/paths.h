// Paths of files: which are the same, which are free, what extension they have.
#pragma once

#include <filesystem>
#include <string>

namespace attnscope {

/// Whether two paths lead to the same file: through links of either kind, or by the same name if the file does not
/// exist yet.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// `path` made absolute, its bytes otherwise unchanged: it finds the same file from every folder.
std::string absolute_path(const std::filesystem::path& path);

/// `path` if it is free, otherwise the first free one among "name-2.ext", "name-3.ext", ….
std::filesystem::path free_path(const std::filesystem::path& path);

/// The extension of a file's name with its ASCII letters in lower case: ".png" for "a/b.PNG"; empty if there is none.
std::string lower_extension(const std::filesystem::path& path);

}  // namespace attnscope
