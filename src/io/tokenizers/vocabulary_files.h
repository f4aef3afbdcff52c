// Tokenizers in files older than tokenizer.json, rewritten as one.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"

namespace attnscope {

/// Bytes of the largest tokenizer file.
inline constexpr std::uint64_t kMaxTokenizerBytes = 64'000'000;

/// vocab.json and merges.txt, as GPT-2, RoBERTa, BART and Qwen have them.
Result<nlohmann::json> read_bpe_files(const std::filesystem::path& folder);

/// vocab.txt, as BERT and DistilBERT have it.
Result<nlohmann::json> read_bert_files(const std::filesystem::path& folder);

/// The merges in the text of a merges.txt: a list of "a b".
Result<nlohmann::json> parse_merges_text(std::string_view text);

/// A JSON file in a model's folder; null if there is none.
Result<nlohmann::json> read_optional_json(const std::filesystem::path& file);

/// The kind of a tokenizer, in lower case: "roberta", "qwen2", "t5". Its class says so; where tokenizer_config.json names
/// none, or a class that any model may have, `model_type` in config.json does.
std::string tokenizer_kind(const nlohmann::json& config, const nlohmann::json& tokenizer_config);

/// The tokens that tokenizer_config.json, special_tokens_map.json and added_tokens.json declare, as the `added_tokens`
/// of a tokenizer.json, and those that need no declaration: common ones, and `of_kind`, a list of tokens with the
/// properties that a declaration may change. A token without an id gets the one that `vocabulary` ({piece: id}) has for
/// it, or is left out.
Result<nlohmann::json> declared_tokens(const std::filesystem::path& folder, const nlohmann::json& vocabulary,
                                       const nlohmann::json& of_kind = nlohmann::json::array());

}  // namespace attnscope
