// The models of tokenizer.json: how a word becomes tokens.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "io/tokenizers/aligned_text.h"
#include "io/tokenizers/vocabulary.h"

namespace attnscope {

/// A token and the bytes of the word that it stands for.
struct WordToken {
  int id;
  ByteRange range;
};

/// Immutable.
class TokenModel {
 public:
  TokenModel() = default;
  TokenModel(const TokenModel&) = delete;
  TokenModel& operator=(const TokenModel&) = delete;
  virtual ~TokenModel() = default;

  /// Appends the tokens of `word`, which is UTF-8 and not empty.
  virtual void tokenize(std::string_view word, std::vector<WordToken>& to) const = 0;
  [[nodiscard]] virtual const Vocabulary& vocabulary() const = 0;
  /// The token that stands for what the vocabulary lacks, if there is one.
  [[nodiscard]] virtual std::optional<int> unknown() const = 0;
};

/// The `model` of tokenizer.json.
Result<std::unique_ptr<TokenModel>> parse_token_model(const nlohmann::json& value);

// One for each type, in a file of its own. Errors begin with "model".
Result<std::unique_ptr<TokenModel>> parse_bpe(const nlohmann::json& value);
Result<std::unique_ptr<TokenModel>> parse_unigram(const nlohmann::json& value);
Result<std::unique_ptr<TokenModel>> parse_word_piece(const nlohmann::json& value);
Result<std::unique_ptr<TokenModel>> parse_word_level(const nlohmann::json& value);

/// The field `vocab` of the object `model`: {piece: id}.
Result<Vocabulary> parse_vocabulary(const nlohmann::json& model);

/// The tokens <0x00> to <0xFF>, which stand for bytes of characters that a vocabulary lacks.
class ByteFallback {
 public:
  /// None of them.
  ByteFallback() { ids_.fill(-1); }
  explicit ByteFallback(const Vocabulary& vocabulary);

  /// Appends a token for each byte of `range` of `word`. Appends nothing and returns false if one is missing.
  bool append(std::string_view word, ByteRange range, std::vector<WordToken>& to) const;

 private:
  std::array<int, 256> ids_{};  // -1: not in the vocabulary
};

}  // namespace attnscope
