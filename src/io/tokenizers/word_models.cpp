// Models that look words up: WordPiece, which cuts what it does not know into pieces that it knows, and WordLevel.
#include <algorithm>
#include <utility>

#include "core/base/utf8.h"
#include "io/tokenizers/fields.h"
#include "io/tokenizers/token_model.h"

namespace attnscope {
namespace {

using nlohmann::json;

class WordPieceModel final : public TokenModel {
 public:
  WordPieceModel(Vocabulary vocabulary, int unknown, std::string prefix, std::size_t max_characters)
      : vocabulary_(std::move(vocabulary)),
        unknown_(unknown),
        prefix_(std::move(prefix)),
        max_characters_(max_characters) {}

  /// Takes the longest piece that fits, again and again; a word with a part that nothing fits is unknown as a whole.
  void tokenize(std::string_view word, std::vector<WordToken>& to) const override {
    const std::size_t before = to.size();
    const bool fits = character_count(word) <= max_characters_;
    for (std::size_t at = 0; at < word.size();) {
      const std::optional<WordToken> token = fits ? longest_at(word, at) : std::nullopt;
      if (!token) {
        to.resize(before);
        to.push_back({unknown_, {0, word.size()}});
        return;
      }
      to.push_back(*token);
      at = token->range.to;
    }
  }

  [[nodiscard]] const Vocabulary& vocabulary() const override { return vocabulary_; }
  [[nodiscard]] std::optional<int> unknown() const override { return unknown_; }

 private:
  [[nodiscard]] std::optional<WordToken> longest_at(std::string_view word, std::size_t at) const {
    std::string piece = at > 0 ? prefix_ : "";
    const std::size_t begin = piece.size();
    piece += utf8_prefix(word.substr(at), vocabulary_.longest());
    while (piece.size() > begin) {
      if (const std::optional<int> id = vocabulary_.id(piece)) return WordToken{*id, {at, at + piece.size() - begin}};
      piece.resize(utf8_prefix(piece, piece.size() - 1).size());
    }
    return std::nullopt;
  }

  Vocabulary vocabulary_;
  int unknown_;
  std::string prefix_;
  std::size_t max_characters_;
};

class WordLevelModel final : public TokenModel {
 public:
  WordLevelModel(Vocabulary vocabulary, std::optional<int> unknown)
      : vocabulary_(std::move(vocabulary)), unknown_(unknown) {}

  void tokenize(std::string_view word, std::vector<WordToken>& to) const override {
    std::optional<int> id = vocabulary_.id(word);
    if (!id) id = unknown_;
    if (id) to.push_back({*id, {0, word.size()}});
  }

  [[nodiscard]] const Vocabulary& vocabulary() const override { return vocabulary_; }
  [[nodiscard]] std::optional<int> unknown() const override { return unknown_; }

 private:
  Vocabulary vocabulary_;
  std::optional<int> unknown_;
};

}  // namespace

Result<std::unique_ptr<TokenModel>> parse_word_piece(const json& value) {
  Result<Vocabulary> vocabulary = parse_vocabulary(value);
  if (!vocabulary) return tl::unexpected(vocabulary.error());
  Fields fields(value, "model");
  const std::optional<int> unknown = vocabulary->id(fields.text("unk_token", "[UNK]"));
  if (!unknown) fields.refuse("unk_token", "a piece of the vocabulary");
  constexpr int kDefaultCharacters = 100;
  constexpr int kMostCharacters = 1000;
  const int characters = fields.number("max_input_chars_per_word", kMostCharacters, kDefaultCharacters);
  std::string prefix = fields.text("continuing_subword_prefix", "##");
  if (const Result<void> checked = fields.checked(); !checked) return tl::unexpected(checked.error());
  return std::make_unique<WordPieceModel>(std::move(*vocabulary), *unknown, std::move(prefix),
                                          static_cast<std::size_t>(characters));
}

Result<std::unique_ptr<TokenModel>> parse_word_level(const json& value) {
  Result<Vocabulary> vocabulary = parse_vocabulary(value);
  if (!vocabulary) return tl::unexpected(vocabulary.error());
  Fields fields(value, "model");
  const std::string unknown = fields.text("unk_token", "<unk>");
  if (const Result<void> checked = fields.checked(); !checked) return tl::unexpected(checked.error());
  const std::optional<int> id = vocabulary->id(unknown);
  return std::make_unique<WordLevelModel>(std::move(*vocabulary), id);
}

}  // namespace attnscope
