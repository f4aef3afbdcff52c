#include "io/tokenizers/sentencepiece_file.h"

#include <algorithm>
#include <utility>

#include "io/base/printable.h"
#include "io/tokenizers/tokenizer.h"
#include "io/tokenizers/tokenizer_files.h"

#ifdef ATTNSCOPE_SENTENCEPIECE
#include <sentencepiece_processor.h>

#include <limits>

#include "io/base/file.h"
#include "io/tokenizers/added_tokens.h"
#include "io/tokenizers/byte_level.h"
#include "io/tokenizers/charsmap.h"
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

constexpr const char* kSpace = "▁";

class SentencePieceEncoder final : public TextEncoder {
 public:
  /// `vocabulary` has the ids of the pieces where the model has others (Marian).
  SentencePieceEncoder(std::unique_ptr<Processor> processor, AddedTokens added, std::optional<Vocabulary> vocabulary)
      : processor_(std::move(processor)), added_(std::move(added)), vocabulary_(std::move(vocabulary)) {}

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
    for (const AddedToken& token : added_.tokens()) {
      if (token.id == id) return token.content;
    }
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
    for (const AddedToken& token : added_.tokens()) {
      if (token.content == piece) return token.id;
    }
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
    std::size_t all =
        vocabulary_ ? vocabulary_->size() : static_cast<std::size_t>(std::max(processor_->GetPieceSize(), 0));
    for (const AddedToken& token : added_.tokens()) all = std::max(all, static_cast<std::size_t>(token.id) + 1);
    return all;
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
  std::optional<Vocabulary> vocabulary_;
};

/// Whether the tokenizer puts a token (bos, eos) at an end of the text.
bool adds(const json& config, const char* name, std::initializer_list<std::string_view> classes) {
  if (!config.is_object()) return false;
  if (const auto found = config.find(name); found != config.end() && found->is_boolean()) return found->get<bool>();
  const auto kind = config.find("tokenizer_class");
  if (kind == config.end() || !kind->is_string()) return false;
  std::string_view called = kind->get_ref<const std::string&>();
  if (called.ends_with("Fast")) called.remove_suffix(4);
  return std::find(classes.begin(), classes.end(), called) != classes.end();
}

TokenTemplate template_of(const json& config, std::optional<int> begin, std::optional<int> end) {
  using Kind = TemplatePart::Kind;
  TokenTemplate result;
  result.single.clear();
  result.pair.clear();
  for (const Kind kind : {Kind::first_text, Kind::second_text}) {
    std::vector<TemplatePart> part;
    if (begin && adds(config, "add_bos_token", {"LlamaTokenizer", "GemmaTokenizer"}))
      part.push_back({Kind::tokens, 0, {*begin}});
    part.push_back({kind, 0});
    if (end && adds(config, "add_eos_token", {"T5Tokenizer", "MarianTokenizer"}))
      part.push_back({Kind::tokens, 0, {*end}});
    if (kind == Kind::first_text) result.single = part;
    result.pair.insert(result.pair.end(), part.begin(), part.end());
  }
  return result;
}

json pieces_of(const Processor& processor) {
  json pieces = json::object();
  for (int id = 0; id < processor.GetPieceSize(); ++id) {
    if (processor.IsControl(id)) pieces[processor.IdToPiece(id)] = static_cast<unsigned>(id);
  }
  return pieces;
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

}  // namespace

Result<std::shared_ptr<const Tokenizer>> read_sentencepiece(const std::filesystem::path& file) {
  Result<std::unique_ptr<Processor>> processor = load(file);
  if (!processor) return tl::unexpected(processor.error());
  const std::filesystem::path folder = file.parent_path();
  const bool is_marian = file.filename() == kMarianFile;
  Result<json> config = read_optional_json(folder / kTokenizerConfigFile);
  if (!config) return tl::unexpected(config.error());
  std::optional<Vocabulary> vocabulary;
  json declarable = pieces_of(**processor);
  if (is_marian) {
    Result<json> pieces = read_optional_json(folder / kVocabularyFile);
    if (!pieces) return tl::unexpected(pieces.error());
    Result<Vocabulary> parsed = parse_vocabulary({{"vocab", *pieces}});
    if (!parsed) return fail(path_text(folder / kVocabularyFile) + ": " + parsed.error().message);
    vocabulary = std::move(*parsed);
    declarable = std::move(*pieces);
    *config = {{"tokenizer_class", "MarianTokenizer"}};
  }
  const Result<json> declared = declared_tokens(folder, declarable);
  if (!declared) return tl::unexpected(declared.error());
  Result<AddedTokens> added = AddedTokens::parse(*declared, [](AlignedText text) { return text; });
  if (!added) return fail(path_text(file) + ": " + added.error().message);
  const auto control = [](int id) { return id < 0 ? std::nullopt : std::optional(id); };
  const std::optional<int> end = vocabulary ? vocabulary->id("</s>") : control((*processor)->eos_id());
  TokenTemplate with_template = template_of(*config, control((*processor)->bos_id()), end);
  return std::make_shared<const Tokenizer>(
      std::make_unique<SentencePieceEncoder>(std::move(*processor), std::move(*added), std::move(vocabulary)),
      std::move(with_template));
}

#else

Result<std::shared_ptr<const Tokenizer>> read_sentencepiece(const std::filesystem::path& file) {
  return fail(path_text(file) +
              ": this attnscope was built without SentencePiece; save the tokenizer as tokenizer.json");
}

#endif

}  // namespace attnscope
