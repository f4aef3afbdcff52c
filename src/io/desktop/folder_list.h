// What a folder contains, and the completion of typed paths.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace attnscope {

/// Folders and files that a list shows; the last ones are left out.
inline constexpr std::size_t kMaxListed = 2000;

struct FolderEntry {
  std::string name;
  bool is_folder = false;

  friend bool operator==(const FolderEntry&, const FolderEntry&) = default;
};

/// The folders in `folder`, then the files whose name ends in one of `endings` (".json"; none: all files), each sorted
/// by name. Hidden ones are left out. Empty where the folder cannot be read.
std::vector<FolderEntry> list_folder(const std::filesystem::path& folder, std::span<const std::string> endings);

/// The folder around `folder`, as an absolute path that ends in a slash; empty for the root.
std::string folder_above(const std::filesystem::path& folder);

/// `typed` with as much added as all folders and files that it could mean have in common: the rest of a name where
/// there is one only, a slash after a folder.
std::string completed_path(const std::string& typed, std::span<const std::string> endings);

}  // namespace attnscope
