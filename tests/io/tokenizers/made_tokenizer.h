// Tokenizers of a few pieces, as the text of a tokenizer.json.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "io/tokenizers/tokenizer.h"

namespace attnscope::test::tokenizer_rules {

using nlohmann::json;
using Pieces = std::vector<std::string>;
using Spans = std::vector<std::array<std::size_t, 2>>;

/// A tokenizer whose model knows whole words, to see what reaches it: an unknown word is an error of the test.
inline json word_level(const std::vector<std::string>& words) {
  json vocab = {{"<unk>", 0}};
  for (const std::string& word : words) vocab.emplace(word, static_cast<unsigned>(vocab.size()));
  return {{"model", {{"type", "WordLevel"}, {"unk_token", "<unk>"}, {"vocab", vocab}}}};
}

inline json bpe(const std::vector<std::string>& pieces, json merges) {
  json vocab = json::object();
  for (const std::string& piece : pieces) vocab.emplace(piece, static_cast<unsigned>(vocab.size()));
  return {{"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", std::move(merges)}}}};
}

inline std::shared_ptr<const Tokenizer> parsed(const json& document) {
  const auto tokenizer = Tokenizer::parse(document.dump());
  if (!tokenizer) ADD_FAILURE() << tokenizer.error().message;
  return tokenizer ? *tokenizer : nullptr;
}

inline Pieces pieces(const json& document, const std::string& text) {
  const auto tokenizer = parsed(document);
  if (tokenizer == nullptr) return {};
  const auto tokens = tokenizer->encode(text);
  return tokens ? tokens->pieces : Pieces{tokens.error().message};
}

inline Spans spans(const json& document, const std::string& text) {
  const auto tokenizer = parsed(document);
  if (tokenizer == nullptr) return {};
  return tokenizer->encode(text)->spans;
}

inline std::string refusal(const json& document) {
  const auto tokenizer = Tokenizer::parse(document.dump());
  return tokenizer ? "accepted" : tokenizer.error().message;
}

/// As often as it says, one after the other.
inline json times(int count, const char* list, const json& part) {
  json parts = json::array();
  for (int i = 0; i < count; ++i) parts.push_back(part);
  return {{"type", "Sequence"}, {list, std::move(parts)}};
}

}  // namespace attnscope::test::tokenizer_rules
