#include "io/desktop/folder_list.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "io/base/paths.h"

namespace attnscope {
namespace {

bool has_ending(const std::string& name, std::span<const std::string> endings) {
  return endings.empty() || std::ranges::any_of(endings, [&](const std::string& each) { return name.ends_with(each); });
}

/// Calls `take` with the folders and files in `folder`, in the order of the file system. `prefix`: of the names; hidden
/// ones only where it asks for them. Looks at a limited number of names, so that no folder holds up the window.
template <typename Take>
void each_entry(const std::filesystem::path& folder, const std::string& prefix, std::span<const std::string> endings,
                const Take& take) {
  constexpr std::size_t kMaxLookedAt = 50'000;
  std::error_code error;
  std::filesystem::directory_iterator at(folder.empty() ? "." : folder, error);
  for (std::size_t i = 0; !error && at != std::filesystem::directory_iterator() && i < kMaxLookedAt; ++i) {
    FolderEntry entry = {at->path().filename().string(), false};
    if (entry.name.starts_with(prefix) && (entry.name.front() != '.' || !prefix.empty())) {
      std::error_code unknown;
      entry.is_folder = at->is_directory(unknown);
      if (entry.is_folder || has_ending(entry.name, endings)) take(std::move(entry));
    }
    at.increment(error);
  }
}

/// How many bytes of `a` both names have in common from the start, but at least `least`. Never a part of a letter: bytes
/// that continue one begin with the bits 10.
std::size_t length_in_common(const std::string& a, const std::string& b, std::size_t least) {
  auto length = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const auto continues = [&](const std::string& name) {
    return length < name.size() && (static_cast<unsigned char>(name[length]) & 0xC0U) == 0x80U;
  };
  while (length > least && (continues(a) || continues(b))) --length;
  return length;
}

}  // namespace

std::vector<FolderEntry> list_folder(const std::filesystem::path& folder, std::span<const std::string> endings) {
  std::vector<FolderEntry> entries;
  each_entry(folder, "", endings, [&](FolderEntry entry) { entries.push_back(std::move(entry)); });
  std::ranges::sort(entries, {}, [](const FolderEntry& each) { return std::tuple(!each.is_folder, each.name); });
  if (entries.size() > kMaxListed) entries.resize(kMaxListed);
  return entries;
}

std::string folder_above(const std::filesystem::path& folder) {
  std::filesystem::path whole = std::filesystem::path(absolute_path(folder.empty() ? "." : folder)).lexically_normal();
  // "a/b/" has no last name.
  if (!whole.has_filename()) whole = whole.parent_path();
  const std::filesystem::path above = whole.parent_path();
  if (above == whole) return {};
  return (above / "").string();
}

std::string completed_path(const std::string& typed, std::span<const std::string> endings) {
  const std::size_t slash = typed.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : typed.substr(0, slash + 1);
  const std::string prefix = typed.substr(folder.size());
  std::optional<FolderEntry> common;  // a folder if it is the only entry and one
  each_entry(folder, prefix, endings, [&](FolderEntry entry) {
    if (!common) {
      common = std::move(entry);
      return;
    }
    common->name.resize(length_in_common(common->name, entry.name, prefix.size()));
    common->is_folder = false;
  });
  if (!common) return typed;
  return folder + common->name + (common->is_folder ? "/" : "");
}

}  // namespace attnscope
