#include "io/base/data_files.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>

#include "core/base/text.h"
#include "io/base/printable.h"

namespace attnscope {

namespace fs = std::filesystem;

std::vector<fs::path> data_folders() {
  std::vector<fs::path> folders;
  if (const char* chosen = std::getenv("ATTNSCOPE_DATA"); chosen != nullptr && *chosen != '\0')
    folders.emplace_back(chosen);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return folders;
  const fs::path folder = program.parent_path();
  folders.push_back(folder.parent_path() / "share" / "attnscope");
  folders.push_back(folder / "share" / "attnscope");
  return folders;
}

Result<fs::path> data_file(std::string_view name) {
  std::vector<std::string> looked_at;
  for (const fs::path& folder : data_folders()) {
    std::error_code error;
    fs::path file = folder / name;
    if (fs::exists(file, error)) return file;
    looked_at.push_back(path_text(folder));
  }
  return fail("attnscope's own file " + quoted_text(name) + " is missing; looked in " +
              (looked_at.empty() ? "no folder" : join(looked_at, " and ")) + "; ATTNSCOPE_DATA sets the folder");
}

bool is_data_file(const fs::path& path) {
  std::error_code error;
  const fs::path at = fs::weakly_canonical(path, error);
  if (error) return false;
  for (const fs::path& folder : data_folders()) {
    // The build's own data folder has links.
    for (const char* part : {"", "assets", "shaders"}) {
      const fs::path data = fs::canonical(folder / part, error);
      if (!error && std::mismatch(data.begin(), data.end(), at.begin(), at.end()).first == data.end()) return true;
    }
  }
  return false;
}

}  // namespace attnscope
