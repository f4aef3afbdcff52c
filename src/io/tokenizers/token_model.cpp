#include "io/tokenizers/token_model.h"

#include "core/base/text.h"
#include "io/base/json_value.h"
#include "io/tokenizers/byte_level.h"
#include "io/tokenizers/fields.h"

namespace attnscope {
namespace {

using nlohmann::json;

/// Old files do not name the type.
std::string guessed_type(Fields& fields) {
  if (fields.has("merges")) return "BPE";
  if (fields.has("unk_id")) return "Unigram";
  return fields.has("continuing_subword_prefix") ? "WordPiece" : "WordLevel";
}

}  // namespace

Result<std::unique_ptr<TokenModel>> parse_token_model(const json& value) {
  Fields fields(value, "model");
  const std::string type = fields.text("type", guessed_type(fields));
  if (const Result<void> checked = fields.checked(); !checked) return tl::unexpected(checked.error());
  if (type == "BPE") return parse_bpe(value);
  if (type == "Unigram") return parse_unigram(value);
  if (type == "WordPiece") return parse_word_piece(value);
  if (type == "WordLevel") return parse_word_level(value);
  fields.refuse("type", "BPE, Unigram, WordLevel or WordPiece");
  return tl::unexpected(fields.checked().error());
}

Result<Vocabulary> parse_vocabulary(const json& model) {
  Fields fields(model, "model");
  const json& pieces = fields.object("vocab");
  if (pieces.empty()) fields.refuse("vocab", "an object with at least one piece");
  if (const Result<void> checked = fields.checked(); !checked) return tl::unexpected(checked.error());
  Vocabulary vocabulary;
  for (const auto& [piece, id] : pieces.items()) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() > Vocabulary::kMaxId) {
      return fail("model.vocab: " + json_excerpt(id) + " for " + quoted_text(piece) +
                  " is not allowed; allowed: whole numbers from 0 to " + std::to_string(Vocabulary::kMaxId));
    }
    vocabulary.add(piece, id.get<int>());
  }
  return vocabulary;
}

ByteFallback::ByteFallback(const Vocabulary& vocabulary) {
  for (std::size_t byte = 0; byte < ids_.size(); ++byte)
    ids_[byte] = vocabulary.id(fallback_piece(static_cast<char>(byte))).value_or(-1);
}

bool ByteFallback::append(std::string_view word, ByteRange range, std::vector<WordToken>& to) const {
  const auto id_at = [&](std::size_t at) { return ids_[static_cast<unsigned char>(word[at])]; };
  for (std::size_t at = range.from; at < range.to; ++at) {
    if (id_at(at) < 0) return false;
  }
  for (std::size_t at = range.from; at < range.to; ++at) to.push_back({id_at(at), {at, at + 1}});
  return true;
}

}  // namespace attnscope
