#include "io/tokenizers/tokenizer.h"

#include <system_error>
#include <utility>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "io/base/byte_source.h"
#include "io/base/file.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"
#include "io/tokenizers/sentencepiece_file.h"
#include "io/tokenizers/tokenizer_files.h"
#include "io/tokenizers/vocabulary_files.h"

namespace attnscope {
namespace {

using nlohmann::json;
using SharedTokenizer = std::shared_ptr<const Tokenizer>;

Result<std::vector<TextToken>> encode_checked(const TextEncoder& encoder, std::string_view text, const char* what) {
  if (text.size() > AlignedText::kMaxBytes) {
    return fail(std::string(what) + ": " + size_text(text.size()) +
                " are not allowed; allowed: " + size_text(AlignedText::kMaxBytes));
  }
  if (!is_utf8(text)) return fail(std::string(what) + " is not UTF-8");
  return encoder.encode(text);
}

void append_part(const TextEncoder& encoder, const std::vector<TextToken>& tokens, int type, TokenizedText& to) {
  for (const TextToken& token : tokens) {
    to.ids.push_back(token.id);
    to.pieces.push_back(encoder.piece(token.id));
    to.spans.push_back({token.range.from, token.range.to});
    to.special.push_back(token.special);
    to.types.push_back(type);
  }
}

Result<SharedTokenizer> from_document(const json& document) {
  Result<std::unique_ptr<const TextEncoder>> encoder = parse_pipeline(document);
  if (!encoder) return tl::unexpected(encoder.error());
  Result<TokenTemplate> with_template = parse_template(document.value("post_processor", json()), "post_processor");
  if (!with_template) return tl::unexpected(with_template.error());
  return std::make_shared<const Tokenizer>(std::move(*encoder), std::move(*with_template));
}

Result<SharedTokenizer> named(const std::filesystem::path& file, Result<SharedTokenizer> tokenizer) {
  if (!tokenizer) return fail(path_text(file) + ": " + tokenizer.error().message);
  return tokenizer;
}

Result<SharedTokenizer> read_json(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file, kMaxTokenizerBytes);
  if (!text) return tl::unexpected(text.error());
  return named(file, Tokenizer::parse(*text));
}

/// The tokenizer that other files than tokenizer.json describe.
Result<SharedTokenizer> read_vocabulary(Result<json> document, const std::filesystem::path& file) {
  if (!document) return tl::unexpected(document.error());
  return named(file, from_document(*document));
}

}  // namespace

Result<SharedTokenizer> Tokenizer::parse(std::string_view text) {
  const Result<json> document = parse_json(text);
  if (!document) return tl::unexpected(document.error());
  return from_document(*document);
}

Result<SharedTokenizer> Tokenizer::read(const std::filesystem::path& folder) {
  std::error_code error;
  const auto has = [&](const char* name) { return std::filesystem::exists(folder / name, error); };
  if (has(kTokenizerFile)) return read_json(folder / kTokenizerFile);
  if (has(kVocabularyFile) && has(kMergesFile))
    return read_vocabulary(read_bpe_files(folder), folder / kVocabularyFile);
  if (has(kBertVocabularyFile)) return read_vocabulary(read_bert_files(folder), folder / kBertVocabularyFile);
  const Result<std::optional<std::filesystem::path>> model = find_sentencepiece(folder);
  if (!model) return tl::unexpected(model.error());
  if (!*model) {
    return fail(path_text(folder) +
                ": no tokenizer; needs tokenizer.json, vocab.json and merges.txt, vocab.txt, or a SentencePiece model");
  }
  return read_sentencepiece(**model);
}

std::vector<std::filesystem::path> Tokenizer::files(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files = sentencepiece_files(folder, error);
  for (const char* const name : kTokenizerFiles) {
    if (std::filesystem::exists(folder / name, error)) files.push_back(folder / name);
  }
  return files;
}

Result<const Tokenizer*> Tokenizer::for_decoder() const {
  if (!for_decoder_) return this;
  if (!*for_decoder_) return tl::unexpected(for_decoder_->error());
  return (*for_decoder_)->get();
}

Result<TokenizedText> Tokenizer::encode(std::string_view text, std::optional<std::string_view> second,
                                        bool with_template) const {
  Result<std::vector<TextToken>> first_tokens = encode_checked(*encoder_, text, "the text");
  if (!first_tokens) return tl::unexpected(first_tokens.error());
  Result<std::vector<TextToken>> second_tokens;
  if (second) second_tokens = encode_checked(*encoder_, *second, "the second text");
  if (!second_tokens) return tl::unexpected(second_tokens.error());
  const TokenTemplate plain;
  const TokenTemplate& chosen = with_template ? template_ : plain;
  TokenizedText result;
  for (const TemplatePart& part : second ? chosen.pair : chosen.single) {
    switch (part.kind) {
      case TemplatePart::Kind::first_text: append_part(*encoder_, *first_tokens, part.type, result); break;
      case TemplatePart::Kind::second_text: append_part(*encoder_, *second_tokens, part.type, result); break;
      case TemplatePart::Kind::tokens:
        for (const int id : part.ids) append_part(*encoder_, {{id, {0, 0}, true}}, part.type, result);
    }
  }
  return result;
}

}  // namespace attnscope
