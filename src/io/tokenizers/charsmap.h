// SentencePiece's precompiled normalization: a double-array trie of character sequences and what they become.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "io/tokenizers/aligned_text.h"
#include "io/tokenizers/regular_expression.h"

namespace attnscope {

class Charsmap {
 public:
  /// From the bytes of `precompiled_charsmap`. Empty: nothing is changed.
  static Result<Charsmap> parse(std::string_view bytes);
  /// From the same bytes in base64, as in tokenizer.json.
  static Result<Charsmap> parse_base64(std::string_view text);

  [[nodiscard]] Result<AlignedText> apply(const AlignedText& text) const;
  /// Whether no text leads outside of the trie or of the replacements. `apply` checks each step, but the SentencePiece
  /// library follows the trie unchecked.
  [[nodiscard]] bool is_closed() const;

 private:
  Charsmap(std::vector<std::uint32_t> units, std::string replacements, RegularExpression grapheme)
      : units_(std::move(units)), replacements_(std::move(replacements)), grapheme_(std::move(grapheme)) {}

  [[nodiscard]] std::optional<std::string_view> replacement(std::string_view text) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;  // each ends with a zero byte
  RegularExpression grapheme_;
};

}  // namespace attnscope
