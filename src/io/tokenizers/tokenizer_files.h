// The names of a tokenizer's files in a model's folder.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace attnscope {

inline constexpr const char* kTokenizerFile = "tokenizer.json";
inline constexpr const char* kTokenizerConfigFile = "tokenizer_config.json";
inline constexpr const char* kSpecialTokensFile = "special_tokens_map.json";
inline constexpr const char* kAddedTokensFile = "added_tokens.json";
inline constexpr const char* kVocabularyFile = "vocab.json";
inline constexpr const char* kMergesFile = "merges.txt";
inline constexpr const char* kBertVocabularyFile = "vocab.txt";
inline constexpr const char* kMarianFile = "source.spm";
inline constexpr const char* kMarianTargetFile = "target.spm";
/// Not of the tokenizer, but says of which kind it is.
inline constexpr const char* kModelConfigFile = "config.json";
/// The extension of other SentencePiece models, which have any name.
inline constexpr const char* kSentencePieceExtension = ".model";

/// All of them except SentencePiece models with a name of their own.
inline constexpr std::array<const char*, 9> kTokenizerFiles = {
    kTokenizerFile, kTokenizerConfigFile, kSpecialTokensFile, kAddedTokensFile, kVocabularyFile,
    kMergesFile,    kBertVocabularyFile,  kMarianFile,        kMarianTargetFile};

/// Whether a file with this name is one of a tokenizer's.
inline bool is_tokenizer_file(std::string_view name) {
  return name.ends_with(kSentencePieceExtension) || std::ranges::find(kTokenizerFiles, name) != kTokenizerFiles.end();
}

}  // namespace attnscope
