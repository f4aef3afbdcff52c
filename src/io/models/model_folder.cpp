#include "io/models/model_folder.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "core/base/text.h"
#include "io/base/paths.h"
#include "io/base/printable.h"
#include "io/tokenizers/tokenizer_files.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWeights = "model.safetensors";
constexpr int kFoldersAround = 2;

/// Whether there is anything of this name, be it a link that leads nowhere: opening it says what is wrong.
bool has(const fs::path& folder, const std::string& name) {
  std::error_code error;
  return fs::exists(fs::symlink_status(folder / name, error));
}

/// The names in a folder with one of the extensions, in order.
std::vector<std::string> names_with(const fs::path& folder, std::initializer_list<std::string_view> extensions) {
  constexpr std::size_t most_looked_at = 100'000;
  std::vector<std::string> names;
  std::error_code error;
  std::size_t looked_at = 0;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (++looked_at > most_looked_at) break;
    const std::string extension = lower_extension(entry->path());
    if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end())
      names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Why there are no weights in a folder.
std::string no_weights(const fs::path& folder) {
  const std::vector<std::string> pickles = names_with(folder, {".bin", ".pt", ".pth", ".ckpt"});
  if (pickles.empty()) return path_text(folder) + ": no weights; needs " + kWeights + " or " + kShardIndexFile;
  return path_text(folder / pickles.front()) +
         ": is a pickle, which can run any code when it is loaded; allowed: " + kWeights +
         ", which model.save_pretrained(folder, safe_serialization=True) writes in Python";
}

Result<void> find_weights(const std::string& chosen, ModelFolder& model) {
  const bool is_index = chosen == kShardIndexFile;
  if (!chosen.empty() && !is_index && chosen != kWeights) {
    model.shards = {{chosen, {}}};
    return {};
  }
  if (!is_index && has(model.weights, kWeights)) {
    model.shards = {{kWeights, {}}};
    return {};
  }
  if (has(model.weights, kShardIndexFile)) {
    Result<ShardIndex> index = read_shard_index(model.weights / kShardIndexFile);
    if (!index) return tl::unexpected(index.error());
    model.shards = std::move(*index);
    model.indexed = true;
    return {};
  }
  const std::vector<std::string> all = names_with(model.weights, {".safetensors"});
  if (all.empty()) return fail(no_weights(model.weights));
  if (all.size() > 1) {
    return fail(path_text(model.weights) + ": " + std::to_string(all.size()) + " files of weights (" +
                printable(all[0]) + ", " + printable(all[1]) + (all.size() > 2 ? ", …" : "") + "), but no " + kWeights +
                " and no " + kShardIndexFile);
  }
  model.shards = {{all.front(), {}}};
  return {};
}

/// The folder of the config.json for weights in `folder`.
Result<fs::path> find_config(const fs::path& folder) {
  fs::path around = folder;
  for (int up = 0; up <= kFoldersAround; ++up) {
    if (has(around, kConfigFile)) return around;
    // Only a folder with weights is a part of what is around it.
    if (up == 0 && names_with(folder, {".safetensors"}).empty() && !has(folder, kShardIndexFile)) break;
    if (around == around.parent_path()) break;
    around = around.parent_path();
  }
  return fail(path_text(folder) + ": no " + kConfigFile + "; needs the folder of a model with " + kConfigFile +
              " and " + kWeights);
}

bool is_weights_name(const std::string& name) {
  return lower_extension(name) == ".safetensors" || name == kShardIndexFile;
}

}  // namespace

Result<ModelFolder> find_model(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error || !fs::exists(status))
    return fail(path_text(path) + ": " + (error ? error.message() : std::string("No such file or directory")));
  ModelFolder model;
  // A path that ends in a slash has no name.
  const fs::path absolute = fs::path(absolute_path(path)).lexically_normal();
  model.path = absolute.has_filename() ? absolute : absolute.parent_path();
  model.weights = model.path;
  std::string chosen;
  if (!fs::is_directory(status)) {
    if (!fs::is_regular_file(status))
      return fail(path_text(path) +
                  ": is neither a file nor a folder; allowed: the folder of a model, or a file in it");
    const std::string name = model.path.filename().string();
    model.weights = model.path.parent_path();
    if (is_weights_name(name)) chosen = name;
  }
  Result<fs::path> config = find_config(model.weights);
  if (!config) return tl::unexpected(config.error());
  model.config = std::move(*config);
  if (!chosen.empty() && chosen != kShardIndexFile && chosen != kWeights && has(model.weights, kShardIndexFile)) {
    // One of several parts is not the model.
    const Result<ShardIndex> index = read_shard_index(model.weights / kShardIndexFile);
    if (index && index->contains(chosen)) chosen = kShardIndexFile;
  }
  if (const Result<void> found = find_weights(chosen, model); !found) return tl::unexpected(found.error());
  const bool is_whole_folder = model.indexed || chosen.empty() || chosen == kWeights;
  if (is_whole_folder) model.path = model.weights;
  return model;
}

bool belongs_to_model(const fs::path& path) {
  constexpr std::array<std::string_view, 3> names = {kShardIndexFile, kPreprocessorFile, "generation_config.json"};
  std::error_code error;
  if (fs::is_directory(path, error)) return true;
  const std::string name = path.filename().string();
  if (name == kConfigFile) return true;
  const bool is_weights = lower_extension(path) == ".safetensors" && name.starts_with("model");
  if (!is_weights && !is_tokenizer_file(name) && std::ranges::find(names, name) == names.end()) return false;
  const fs::path folder = fs::path(absolute_path(path)).lexically_normal().parent_path();
  return is_weights || name == kShardIndexFile ? find_config(folder).has_value() : has(folder, kConfigFile);
}

}  // namespace attnscope
