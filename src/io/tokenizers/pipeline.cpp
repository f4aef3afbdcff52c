// The way of tokenizer.json: added tokens, normalizer, pre-tokenizer, model.
#include <map>
#include <unordered_map>
#include <utility>

#include "io/tokenizers/added_tokens.h"
#include "io/tokenizers/fields.h"
#include "io/tokenizers/piece_decoder.h"
#include "io/tokenizers/pre_tokenizers.h"
#include "io/tokenizers/text_encoder.h"
#include "io/tokenizers/token_model.h"

namespace attnscope {
namespace {

using nlohmann::json;

/// The tokens of words that have been seen, while one text is encoded.
class WordCache {
 public:
  explicit WordCache(const TokenModel& model) : model_(model) {}

  /// The result is valid until the next call.
  const std::vector<WordToken>& tokens_of(std::string_view word) {
    constexpr std::size_t kMaxBytes = 64;  // longer words hardly occur twice
    constexpr std::size_t kMaxWords = 100'000;
    if (const auto found = known_.find(word); found != known_.end()) return found->second;
    tokens_.clear();
    model_.tokenize(word, tokens_);
    if (word.size() <= kMaxBytes && known_.size() < kMaxWords) known_.emplace(std::string(word), tokens_);
    return tokens_;
  }

 private:
  const TokenModel& model_;
  std::unordered_map<std::string, std::vector<WordToken>, PieceHash, std::equal_to<>> known_;
  std::vector<WordToken> tokens_;
};

class Pipeline final : public TextEncoder {
 public:
  Pipeline(AddedTokens added, Normalizer normalizer, PreTokenizer pre_tokenizer, std::unique_ptr<TokenModel> model,
           PieceDecoder decoder)
      : added_(std::move(added)),
        normalizer_(std::move(normalizer)),
        pre_tokenizer_(std::move(pre_tokenizer)),
        model_(std::move(model)),
        decoder_(std::move(decoder)) {
    size_ = model_->vocabulary().size();
    for (const AddedToken& token : added_.tokens()) {
      added_by_id_.emplace(token.id, &token);
      added_by_content_.emplace(token.content, token.id);
      size_ = std::max(size_, static_cast<std::size_t>(token.id) + 1);
    }
  }

  [[nodiscard]] Result<std::vector<TextToken>> encode(std::string_view text) const override {
    const AlignedText all(text);
    WordCache cache(*model_);
    std::vector<TextToken> tokens;
    for (const TextSection& section : added_.sections(text, false)) {
      if (section.token != nullptr) {
        tokens.push_back({section.token->id, section.range, section.token->special});
        continue;
      }
      AlignedText part;
      part.append(all, section.range);
      if (const Result<void> done = encode_part(std::move(part), cache, tokens); !done)
        return tl::unexpected(done.error());
    }
    return tokens;
  }

  [[nodiscard]] std::string piece(int id) const override {
    const auto added = added_by_id_.find(id);
    return added != added_by_id_.end() ? added->second->content : std::string(model_->vocabulary().piece(id));
  }

  [[nodiscard]] std::string text_of(int id) const override {
    return added_by_id_.contains(id) ? piece(id) : decoder_(piece(id));
  }

  [[nodiscard]] std::optional<int> id_of(std::string_view piece) const override {
    const auto added = added_by_content_.find(piece);
    return added != added_by_content_.end() ? std::optional(added->second) : model_->vocabulary().id(piece);
  }

  [[nodiscard]] std::optional<int> unknown() const override { return model_->unknown(); }
  [[nodiscard]] std::size_t size() const override { return size_; }

 private:
  /// Appends the tokens of a part between the added tokens that are found in plain text.
  Result<void> encode_part(AlignedText part, WordCache& cache, std::vector<TextToken>& tokens) const {
    const Result<AlignedText> normalized = normalizer_(std::move(part));
    if (!normalized) return tl::unexpected(normalized.error());
    for (const TextSection& section : added_.sections(normalized->text(), true)) {
      if (section.token != nullptr) {
        tokens.push_back({section.token->id, normalized->origin(section.range), section.token->special});
        continue;
      }
      Words words;
      words.text.append(*normalized, section.range);
      words.words.push_back({0, words.text.size()});
      const Result<Words> cut = pre_tokenizer_(std::move(words));
      if (!cut) return tl::unexpected(cut.error());
      for (const ByteRange word : cut->words) {
        for (const WordToken& token : cache.tokens_of(word.in(cut->text.text()))) {
          const ByteRange range = {word.from + token.range.from, word.from + token.range.to};
          tokens.push_back({token.id, cut->text.origin(range), false});
        }
      }
    }
    return {};
  }

  AddedTokens added_;
  Normalizer normalizer_;
  PreTokenizer pre_tokenizer_;
  std::unique_ptr<TokenModel> model_;
  PieceDecoder decoder_;
  std::unordered_map<int, const AddedToken*> added_by_id_;
  std::map<std::string, int, std::less<>> added_by_content_;
  std::size_t size_ = 0;
};

}  // namespace

Result<std::unique_ptr<const TextEncoder>> parse_pipeline(const json& document) {
  // Truncation and padding are for batches: a text is always shown in full.
  Fields fields(document, "");
  const json& list = fields.list("added_tokens");
  if (!fields.has("model")) fields.refuse("model", "an object");
  if (const Result<void> checked = fields.checked(); !checked) return tl::unexpected(checked.error());
  const auto part = [&](const char* name) { return document.value(name, json()); };
  Result<Normalizer> normalizer = parse_normalizer(part("normalizer"), "normalizer");
  if (!normalizer) return tl::unexpected(normalizer.error());
  Result<PreTokenizer> pre_tokenizer = parse_pre_tokenizer(part("pre_tokenizer"), "pre_tokenizer");
  if (!pre_tokenizer) return tl::unexpected(pre_tokenizer.error());
  Result<PieceDecoder> decoder = parse_decoder(part("decoder"), "decoder");
  if (!decoder) return tl::unexpected(decoder.error());
  Result<AddedTokens> added = AddedTokens::parse(list, *normalizer);
  if (!added) return tl::unexpected(added.error());
  Result<std::unique_ptr<TokenModel>> model = parse_token_model(document["model"]);
  if (!model) return tl::unexpected(model.error());
  return std::make_unique<const Pipeline>(std::move(*added), std::move(*normalizer), std::move(*pre_tokenizer),
                                          std::move(*model), std::move(*decoder));
}

}  // namespace attnscope
