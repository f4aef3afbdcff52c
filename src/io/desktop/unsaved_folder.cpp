#include "io/desktop/unsaved_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <system_error>
#include <tuple>
#include <utility>

#include "io/base/descriptor.h"
#include "io/base/file.h"
#include "io/base/json_value.h"
#include "io/base/path_json.h"
#include "io/base/printable.h"
#include "io/experiments/experiment_file.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

// unsaved-OWNER-NUMBER.json, and unsaved-OWNER-NUMBER.tried.json while it is being restored; running-OWNER.lock.
constexpr std::string_view kPrefix = "unsaved-";
constexpr std::string_view kEnding = ".json";
constexpr std::string_view kTriedEnding = ".tried.json";
constexpr std::size_t kOwnerLength = 16;
constexpr const char* kUnsavedFormat = "attnscope-unsaved/1";
constexpr std::size_t kMaxHeaderBytes = std::size_t{1} << 16U;
// An entry is an experiment after a line about it.
constexpr std::uint64_t kMaxEntryBytes = kMaxExperimentBytes * 2;

std::string random_owner() {
  std::random_device random;
  std::string owner;
  while (owner.size() < kOwnerLength) owner += "0123456789abcdef"[random() % 16U];
  return owner;
}

fs::path lock_path(const fs::path& folder, const std::string& owner) { return folder / ("running-" + owner + ".lock"); }

/// The program in the name of an entry; empty for other files.
std::string owner_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(kPrefix) || !name.ends_with(kEnding)) return {};
  const std::string owner = name.substr(kPrefix.size(), kOwnerLength);
  const bool is_owner = owner.size() == kOwnerLength && name.size() > kPrefix.size() + kOwnerLength &&
                        name[kPrefix.size() + kOwnerLength] == '-' &&
                        owner.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_owner ? owner : std::string();
}

/// The first line describes the entry: a list of entries need not read experiments.
std::string header_of(const UnsavedWork& work) {
  const nlohmann::ordered_json header = {{"format", kUnsavedFormat},
                                         {"file", path_to_json(work.file)},
                                         {"version", work.version},
                                         {"title", path_to_json(work.title)}};
  return compact_json(header) + "\n";
}

/// Fills in the contents of the first line.
Result<void> parse_header(std::string_view line, UnsavedEntry& entry) {
  const Result<nlohmann::json> header = parse_json(line);
  if (!header) return fail(header.error().message);
  const auto field = [&](const char* name) {
    const auto found = header->is_object() ? header->find(name) : header->end();
    return found == header->end() ? std::nullopt : path_from_json(*found);
  };
  if (field("format") != kUnsavedFormat) return fail("is not unsaved work of this version");
  const std::optional<std::string> file = field("file");
  const std::optional<std::string> version = field("version");
  const std::optional<std::string> title = field("title");
  if (!file || !version || !title) return fail("is not unsaved work");
  entry.file = *file;
  entry.version = *version;
  entry.title = *title;
  return {};
}

UnsavedEntry listed(const fs::path& path) {
  UnsavedEntry entry;
  entry.path = path;
  entry.tried = path.string().ends_with(kTriedEnding);
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) entry.saved_at = status.st_mtim.tv_sec;
  if (!S_ISREG(status.st_mode)) {
    entry.trouble = "is not a file";
    return entry;
  }
  std::ifstream in(path, std::ios::binary);
  std::string line(kMaxHeaderBytes, '\0');
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  const std::size_t end = line.find('\n');
  const Result<void> read = end == std::string::npos ? fail("its first line is incomplete")
                                                     : parse_header(std::string_view(line).substr(0, end), entry);
  if (!read) entry.trouble = read.error().message;
  return entry;
}

}  // namespace

UnsavedFolder::UnsavedFolder(fs::path folder) : folder_(std::move(folder)) {}

UnsavedFolder::~UnsavedFolder() {
  // While the lock is held, nobody else takes this name for one of a program that is gone.
  if (lock_ != nullptr) ::unlink(lock_path(folder_, owner_).c_str());
}

fs::path UnsavedFolder::entry_path(std::uint64_t number, bool tried) const {
  return folder_ /
         (std::string(kPrefix) + owner_ + "-" + std::to_string(number) + std::string(tried ? kTriedEnding : kEnding));
}

Result<void> UnsavedFolder::claim_name() {
  if (lock_ != nullptr) return {};
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return fail(path_text(folder_) + ": " + error.message());
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string owner = random_owner();
    const fs::path path = lock_path(folder_, owner);
    auto lock =
        std::make_unique<Descriptor>(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (lock->number() < 0 && errno == EEXIST) continue;
    if (lock->number() < 0) return fail_with_errno(folder_, errno);
    if (::flock(lock->number(), LOCK_EX | LOCK_NB) != 0) {
      // Another program took this name for one of a program that is gone.
      if (errno == EWOULDBLOCK) continue;
      const int trouble = errno;
      ::unlink(path.c_str());
      return fail_with_errno(folder_, trouble);
    }
    struct stat named = {};
    struct stat held = {};
    if (::stat(path.c_str(), &named) != 0 || ::fstat(lock->number(), &held) != 0 || named.st_ino != held.st_ino)
      continue;
    owner_ = owner;
    lock_ = std::move(lock);
    return {};
  }
  return fail(path_text(folder_) + ": no name is free");
}

bool UnsavedFolder::owner_runs(const std::string& owner) const {
  if (owner == owner_) return true;
  const fs::path path = lock_path(folder_, owner);
  const Descriptor lock(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (lock.number() < 0) return errno != ENOENT;
  if (::flock(lock.number(), LOCK_EX | LOCK_NB) != 0) return true;
  ::unlink(path.c_str());
  return false;
}

Result<void> UnsavedFolder::keep(std::uint64_t document, const UnsavedWork& work) {
  if (folder_.empty()) return {};
  const std::scoped_lock lock(mutex_);
  if (Result<void> named = claim_name(); !named) return named;
  // An entry that is being restored keeps its mark, whatever is done to it.
  const auto [known, is_new] = entries_.try_emplace(document, entry_path(document, false));
  Result<void> written = write_file(known->second, header_of(work) + compact_experiment_json(work.experiment) + "\n");
  if (!written && is_new) entries_.erase(known);
  return written;
}

void UnsavedFolder::remove(std::uint64_t document) {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(document);
  if (found == entries_.end()) return;
  std::error_code error;
  fs::remove(found->second, error);
  entries_.erase(found);
}

std::vector<UnsavedEntry> UnsavedFolder::left_behind() const {
  std::vector<UnsavedEntry> entries;
  if (folder_.empty()) return entries;
  const std::scoped_lock lock(mutex_);
  std::map<std::string, bool> running;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    const std::string owner = owner_of(entry->path());
    if (owner.empty()) continue;
    const bool is_open = std::ranges::any_of(entries_, [&](const auto& each) { return each.second == entry->path(); });
    // An entry that this program took and could not show is offered again.
    if (owner == owner_ ? is_open : running.try_emplace(owner, owner_runs(owner)).first->second) continue;
    entries.push_back(listed(entry->path()));
  }
  std::ranges::sort(entries, [](const UnsavedEntry& a, const UnsavedEntry& b) {
    return std::tie(b.saved_at, b.path) < std::tie(a.saved_at, a.path);
  });
  return entries;
}

Result<UnsavedWork> UnsavedFolder::take(UnsavedEntry& entry) {
  {
    const std::scoped_lock lock(mutex_);
    if (Result<void> named = claim_name(); !named) return tl::unexpected(named.error());
    // Beyond the numbers of documents.
    const fs::path own = entry_path((std::uint64_t{1} << 32U) + taken_++, true);
    std::error_code error;
    fs::rename(entry.path, own, error);
    if (error) return fail(path_text(entry.path) + ": " + error.message());
    entry.path = own;
    entry.tried = true;
  }
  const Result<std::string> text = read_file(entry.path, kMaxEntryBytes);
  if (!text) return tl::unexpected(text.error());
  const std::size_t end = std::min(text->find('\n'), text->size());
  if (const Result<void> header = parse_header(std::string_view(*text).substr(0, end), entry); !header)
    return fail(path_text(entry.path) + ": " + header.error().message);
  Result<Experiment> experiment =
      parse_experiment(std::string_view(*text).substr(std::min(end + 1, text->size())), path_text(entry.path));
  if (!experiment) return tl::unexpected(experiment.error());
  return UnsavedWork{std::move(*experiment), entry.file, entry.version, entry.title};
}

void UnsavedFolder::restored(const UnsavedEntry& entry, std::uint64_t document) {
  const std::scoped_lock lock(mutex_);
  entries_[document] = entry.path;
}

void UnsavedFolder::shown(std::uint64_t document) {
  const std::scoped_lock lock(mutex_);
  const auto known = entries_.find(document);
  const fs::path path = entry_path(document, false);
  if (known == entries_.end() || known->second == path) return;
  std::error_code error;
  fs::rename(known->second, path, error);
  if (!error) known->second = path;
}

Result<void> UnsavedFolder::discard(const UnsavedEntry& entry) {
  std::error_code error;
  fs::remove(entry.path, error);
  return error ? Result<void>(fail(path_text(entry.path) + ": " + error.message())) : Result<void>();
}

}  // namespace attnscope
