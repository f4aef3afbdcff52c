#include "io/autosave.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <nlohmann/json.hpp>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "io/experiment_file.h"
#include "io/file.h"
#include "io/json_value.h"
#include "io/printable.h"

namespace attnscope {
namespace {

constexpr std::string_view kPrefix = "unsaved-";
constexpr std::string_view kEnding = ".json";

std::filesystem::path own_file(const std::filesystem::path& folder) {
  return folder / (std::string(kPrefix) + std::to_string(::getpid()) + std::string(kEnding));
}

/// The process that an autosave belongs to, by its name.
std::optional<pid_t> process_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(kPrefix) || !name.ends_with(kEnding)) return std::nullopt;
  pid_t process = 0;
  const char* const end = name.data() + name.size() - kEnding.size();
  const auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, process);
  return error == std::errc() && stop == end && process > 0 ? std::optional(process) : std::nullopt;
}

bool runs(pid_t process) { return ::kill(process, 0) == 0 || errno == EPERM; }

Result<LeftBehind> read_left_behind(const std::filesystem::path& path) {
  const Result<std::string> text = read_file(path, kMaxExperimentBytes);
  if (!text) return tl::unexpected(text.error());
  const Result<nlohmann::json> document = parse_json(*text);
  if (!document) return fail(document.error().message);
  if (!document->is_object() || !document->contains("file") || !document->contains("experiment") ||
      !document->at("file").is_string() || !document->at("experiment").is_object())
    return fail("is no unsaved work");
  Result<Experiment> experiment = parse_experiment(document->at("experiment").dump(), path_text(path));
  if (!experiment) return tl::unexpected(experiment.error());
  return LeftBehind{std::move(*experiment), document->at("file").get<std::string>()};
}

}  // namespace

Autosave::Autosave(const std::filesystem::path& folder) {
  if (!folder.empty()) path_ = own_file(folder);
}

Autosave::~Autosave() { forget(); }

void Autosave::keep(const Experiment& experiment, const std::string& file) {
  if (path_.empty() || (kept_ && *kept_ == experiment && kept_file_ == file)) return;
  kept_ = experiment;
  kept_file_ = file;
  std::error_code error;
  std::filesystem::create_directories(path_.parent_path(), error);
  const nlohmann::ordered_json name = file;
  const std::string text =
      R"({"file": )" + compact_json(name) + R"(, "experiment": )" + compact_experiment_json(experiment) + "}\n";
  static_cast<void>(write_file(path_, text));
}

void Autosave::forget() {
  if (!kept_) return;
  kept_.reset();
  std::error_code error;
  std::filesystem::remove(path_, error);
}

std::optional<LeftBehind> take_left_behind(const std::filesystem::path& folder) {
  if (folder.empty()) return std::nullopt;
  // Whether it is this program's own, which would be written over and comes first; since when; and its name.
  using Found = std::tuple<bool, std::filesystem::file_time_type, std::filesystem::path>;
  const std::filesystem::path own = own_file(folder);
  std::vector<Found> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::optional<pid_t> process = process_of(entry->path());
    // Numbers of processes come again, in a container often the same one with every start.
    const bool is_own = process == ::getpid();
    if (process && (is_own || !runs(*process)))
      found.emplace_back(is_own, entry->last_write_time(error), entry->path());
  }
  std::sort(found.rbegin(), found.rend());
  for (const auto& [is_own, time, path] : found) {
    std::filesystem::rename(path, own, error);
    if (error) continue;  // another program was quicker
    Result<LeftBehind> left = read_left_behind(own);
    if (left) return std::move(*left);
    std::filesystem::rename(own, path.string() + ".damaged", error);
  }
  return std::nullopt;
}

std::filesystem::path put_left_behind_aside(const std::filesystem::path& folder) {
  const std::filesystem::path own = own_file(folder);
  std::error_code error;
  for (int number = 1;; ++number) {
    std::filesystem::path aside = folder / ("not-restored-" + std::to_string(number) + std::string(kEnding));
    if (std::filesystem::exists(aside, error)) continue;
    std::filesystem::rename(own, aside, error);
    return aside;
  }
}

}  // namespace attnscope
