#include "io/base/paths.h"

#include <algorithm>
#include <system_error>

namespace attnscope {

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const std::filesystem::path at = std::filesystem::weakly_canonical(a, error);
  return !error && !a.empty() && !b.empty() && at == std::filesystem::weakly_canonical(b, error);
}

std::string absolute_path(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return (error ? path : absolute.lexically_normal()).string();
}

std::filesystem::path free_path(const std::filesystem::path& path) {
  const auto is_taken = [](const std::filesystem::path& each) {
    std::error_code error;
    return std::filesystem::symlink_status(each, error).type() != std::filesystem::file_type::not_found;
  };
  std::filesystem::path free = path;
  // A user with a thousand of them is asked before one is replaced.
  for (int number = 2; number < 1000 && is_taken(free); ++number) {
    free = path;
    free.replace_filename(path.stem().string() + "-" + std::to_string(number) + path.extension().string());
  }
  return free;
}

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

}  // namespace attnscope
