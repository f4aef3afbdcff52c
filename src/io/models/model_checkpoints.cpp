#include "io/models/model_checkpoints.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/text.h"
#include "io/base/paths.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCheckpointsFolder = "checkpoints";
// Nobody's folder of checkpoints has more, and a folder of a million files must not hold up opening a model.
constexpr std::size_t kMostLookedAt = 100'000;

/// The step in the name of a checkpoint's folder.
std::optional<Index> step_in(std::string_view name) {
  constexpr std::array<std::string_view, 6> words = {"", "step", "checkpoint", "global_step", "iter", "epoch"};
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  std::string_view word = name.substr(0, digits);
  if (!word.empty() && (word.back() == '-' || word.back() == '_')) word.remove_suffix(1);
  if (std::ranges::find(words, word) == words.end()) return std::nullopt;
  Index step = 0;
  const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), step);
  if (error != std::errc() || digits == name.size()) return std::nullopt;
  return step;
}

/// When the weights in a folder last changed; nothing: it has none.
std::optional<std::int64_t> weights_changed(const fs::path& folder) {
  std::optional<std::int64_t> changed;
  std::error_code error;
  std::size_t looked_at = 0;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (++looked_at > kMostLookedAt) break;
    if (lower_extension(entry->path()) != ".safetensors" && entry->path().filename() != kShardIndexFile) continue;
    std::error_code ignored;
    const auto at = static_cast<std::int64_t>(fs::last_write_time(entry->path(), ignored).time_since_epoch().count());
    changed = std::max(changed.value_or(at), at);
  }
  return changed;
}

void add_from(const fs::path& folder, std::vector<CheckpointFolder>& found) {
  std::error_code error;
  std::size_t looked_at = 0;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (++looked_at > kMostLookedAt) break;
    const std::optional<Index> step = step_in(entry->path().filename().string());
    std::error_code ignored;
    if (!step || !entry->is_directory(ignored)) continue;
    if (const std::optional<std::int64_t> changed = weights_changed(entry->path()))
      found.push_back({*step, entry->path(), *changed});
  }
}

}  // namespace

std::vector<CheckpointFolder> find_checkpoints(const ModelFolder& model) {
  std::vector<CheckpointFolder> found;
  const fs::path& weights = model.weights;
  if (weights.has_relative_path() && step_in(weights.filename().string())) {
    add_from(weights.parent_path(), found);
  } else {
    add_from(weights, found);
    add_from(weights / kCheckpointsFolder, found);
  }
  std::ranges::sort(found, {}, [](const CheckpointFolder& each) { return std::pair(each.step, each.path); });
  if (found.size() > kMostCheckpoints) found.resize(kMostCheckpoints);
  return found;
}

}  // namespace attnscope
