#include "io/tokenizers/vocabulary_files.h"

#include <charconv>
#include <map>
#include <utility>

#include "io/base/file.h"
#include "io/base/json_value.h"
#include "io/base/parse_budget.h"
#include "io/base/printable.h"
#include "io/tokenizers/tokenizer_files.h"
#include "io/tokenizers/vocabulary.h"

namespace attnscope {
namespace {

using nlohmann::json;

// What a piece of a vocabulary, and a merge, take besides their letters, in the document and in the tables that are made
// of it.
constexpr std::uint64_t kPieceBytes = 300;
constexpr std::uint64_t kMergeBytes = 120;

/// Takes the next line from the front of `text`, without its end.
std::string_view take_line(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// A field that is a string; `fallback` if it is anything else.
std::string text_or(const json& object, const char* name, const std::string& fallback) {
  if (!object.is_object()) return fallback;
  const auto found = object.find(name);
  if (found == object.end()) return fallback;
  if (found->is_string()) return found->get<std::string>();
  // A token with its properties.
  return found->is_object() ? text_or(*found, "content", fallback) : fallback;
}

bool flag_or(const json& object, const char* name, bool fallback) {
  if (!object.is_object()) return fallback;
  const auto found = object.find(name);
  return found != object.end() && found->is_boolean() ? found->get<bool>() : fallback;
}

std::string lowercase_ascii(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

/// Whether models of any kind have tokenizers of this class, in lower case.
bool is_general_class(std::string_view name) {
  return name.empty() || name.starts_with("pretrainedtokenizer") || name.ends_with("backend");
}

/// The id of `piece` in {piece: id}; null if it has none.
json id_in(const json& vocabulary, const std::string& piece) {
  const auto found = vocabulary.is_object() ? vocabulary.find(piece) : vocabulary.end();
  return found != vocabulary.end() && found->is_number_unsigned() ? *found : json();
}

using TokenList = std::map<std::string, json>;  // by content

/// The text of a token that is a string or an object with properties; empty if it is neither.
std::string content_of(const json& token) {
  return token.is_string() ? token.get<std::string>() : text_or(token, "content", "");
}

/// Adds a token that is a string or an object with properties.
void declare(TokenList& tokens, const json& token, const json& id, bool special) {
  const std::string content = content_of(token);
  if (content.empty() || !id.is_number_unsigned()) return;
  tokens[content] = {{"id", id},
                     {"content", content},
                     {"special", flag_or(token, "special", special)},
                     {"lstrip", flag_or(token, "lstrip", false)},
                     {"rstrip", flag_or(token, "rstrip", false)},
                     {"single_word", flag_or(token, "single_word", false)},
                     {"normalized", flag_or(token, "normalized", false)}};
}

void declare_by_id(TokenList& tokens, const json& config) {
  if (!config.is_object() || !config.contains("added_tokens_decoder")) return;
  const json& decoder = config["added_tokens_decoder"];
  if (!decoder.is_object()) return;
  for (const auto& [id, token] : decoder.items()) {
    int number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    const bool is_id = error == std::errc() && end == id.data() + id.size() && number >= 0;
    if (is_id && number <= Vocabulary::kMaxId) declare(tokens, token, static_cast<unsigned>(number), false);
  }
}

/// The tokens of a folder that declares none: they are always themselves.
void declare_undeclared(TokenList& tokens, const json& vocabulary, const json& of_kind) {
  for (const char* name :
       {"<|endoftext|>", "<s>", "</s>", "<pad>", "<unk>", "<mask>", "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"})
    declare(tokens, name, id_in(vocabulary, name), true);
  for (const json& token : of_kind) {
    const bool has_id = token.is_object() && token.contains("id");
    declare(tokens, token, has_id ? token["id"] : id_in(vocabulary, content_of(token)), true);
  }
}

/// added_tokens.json: {token: id}. What is known of a token stays.
void declare_added(TokenList& tokens, const json& added) {
  if (!added.is_object()) return;
  for (const auto& [content, id] : added.items()) {
    const auto known = tokens.find(content);
    if (known == tokens.end()) {
      declare(tokens, content, id, false);
    } else if (id.is_number_unsigned()) {
      known->second["id"] = id;
    }
  }
}

/// A token without properties keeps those that are known of it.
void declare_special(TokenList& tokens, const json& token, const json& vocabulary) {
  const std::string content = content_of(token);
  const auto known = tokens.find(content);
  if (known == tokens.end()) {
    declare(tokens, token, id_in(vocabulary, content), true);
  } else if (token.is_string()) {
    known->second["special"] = true;
  } else {
    const json id = known->second["id"];
    declare(tokens, token, id, true);
  }
}

/// bos_token, eos_token, … of tokenizer_config.json and special_tokens_map.json.
void declare_named(TokenList& tokens, const json& object, const json& vocabulary) {
  if (!object.is_object()) return;
  for (const auto& [name, value] : object.items()) {
    if (name.ends_with("_token")) declare_special(tokens, value, vocabulary);
    if (name != "additional_special_tokens" || !value.is_array()) continue;
    for (const json& token : value) declare_special(tokens, token, vocabulary);
  }
}

Result<json> read_json_file(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file, kMaxTokenizerBytes);
  if (!text) return tl::unexpected(text.error());
  Result<json> value = parse_json(*text);
  if (!value) return fail(path_text(file) + ": " + value.error().message);
  return value;
}

json token_with_id(const json& vocabulary, const std::string& piece) {
  return json::array({piece, id_in(vocabulary, piece)});
}

bool is_roberta_or_bart(const std::string& kind) {
  return kind.find("roberta") != std::string::npos || kind.find("bart") != std::string::npos;
}

/// What the class of a tokenizer with vocab.json and merges.txt says about its tokens.
json tokens_of_bpe_kind(const std::string& kind, const json& config) {
  if (!is_roberta_or_bart(kind)) return json::array();
  const json mask = {{"content", text_or(config, "mask_token", "<mask>")}, {"lstrip", true}};
  return json::array({mask});
}

/// The settings that belong to the kind of a model with vocab.json and merges.txt.
void add_bpe_kind(json& document, const std::string& kind, const json& config) {
  const json& vocabulary = document["model"]["vocab"];
  const bool prefix_space = flag_or(config, "add_prefix_space", false);
  document["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", prefix_space}};
  if (is_roberta_or_bart(kind)) {
    document["post_processor"] = {{"type", "RobertaProcessing"},
                                  {"sep", token_with_id(vocabulary, text_or(config, "sep_token", "</s>"))},
                                  {"cls", token_with_id(vocabulary, text_or(config, "cls_token", "<s>"))}};
  } else if (kind.find("qwen") != std::string::npos) {
    constexpr const char* kPattern =
        R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    const json split = {{"type", "Split"}, {"pattern", {{"Regex", kPattern}}}, {"behavior", "Isolated"}};
    const json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", prefix_space}, {"use_regex", false}};
    document["normalizer"] = {{"type", "NFC"}};
    document["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {split, bytes}}};
  }
}

}  // namespace

Result<json> read_optional_json(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return json();
  return read_json_file(file);
}

Result<json> parse_merges_text(std::string_view text) {
  json merges = json::array();
  ParseBudget budget(text.size());
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty() || line.starts_with("#version")) continue;
    if (!budget.charge(line.size() + kMergeBytes)) return fail(budget.refusal("the list of merges"));
    merges.push_back(line);
  }
  return merges;
}

std::string tokenizer_kind(const json& config, const json& tokenizer_config) {
  std::string kind = lowercase_ascii(text_or(tokenizer_config, "tokenizer_class", ""));
  if (is_general_class(kind)) return lowercase_ascii(text_or(config, "model_type", ""));
  for (const std::string_view end : {"fast", "tokenizer"}) {
    if (kind.ends_with(end)) kind.resize(kind.size() - end.size());
  }
  return kind;
}

Result<json> declared_tokens(const std::filesystem::path& folder, const json& vocabulary, const json& of_kind) {
  TokenList tokens;
  Result<json> config = read_optional_json(folder / kTokenizerConfigFile);
  if (!config) return config;
  Result<json> special = read_optional_json(folder / kSpecialTokensFile);
  if (!special) return special;
  Result<json> added = read_optional_json(folder / kAddedTokensFile);
  if (!added) return added;
  declare_undeclared(tokens, vocabulary, of_kind);
  declare_added(tokens, *added);
  declare_named(tokens, *config, vocabulary);
  declare_named(tokens, *special, vocabulary);
  declare_by_id(tokens, *config);
  json list = json::array();
  for (const auto& [content, token] : tokens) list.push_back(token);
  return list;
}

Result<json> read_bpe_files(const std::filesystem::path& folder) {
  Result<json> vocabulary = read_json_file(folder / kVocabularyFile);
  if (!vocabulary) return vocabulary;
  const Result<std::string> merges = read_file(folder / kMergesFile, kMaxTokenizerBytes);
  if (!merges) return tl::unexpected(merges.error());
  Result<json> config = read_optional_json(folder / kModelConfigFile);
  if (!config) return config;
  Result<json> tokenizer_config = read_optional_json(folder / kTokenizerConfigFile);
  if (!tokenizer_config) return tokenizer_config;
  const std::string kind = tokenizer_kind(*config, *tokenizer_config);
  Result<json> added = declared_tokens(folder, *vocabulary, tokens_of_bpe_kind(kind, *tokenizer_config));
  if (!added) return added;
  Result<json> pairs = parse_merges_text(*merges);
  if (!pairs) return fail(path_text(folder / kMergesFile) + ": " + pairs.error().message);
  json document = {{"added_tokens", std::move(*added)}, {"decoder", {{"type", "ByteLevel"}}}};
  document["model"] = {{"type", "BPE"}, {"vocab", std::move(*vocabulary)}, {"merges", std::move(*pairs)}};
  add_bpe_kind(document, kind, *tokenizer_config);
  return document;
}

Result<json> read_bert_files(const std::filesystem::path& folder) {
  const Result<std::string> text = read_file(folder / kBertVocabularyFile, kMaxTokenizerBytes);
  if (!text) return tl::unexpected(text.error());
  json vocabulary = json::object();
  ParseBudget budget(text->size());
  std::string_view rest = *text;
  for (unsigned id = 0; !rest.empty(); ++id) {
    const std::string_view line = take_line(rest);
    if (!budget.charge(line.size() + kPieceBytes))
      return fail(path_text(folder / kBertVocabularyFile) + ": " + budget.refusal("the vocabulary"));
    vocabulary[std::string(line)] = id;
  }
  Result<json> config = read_optional_json(folder / kTokenizerConfigFile);
  if (!config) return config;
  Result<json> added = declared_tokens(folder, vocabulary);
  if (!added) return added;
  json document = {{"added_tokens", std::move(*added)}, {"pre_tokenizer", {{"type", "BertPreTokenizer"}}}};
  document["normalizer"] = {{"type", "BertNormalizer"},
                            {"lowercase", flag_or(*config, "do_lower_case", true)},
                            {"handle_chinese_chars", flag_or(*config, "tokenize_chinese_chars", true)}};
  if (config->is_object() && config->contains("strip_accents"))
    document["normalizer"]["strip_accents"] = (*config)["strip_accents"];
  document["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}};
  document["post_processor"] = {{"type", "BertProcessing"},
                                {"sep", token_with_id(vocabulary, text_or(*config, "sep_token", "[SEP]"))},
                                {"cls", token_with_id(vocabulary, text_or(*config, "cls_token", "[CLS]"))}};
  document["model"] = {
      {"type", "WordPiece"}, {"unk_token", text_or(*config, "unk_token", "[UNK]")}, {"vocab", std::move(vocabulary)}};
  return document;
}

}  // namespace attnscope
