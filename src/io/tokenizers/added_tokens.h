// Tokens that are found in a text as they are written, before the model sees it: <|endoftext|>, [MASK].
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "io/tokenizers/aligned_text.h"
#include "io/tokenizers/normalizers.h"
#include "io/tokenizers/piece_trie.h"

namespace attnscope {

struct AddedToken {
  int id = 0;
  std::string content;
  bool special = false;
  bool strips_left = false;   ///< takes the white space in front of it
  bool strips_right = false;  ///< and after it
  bool single_word = false;   ///< only where no word continues
  bool normalized = false;    ///< found in the normalized text
};

/// A part of a text: an added token, or what lies between two of them.
struct TextSection {
  ByteRange range;
  const AddedToken* token;  ///< nullptr: none
};

class AddedTokens {
 public:
  AddedTokens() = default;
  /// From the list `added_tokens` of tokenizer.json.
  static Result<AddedTokens> parse(const nlohmann::json& list, const Normalizer& normalizer);

  /// Cuts `text` at the added tokens: at those that are found in normalized text, or at the others.
  [[nodiscard]] std::vector<TextSection> sections(std::string_view text, bool normalized) const;
  [[nodiscard]] const std::vector<AddedToken>& tokens() const { return tokens_; }

 private:
  std::vector<AddedToken> tokens_;
  PieceTrie plain_;  // the values are positions in `tokens_`
  PieceTrie normalized_;
};

}  // namespace attnscope
