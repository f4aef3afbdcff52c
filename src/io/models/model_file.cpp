#include "io/models/model_file.h"

#include <algorithm>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/models/models.h"
#include "io/base/printable.h"
#include "io/models/model_checkpoints.h"
#include "io/models/model_config.h"
#include "io/models/model_folder.h"
#include "io/models/model_weights.h"
#include "io/tokenizers/tokenizer.h"

namespace attnscope {
namespace {

using SharedTokenizer = std::shared_ptr<const Tokenizer>;

/// A checkpoint does not look for the others again: for each of many it would look at all.
Result<std::shared_ptr<const Model>> open_folder(const std::filesystem::path& path, bool with_checkpoints);

/// What a token stands for, on one line: white space alone and parts of characters become visible.
std::string visible(std::string_view bytes) {
  if (bytes.find_first_not_of(' ') == std::string_view::npos) {
    std::string spaces;
    for (std::size_t i = 0; i < bytes.size(); ++i) spaces += "␣";
    return spaces;
  }
  std::string shown;
  while (!bytes.empty()) {
    const std::size_t line_end = std::min(bytes.find('\n'), bytes.size());
    shown += printable(bytes.substr(0, line_end));
    if (line_end == bytes.size()) break;
    shown += "↵";
    bytes.remove_prefix(line_end + 1);
  }
  return shown;
}

std::string shown_token(const Tokenizer& tokenizer, int id, bool special) {
  std::string text = special ? std::string() : visible(tokenizer.text_of(id));
  if (!text.empty()) return text;
  const std::string piece = printable(tokenizer.piece(id));
  return piece.empty() ? "#" + std::to_string(id) : piece;
}

class FolderModel final : public Model {
 public:
  FolderModel(ModelFolder folder, ModelConfig config, std::shared_ptr<const ImportedTensors> weights,
              Result<SharedTokenizer> tokenizer, const std::vector<CheckpointFolder>& checkpoints)
      : files_(std::move(folder)),
        folder_(files_.path.string()),
        name_(files_.path.filename().string()),
        config_(std::move(config)),
        weights_(std::move(weights)),
        tokenizer_(std::move(tokenizer)) {
    for (const CheckpointFolder& each : checkpoints)
      checkpoints_.push_back({each.path.filename().string(), each.step,
                              [path = each.path] { return open_folder(path, false); }, each.path.string(),
                              each.changed});
  }

  [[nodiscard]] const std::string& folder() const override { return folder_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const ModelConfig& config() const override { return config_; }
  [[nodiscard]] const std::shared_ptr<const ImportedTensors>& weights() const override { return weights_; }
  [[nodiscard]] bool has_tokenizer() const override { return tokenizer_.has_value(); }

  [[nodiscard]] Result<ModelText> tokens(std::string_view text, const std::optional<std::string>& second,
                                         bool for_decoder) const override {
    if (!tokenizer_) return tl::unexpected(tokenizer_.error());
    const Result<const Tokenizer*> tokenizer = for_decoder ? (*tokenizer_)->for_decoder() : tokenizer_->get();
    if (!tokenizer) return tl::unexpected(tokenizer.error());
    const std::optional<std::string_view> pair = second ? std::optional<std::string_view>(*second) : std::nullopt;
    const Result<TokenizedText> tokens = (*tokenizer)->encode(text, pair);
    if (!tokens) return tl::unexpected(tokens.error());
    ModelText result;
    result.text = text;
    for (std::size_t i = 0; i < tokens->ids.size(); ++i)
      add(tokens->ids[i], tokens->special[i], tokens->types[i], result);
    if (for_decoder) {
      if (const Result<void> shifted = shift_right(result); !shifted) return tl::unexpected(shifted.error());
    }
    if (std::all_of(result.types.begin(), result.types.end(), [](Index type) { return type == 0; }))
      result.types.clear();
    return result;
  }

  [[nodiscard]] std::string token_text(Index id) const override {
    const bool known = tokenizer_ && id >= 0 && id < static_cast<Index>((*tokenizer_)->size());
    return known ? shown_token(**tokenizer_, static_cast<int>(id), false) : "#" + std::to_string(id);
  }

  [[nodiscard]] Index vocabulary_size() const override {
    return tokenizer_ ? static_cast<Index>((*tokenizer_)->size()) : 0;
  }

  [[nodiscard]] std::optional<Index> unknown_token() const override {
    return tokenizer_ ? std::optional<Index>((*tokenizer_)->unknown()) : std::nullopt;
  }

  [[nodiscard]] std::span<const Checkpoint> checkpoints() const override { return checkpoints_; }

  [[nodiscard]] const ModelFolder& files() const { return files_; }

 private:
  void add(int id, bool special, Index type, ModelText& text) const {
    text.ids.push_back(id);
    text.pieces.push_back(shown_token(**tokenizer_, id, special));
    text.special.push_back(special);
    text.types.push_back(type);
  }

  /// Decoder input: decoder_start_token_id, then the text without its final special token.
  [[nodiscard]] Result<void> shift_right(ModelText& text) const {
    const Result<Index> id = decoder_start_id(config_);
    if (!id) return fail(path_text(files_.config / kConfigFile) + ": " + id.error().message);
    ModelText started;
    started.text = std::move(text.text);
    add(static_cast<int>(*id), true, 0, started);
    const bool ends = !text.special.empty() && text.special.back();
    for (std::size_t i = 0; i + (ends ? 1 : 0) < text.ids.size(); ++i)
      add(static_cast<int>(text.ids[i]), text.special[i], text.types[i], started);
    text = std::move(started);
    return {};
  }

  ModelFolder files_;
  std::string folder_;
  std::string name_;
  ModelConfig config_;
  std::shared_ptr<const ImportedTensors> weights_;
  Result<SharedTokenizer> tokenizer_;
  std::vector<Checkpoint> checkpoints_;
};

/// config.json, and the fields of preprocessor_config.json behind "preprocessor.".
Result<ModelConfig> read_configs(const std::filesystem::path& folder) {
  Result<ModelConfig> config = read_model_config(folder / kConfigFile);
  std::error_code error;
  if (!config || !std::filesystem::exists(std::filesystem::symlink_status(folder / kPreprocessorFile, error)))
    return config;
  Result<ModelConfig> preprocessor = read_model_config(folder / kPreprocessorFile);
  if (!preprocessor) return preprocessor;
  for (auto& [name, value] : *preprocessor) config->insert_or_assign("preprocessor." + name, std::move(value));
  return config;
}

Result<std::shared_ptr<const Model>> open_folder(const std::filesystem::path& path, bool with_checkpoints) {
  Result<ModelFolder> folder = find_model(path);
  if (!folder) return tl::unexpected(folder.error());
  Result<ModelConfig> config = read_configs(folder->config);
  if (!config) return tl::unexpected(config.error());
  Result<std::shared_ptr<const ImportedTensors>> weights = open_model_weights(*folder);
  if (!weights) return tl::unexpected(weights.error());
  Result<SharedTokenizer> tokenizer = Tokenizer::read(folder->config);
  const std::vector<CheckpointFolder> checkpoints =
      with_checkpoints ? find_checkpoints(*folder) : std::vector<CheckpointFolder>();
  const std::shared_ptr<const Model> model = std::make_shared<FolderModel>(
      std::move(*folder), std::move(*config), std::move(*weights), std::move(tokenizer), checkpoints);
  if (const Result<void> whole = check_model(model); !whole) return fail(printable(whole.error().message));
  return model;
}

}  // namespace

Result<std::shared_ptr<const Model>> open_model(const std::filesystem::path& path) { return open_folder(path, true); }

std::optional<std::filesystem::path> example_picture(const Model& model) {
  const auto* const from_folder = dynamic_cast<const FolderModel*>(&model);
  const Result<const ModelFamily*> family = family_of(model);
  const auto field = model.config().find("attnscope_example");
  if (from_folder == nullptr || !family || (*family)->input != ModelInput::picture || field == model.config().end())
    return std::nullopt;
  const auto* const name = std::get_if<std::string>(&field->second);
  // A name in the folder, and no path out of it.
  if (name == nullptr || name->empty() || std::filesystem::path(*name).filename() != *name || *name == "..")
    return std::nullopt;
  return from_folder->files().config / *name;
}

std::vector<std::string> files_of_model(const Model& model) {
  const auto* const from_folder = dynamic_cast<const FolderModel*>(&model);
  if (from_folder == nullptr) return {};
  const ModelFolder& folder = from_folder->files();
  std::vector<std::string> files = {(folder.config / kConfigFile).string()};
  for (const auto& [shard, names] : folder.shards) files.push_back((folder.weights / shard).string());
  if (folder.indexed) files.push_back((folder.weights / kShardIndexFile).string());
  std::error_code error;
  if (std::filesystem::exists(folder.config / kPreprocessorFile, error))
    files.push_back((folder.config / kPreprocessorFile).string());
  for (const std::filesystem::path& file : Tokenizer::files(folder.config)) files.push_back(file.string());
  if (const std::optional<std::filesystem::path> picture = example_picture(model)) files.push_back(picture->string());
  return files;
}

}  // namespace attnscope
