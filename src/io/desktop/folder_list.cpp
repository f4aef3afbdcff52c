#include "io/desktop/folder_list.h"

#include <algorithm>
#include <system_error>
#include <tuple>

namespace attnscope {
namespace {

bool has_ending(const std::string& name, std::span<const std::string> endings) {
  return endings.empty() || std::ranges::any_of(endings, [&](const std::string& each) { return name.ends_with(each); });
}

/// In the order of the file system. `prefix`: of the names; hidden ones only where it asks for them.
std::vector<FolderEntry> entries_of(const std::filesystem::path& folder, const std::string& prefix,
                                    std::span<const std::string> endings) {
  std::vector<FolderEntry> entries;
  std::error_code error;
  std::filesystem::directory_iterator at(folder.empty() ? "." : folder, error);
  for (; !error && at != std::filesystem::directory_iterator() && entries.size() < kMaxListed; at.increment(error)) {
    FolderEntry entry = {at->path().filename().string(), false};
    if (!entry.name.starts_with(prefix) || (entry.name.front() == '.' && prefix.empty())) continue;
    std::error_code unknown;
    entry.is_folder = at->is_directory(unknown);
    if (entry.is_folder || has_ending(entry.name, endings)) entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

std::vector<FolderEntry> list_folder(const std::filesystem::path& folder, std::span<const std::string> endings) {
  std::vector<FolderEntry> entries = entries_of(folder, "", endings);
  std::ranges::sort(entries, {}, [](const FolderEntry& each) { return std::tuple(!each.is_folder, each.name); });
  return entries;
}

std::string completed_path(const std::string& typed, std::span<const std::string> endings) {
  const std::size_t slash = typed.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : typed.substr(0, slash + 1);
  const std::string prefix = typed.substr(folder.size());
  const std::vector<FolderEntry> entries = entries_of(folder, prefix, endings);
  if (entries.empty()) return typed;
  std::string common = entries.front().name;
  for (const FolderEntry& entry : entries) {
    const auto differs = std::ranges::mismatch(common, entry.name).in1;
    common.erase(differs, common.end());
  }
  // Never a part of a letter: bytes that continue one begin with the bits 10.
  const auto splits_letter = [&](const FolderEntry& each) {
    return each.name.size() > common.size() && (static_cast<unsigned char>(each.name[common.size()]) & 0xC0U) == 0x80U;
  };
  while (std::ranges::any_of(entries, splits_letter)) common.pop_back();
  return folder + common + (entries.size() == 1 && entries.front().is_folder ? "/" : "");
}

}  // namespace attnscope
