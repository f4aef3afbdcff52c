#include "io/desktop/user_state.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "io/base/file.h"
#include "io/base/json_value.h"
#include "io/base/path_json.h"
#include "io/base/paths.h"
#include "io/base/printable.h"
#include "io/experiments/lesson_texts.h"

namespace attnscope {
namespace {

constexpr const char* kStateFormat = "attnscope-state/1";
constexpr const char* kStateName = "state.json";
constexpr int kLargestWindow = 65'535;
constexpr std::uint64_t kMaxStateBytes = 1'000'000;

std::filesystem::path folder_in(const char* variable, const std::filesystem::path& below) {
  const char* const value = std::getenv(variable);
  if (value == nullptr || !std::filesystem::path(value).is_absolute()) return {};
  return std::filesystem::path(value) / below;
}

/// Unknown where a side is missing or impossible.
ClosedWindow parse_window(const nlohmann::json& window) {
  ClosedWindow closed;
  if (!window.is_object()) return closed;
  const auto side = [&](const char* name) {
    const auto found = window.find(name);
    if (found == window.end() || !found->is_number()) return 0;
    const auto value = found->get<double>();
    return value >= 1 && value <= kLargestWindow ? static_cast<int>(value) : 0;
  };
  closed.width = side("width");
  closed.height = side("height");
  if (closed.width == 0 || closed.height == 0) return {};
  const auto maximized = window.find("maximized");
  closed.maximized = maximized != window.end() && *maximized == true;
  return closed;
}

/// Nothing if it is no state of this version: its contents are useless then.
std::optional<UserState> parse_state(const std::string& text) {
  const Result<nlohmann::json> document = parse_json(text);
  if (!document || !document->is_object()) return std::nullopt;
  const auto field = [&](const char* name) -> const nlohmann::json& {
    static const nlohmann::json none;
    const auto found = document->find(name);
    return found == document->end() ? none : *found;
  };
  if (field("format") != kStateFormat) return std::nullopt;
  UserState state;
  if (!field("theme").is_string() || !field("recent").is_array()) return std::nullopt;
  const std::optional<Theme> theme = parse_theme(field("theme").get<std::string>());
  if (!theme || *theme == Theme::paper) return std::nullopt;
  state.theme = *theme;
  // Earlier versions did not write it.
  if (field("start_offers").is_boolean()) state.start_offers = field("start_offers").get<bool>();
  if (const nlohmann::json& size = field("size"); size.is_number()) {
    const auto known = std::ranges::find(kWindowSizes, size.get<double>());
    if (known != kWindowSizes.end()) state.size = *known;
  }
  if (const nlohmann::json& language = field("language"); language.is_string()) {
    if (is_translation_language(language.get_ref<const std::string&>())) state.language = language.get<std::string>();
  }
  if (const nlohmann::json& pace = field("pace"); pace.is_number())
    state.pace = std::clamp(pace.get<double>(), kSlowestPace, kFastestPace);
  state.window = parse_window(field("window"));
  for (const nlohmann::json& path : field("recent")) {
    std::optional<std::string> bytes = path_from_json(path);
    if (!bytes || state.recent.size() == kMaxRecent) return std::nullopt;
    state.recent.push_back(std::move(*bytes));
  }
  return state;
}

}  // namespace

void UserState::add_recent(const std::string& path) {
  const std::string name = absolute_path(path);
  std::erase(recent, name);
  recent.insert(recent.begin(), name);
  if (recent.size() > kMaxRecent) recent.resize(kMaxRecent);
}

std::filesystem::path user_folder() {
  const std::filesystem::path folder = folder_in("XDG_CONFIG_HOME", "attnscope");
  return folder.empty() ? folder_in("HOME", ".config/attnscope") : folder;
}

ReadUserState read_user_state(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path path = folder / kStateName;
  if (folder.empty() || !std::filesystem::exists(path, error)) return {};
  const Result<std::string> text = read_file(path, kMaxStateBytes);
  // Not damaged: perhaps it can be read the next time.
  if (!text) return {{}, text.error().message};
  if (std::optional<UserState> state = parse_state(*text)) return {*state, "", true};
  const std::filesystem::path aside = folder / "state.json.damaged";
  std::filesystem::rename(path, aside, error);
  return {{}, path_text(path) + " is damaged" + (error ? "" : " and was renamed to " + path_text(aside))};
}

std::optional<UserState> stored_user_state(const std::filesystem::path& folder) {
  if (folder.empty()) return std::nullopt;
  const Result<std::string> text = read_file(folder / kStateName, kMaxStateBytes);
  return text ? parse_state(*text) : std::nullopt;
}

Result<void> write_user_state(const std::filesystem::path& folder, const UserState& state) {
  if (folder.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(path_text(folder) + ": " + error.message());
  nlohmann::ordered_json recent = nlohmann::ordered_json::array();
  for (const std::string& path : state.recent) recent.push_back(path_to_json(path));
  const nlohmann::ordered_json document = {
      {"format", kStateFormat},
      {"theme", theme_name(state.theme)},
      {"size", state.size},
      {"language", state.language},
      {"pace", state.pace},
      {"window",
       {{"width", state.window.width}, {"height", state.window.height}, {"maximized", state.window.maximized}}},
      {"recent", recent},
      {"start_offers", state.start_offers}};
  return write_file(folder / kStateName, pretty_json(document) + "\n");
}

}  // namespace attnscope
