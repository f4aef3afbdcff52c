#include "io/tokenizers/sentencepiece_file.h"

#include <algorithm>
#include <utility>

#include "io/base/printable.h"
#include "io/tokenizers/tokenizer.h"
#include "io/tokenizers/tokenizer_files.h"

#ifdef ATTNSCOPE_SENTENCEPIECE
#include <sentencepiece_processor.h>

#include <array>
#include <limits>

#include "io/base/file.h"
#include "io/tokenizers/added_tokens.h"
#include "io/tokenizers/byte_level.h"
#include "io/tokenizers/charsmap.h"
#include "io/tokenizers/fields.h"
#include "io/tokenizers/token_model.h"
#include "io/tokenizers/vocabulary.h"
#include "io/tokenizers/vocabulary_files.h"
#endif

namespace attnscope {

std::vector<std::filesystem::path> sentencepiece_files(const std::filesystem::path& folder, std::error_code& error) {
  std::vector<std::filesystem::path> models;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == kSentencePieceExtension) models.push_back(at->path());
  }
  std::sort(models.begin(), models.end());
  return models;
}

Result<std::optional<std::filesystem::path>> find_sentencepiece(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder / kMarianFile, error)) return folder / kMarianFile;
  const std::vector<std::filesystem::path> models = sentencepiece_files(folder, error);
  if (error) return fail(path_text(folder) + ": " + error.message());
  if (models.empty()) return std::nullopt;
  if (models.size() > 1) {
    return fail(path_text(folder) + ": two SentencePiece models, " + path_text(models[0].filename()) + " and " +
                path_text(models[1].filename()) + "; allowed: one");
  }
  // Its ids are not those of the model: fairseq's four special tokens come first.
  if (models.front().filename() == "sentencepiece.bpe.model")
    return fail(path_text(models.front()) + ": cannot be read alone; save the tokenizer as tokenizer.json");
  return models.front();
}

#ifdef ATTNSCOPE_SENTENCEPIECE

namespace {

using nlohmann::json;
using Processor = sentencepiece::SentencePieceProcessor;
using SharedTokenizer = std::shared_ptr<const Tokenizer>;

constexpr const char* kSpace = "▁";

class SentencePieceEncoder final : public TextEncoder {
 public:
  /// `vocabulary` has the ids of the pieces where the model has others (Marian).
  SentencePieceEncoder(std::unique_ptr<Processor> processor, AddedTokens added, std::optional<Vocabulary> vocabulary)
      : processor_(std::move(processor)), added_(std::move(added)), vocabulary_(std::move(vocabulary)) {
    for (const AddedToken& token : added_.tokens()) added_pieces_.add(token.content, token.id);
  }

  [[nodiscard]] Result<std::vector<TextToken>> encode(std::string_view text) const override {
    std::vector<TextToken> tokens;
    for (const TextSection& section : added_.sections(text, false)) {
      if (section.token != nullptr) {
        tokens.push_back({section.token->id, section.range, section.token->special});
        continue;
      }
      try {
        append(text, section.range, tokens);
      } catch (const std::exception& error) {
        return fail(std::string("SentencePiece: ") + printable(error.what()));
      }
    }
    return tokens;
  }

  [[nodiscard]] std::string piece(int id) const override {
    if (const std::string_view added = added_pieces_.piece(id); !added.empty()) return std::string(added);
    if (vocabulary_) return std::string(vocabulary_->piece(id));
    return id >= 0 && id < processor_->GetPieceSize() ? processor_->IdToPiece(id) : "";
  }

  [[nodiscard]] std::string text_of(int id) const override {
    std::string text = piece(id);
    if (const std::optional<char> byte = byte_of_fallback_piece(text)) return {*byte};
    const std::string space = kSpace;
    for (std::size_t at = text.find(space); at != std::string::npos; at = text.find(space, at + 1))
      text.replace(at, space.size(), " ");
    return text;
  }

  [[nodiscard]] std::optional<int> id_of(std::string_view piece) const override {
    if (const std::optional<int> added = added_pieces_.id(piece)) return added;
    if (vocabulary_) return vocabulary_->id(piece);
    const int id = processor_->PieceToId(std::string(piece));
    const bool found = id >= 0 && id < processor_->GetPieceSize() && processor_->IdToPiece(id) == piece;
    return found ? std::optional(id) : std::nullopt;
  }

  [[nodiscard]] std::optional<int> unknown() const override {
    if (vocabulary_) return vocabulary_->id("<unk>");
    const int id = processor_->unk_id();
    return id >= 0 ? std::optional(id) : std::nullopt;
  }

  [[nodiscard]] std::size_t size() const override {
    const std::size_t own =
        vocabulary_ ? vocabulary_->size() : static_cast<std::size_t>(std::max(processor_->GetPieceSize(), 0));
    return std::max(own, added_pieces_.size());
  }

 private:
  void append(std::string_view text, ByteRange range, std::vector<TextToken>& tokens) const {
    const std::string part(range.in(text));
    const auto pieces = processor_->EncodeAsImmutableProto(part);
    for (std::size_t i = 0; i < pieces.pieces_size(); ++i) {
      const auto piece = pieces.pieces(static_cast<int>(i));
      int id = static_cast<int>(piece.id());
      if (vocabulary_) id = vocabulary_->id(piece.piece()).value_or(unknown().value_or(0));
      const std::size_t end = std::min<std::size_t>(piece.end(), part.size());
      const std::size_t begin = std::min<std::size_t>(piece.begin(), end);
      tokens.push_back({id, {range.from + begin, range.from + end}, false});
    }
  }

  std::unique_ptr<Processor> processor_;
  AddedTokens added_;
  Vocabulary added_pieces_;
  std::optional<Vocabulary> vocabulary_;
};

/// Whether the tokenizer puts a token (bos, eos) at an end of the text: its configuration says so, otherwise its kind.
bool adds(const json& config, const char* name, bool of_kind) {
  if (!config.is_object()) return of_kind;
  const auto found = config.find(name);
  return found != config.end() && found->is_boolean() ? found->get<bool>() : of_kind;
}

bool begins_texts(const std::string& kind) {
  constexpr std::array<std::string_view, 4> kKinds = {"llama", "gemma", "mistral", "mixtral"};
  return std::ranges::any_of(kKinds, [&](std::string_view part) { return kind.find(part) != std::string::npos; });
}

/// T5, mT5, LongT5, but not T5Gemma.
bool is_t5(std::string_view kind) { return kind.ends_with("t5"); }

/// Each text between the tokens that begin and end it.
TokenTemplate template_of(std::optional<int> begin, std::optional<int> end) {
  using Kind = TemplatePart::Kind;
  TokenTemplate result;
  result.single.clear();
  result.pair.clear();
  for (const Kind kind : {Kind::first_text, Kind::second_text}) {
    std::vector<TemplatePart> part;
    if (begin) part.push_back({Kind::tokens, 0, {*begin}});
    part.push_back({kind, 0});
    if (end) part.push_back({Kind::tokens, 0, {*end}});
    if (kind == Kind::first_text) result.single = part;
    result.pair.insert(result.pair.end(), part.begin(), part.end());
  }
  return result;
}

/// The pieces that a text has only where they are written in it.
json pieces_of(const Processor& processor) {
  json pieces = json::object();
  for (int id = 0; id < processor.GetPieceSize(); ++id) {
    if (processor.IsControl(id) || processor.IsUnknown(id)) pieces[processor.IdToPiece(id)] = static_cast<unsigned>(id);
  }
  return pieces;
}

/// What T5 appends to the pieces of its model: <extra_id_99> to <extra_id_0>. They take the white space around them.
Result<json> extra_ids(const json& config, int pieces) {
  constexpr int kDefault = 100;
  constexpr int kMax = 10'000;
  const json none = json::object();
  Fields fields(config.is_object() ? config : none, "");
  const int count = fields.number("extra_ids", kMax, kDefault);
  if (const Result<void> checked = fields.checked(); !checked) return tl::unexpected(checked.error());
  json tokens = json::array();
  for (int i = 0; i < count; ++i) {
    tokens.push_back({{"id", static_cast<unsigned>(pieces + count - 1 - i)},
                      {"content", "<extra_id_" + std::to_string(i) + ">"},
                      {"lstrip", true},
                      {"rstrip", true}});
  }
  return tokens;
}

/// Marian's codes of languages, ">>fr<<", which are pieces of its vocabulary and not of its models.
json language_codes(const json& pieces) {
  json tokens = json::array();
  for (const auto& [piece, id] : pieces.items()) {
    if (piece.size() > 4 && piece.starts_with(">>") && piece.ends_with("<<"))
      tokens.push_back({{"content", piece}, {"special", false}});
  }
  return tokens;
}

/// Reads a protocol buffer field by field.
class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view bytes) : rest_(bytes) {}

  struct Field {
    std::uint64_t number;
    std::string_view bytes;  ///< empty if the field is a number
  };

  /// The next field; nothing at the end, and where the bytes are no protocol buffer.
  std::optional<Field> next() {
    const std::optional<std::uint64_t> key = take_number();
    if (!key) return std::nullopt;
    std::optional<std::uint64_t> size = 0;
    switch (*key & 7U) {
      case 0: return take_number() ? std::optional(Field{*key >> 3U, {}}) : std::nullopt;
      case 1: size = 8; break;
      case 2: size = take_number(); break;
      case 5: size = 4; break;
      default: return std::nullopt;
    }
    if (!size || *size > rest_.size()) return std::nullopt;
    const Field field = {*key >> 3U, rest_.substr(0, *size)};
    rest_.remove_prefix(*size);
    return field;
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::optional<std::uint64_t> take_number() {
    constexpr unsigned kMaxShift = 63;
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift <= kMaxShift && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

/// The library follows the tries of a normalizer (fields 3 and 5) wherever they lead.
bool has_closed_tries(std::string_view model) {
  constexpr std::size_t kMaxCharsmap = 4'000'000;
  ProtobufReader fields(model);
  while (const auto field = fields.next()) {
    if (field->number != 3 && field->number != 5) continue;
    ProtobufReader parts(field->bytes);
    while (const auto part = parts.next()) {
      if (part->number != 2) continue;
      const Result<Charsmap> map = Charsmap::parse(part->bytes);
      if (part->bytes.size() > kMaxCharsmap || !map || !map->is_closed()) return false;
    }
    if (!parts.at_end()) return false;
  }
  return fields.at_end();
}

Result<std::unique_ptr<Processor>> load(const std::filesystem::path& file) {
  const Result<std::string> bytes = read_file(file, kMaxTokenizerBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  if (!has_closed_tries(*bytes)) return fail(path_text(file) + ": not a SentencePiece model");
  auto processor = std::make_unique<Processor>();
  try {
    if (const auto status = processor->LoadFromSerializedProto(*bytes); !status.ok())
      return fail(path_text(file) + ": not a SentencePiece model");
  } catch (const std::exception& error) {
    return fail(path_text(file) + ": " + printable(error.what()));
  }
  return processor;
}

/// The tokens that are found in a text before the model in `file` sees it; see `declared_tokens`.
Result<AddedTokens> added_tokens(const std::filesystem::path& file, const json& pieces, const json& of_kind) {
  const Result<json> declared = declared_tokens(file.parent_path(), pieces, of_kind);
  if (!declared) return tl::unexpected(declared.error());
  Result<AddedTokens> added = AddedTokens::parse(*declared, [](AlignedText text) { return text; });
  if (!added) return fail(path_text(file) + ": " + added.error().message);
  return added;
}

/// source.spm or target.spm. Their ids are those of vocab.json.
Result<SharedTokenizer> read_marian(const std::filesystem::path& file, Tokenizer::ForDecoder for_decoder) {
  Result<std::unique_ptr<Processor>> processor = load(file);
  if (!processor) return tl::unexpected(processor.error());
  const std::filesystem::path vocabulary_file = file.parent_path() / kVocabularyFile;
  const Result<json> pieces = read_optional_json(vocabulary_file);
  if (!pieces) return tl::unexpected(pieces.error());
  Result<Vocabulary> vocabulary = parse_vocabulary({{"vocab", *pieces}});
  if (!vocabulary) return fail(path_text(vocabulary_file) + ": " + vocabulary.error().message);
  Result<AddedTokens> added = added_tokens(file, *pieces, language_codes(*pieces));
  if (!added) return tl::unexpected(added.error());
  TokenTemplate with_template = template_of(std::nullopt, vocabulary->id("</s>"));
  return std::make_shared<const Tokenizer>(
      std::make_unique<SentencePieceEncoder>(std::move(*processor), std::move(*added), std::move(*vocabulary)),
      std::move(with_template), std::move(for_decoder));
}

/// A model with ids of its own.
Result<SharedTokenizer> read_model(const std::filesystem::path& file) {
  Result<std::unique_ptr<Processor>> processor = load(file);
  if (!processor) return tl::unexpected(processor.error());
  const std::filesystem::path folder = file.parent_path();
  const Result<json> model_config = read_optional_json(folder / kModelConfigFile);
  if (!model_config) return tl::unexpected(model_config.error());
  const Result<json> config = read_optional_json(folder / kTokenizerConfigFile);
  if (!config) return tl::unexpected(config.error());
  const std::string kind = tokenizer_kind(*model_config, *config);
  Result<json> of_kind = json::array();
  if (is_t5(kind)) of_kind = extra_ids(*config, (*processor)->GetPieceSize());
  if (!of_kind) return fail(path_text(folder / kTokenizerConfigFile) + ": " + of_kind.error().message);
  Result<AddedTokens> added = added_tokens(file, pieces_of(**processor), *of_kind);
  if (!added) return tl::unexpected(added.error());
  const auto added_if = [](bool is_added, int id) { return is_added && id >= 0 ? std::optional(id) : std::nullopt; };
  TokenTemplate with_template =
      template_of(added_if(adds(*config, "add_bos_token", begins_texts(kind)), (*processor)->bos_id()),
                  added_if(adds(*config, "add_eos_token", is_t5(kind)), (*processor)->eos_id()));
  return std::make_shared<const Tokenizer>(
      std::make_unique<SentencePieceEncoder>(std::move(*processor), std::move(*added), std::nullopt),
      std::move(with_template));
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> read_sentencepiece(const std::filesystem::path& file) {
  if (file.filename() != kMarianFile) return read_model(file);
  const std::filesystem::path target = file.parent_path() / kMarianTargetFile;
  std::error_code error;
  Tokenizer::ForDecoder for_decoder;
  if (std::filesystem::exists(target, error)) for_decoder = read_marian(target, std::nullopt);
  return read_marian(file, std::move(for_decoder));
}

#else

Result<std::shared_ptr<const Tokenizer>> read_sentencepiece(const std::filesystem::path& file) {
  return fail(path_text(file) +
              ": this attnscope was built without SentencePiece; save the tokenizer as tokenizer.json");
}

#endif

}  // namespace attnscope
