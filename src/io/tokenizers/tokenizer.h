// Text as a model gets it: ids of tokens, as the Hugging Face libraries would give them.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "io/tokenizers/text_encoder.h"
#include "io/tokenizers/token_template.h"

namespace attnscope {

/// The tokens of a text as a model gets them. All lists have the same length.
struct TokenizedText {
  std::vector<int> ids;
  std::vector<std::string> pieces;                ///< as the vocabulary has them: "Ġthe", "##ing", "▁the", "[CLS]"
  std::vector<std::array<std::size_t, 2>> spans;  ///< [from, to) in bytes of the text; (0, 0) for tokens of a template
  std::vector<bool> special;                      ///< special tokens, of a template or written in the text
  std::vector<int> types;                         ///< 0: first text, 1: second text of a pair
};

/// Immutable; threads may share one.
class Tokenizer {
 public:
  /// Reads the tokenizer in a model's folder: tokenizer.json, or vocab.json with merges.txt, vocab.txt, source.spm (and
  /// target.spm) with vocab.json, or a SentencePiece model (*.model). The error is one line that names the file.
  static Result<std::shared_ptr<const Tokenizer>> read(const std::filesystem::path& folder);
  /// The files in a model's folder that a tokenizer may be read from.
  static std::vector<std::filesystem::path> files(const std::filesystem::path& folder);
  /// The tokenizer that the text of a tokenizer.json describes. Errors do not name a file.
  static Result<std::shared_ptr<const Tokenizer>> parse(std::string_view json);

  /// The tokenizer of a decoder's text, or why it cannot be read; none where it is the same one.
  using ForDecoder = std::optional<Result<std::shared_ptr<const Tokenizer>>>;

  Tokenizer(std::unique_ptr<const TextEncoder> encoder, TokenTemplate with_template,
            ForDecoder for_decoder = std::nullopt)
      : encoder_(std::move(encoder)), template_(std::move(with_template)), for_decoder_(std::move(for_decoder)) {}

  /// The tokens of a text, or of a pair of texts. A span includes the space that a piece like "Ġthe" stands for.
  [[nodiscard]] Result<TokenizedText> encode(std::string_view text, std::optional<std::string_view> second = {},
                                             bool with_template = true) const;
  /// The piece as the vocabulary has it; empty for an id without one.
  [[nodiscard]] std::string piece(int id) const { return encoder_->piece(id); }
  /// The bytes that the token stands for (" the" for "Ġthe"), which need not be whole characters.
  [[nodiscard]] std::string text_of(int id) const { return encoder_->text_of(id); }
  [[nodiscard]] std::optional<int> id_of(std::string_view piece) const { return encoder_->id_of(piece); }
  /// The token that stands for what the vocabulary lacks, if there is one.
  [[nodiscard]] std::optional<int> unknown() const { return encoder_->unknown(); }
  /// One more than the largest id.
  [[nodiscard]] std::size_t size() const { return encoder_->size(); }
  /// The tokenizer of the text that a decoder continues, with the same ids: that of target.spm (Marian), otherwise this
  /// one. It lives as long as this one. The error names the file.
  [[nodiscard]] Result<const Tokenizer*> for_decoder() const;

 private:
  std::unique_ptr<const TextEncoder> encoder_;
  TokenTemplate template_;
  ForDecoder for_decoder_;
};

}  // namespace attnscope
