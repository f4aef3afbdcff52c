// The ids of 2,000 texts in many scripts are those of Hugging Face's own library (tests/golden/tokenizers).

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "io/base/file.h"
#include "io/base/inflating.h"
#include "io/tokenizers/tokenizer.h"
#include "support/temporary_folder.h"

namespace attnscope::test::tokenizer_data {
namespace {

using nlohmann::json;

std::string inflated(const std::string& name) {
  const auto bytes =
      read_file(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "tests/golden/tokenizers" / (name + ".z"), 1'000'000);
  if (!bytes) {
    ADD_FAILURE() << bytes.error().message;
    return {};
  }
  Inflating inflating(*bytes);
  std::string all;
  std::array<char, 65536> piece{};
  for (std::size_t count = 1; count > 0;) {
    count = inflating.next(piece);
    all.append(piece.data(), count);
  }
  EXPECT_TRUE(inflating.complete()) << name;
  return all;
}

/// FNV-1a over the decimal digits of the ids.
std::uint32_t hash(const std::vector<int>& ids) {
  std::string text;
  for (const int id : ids) text += (text.empty() ? "" : " ") + std::to_string(id);
  std::uint32_t value = 0x811C9DC5U;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x01000193U;
  return value;
}

std::shared_ptr<const Tokenizer> read(const TemporaryFolder& folder) {
  const auto tokenizer = Tokenizer::read(folder.path());
  if (!tokenizer) {
    ADD_FAILURE() << tokenizer.error().message;
    return nullptr;
  }
  return *tokenizer;
}

/// The tokenizer of that name, in the files that its model comes with.
std::shared_ptr<const Tokenizer> tokenizer_of(const std::string& name) {
  const TemporaryFolder folder;
  if (name == "gpt2") {
    folder.file("vocab.json", inflated("gpt2_vocab.json"));
    folder.file("merges.txt", inflated("gpt2_merges.txt"));
  } else if (name.starts_with("bert")) {
    folder.file("vocab.txt", inflated("bert_vocab.txt"));
    if (name == "bert_cased") folder.file("tokenizer_config.json", R"({"do_lower_case": false})");
  } else if (name == "sentencepiece_model") {
    folder.file("spiece.model", inflated("sentencepiece.model"));
  } else {
    folder.file("tokenizer.json", inflated(name + "_tokenizer.json"));
  }
  return read(folder);
}

bool has_sentencepiece() {
  const TemporaryFolder folder;
  folder.file("x.model", "");
  return Tokenizer::read(folder.path()).error().message.find("built without") == std::string::npos;
}

/// Spans are whole parts of the text, and do not go back.
void expect_spans(const TokenizedText& tokens, const std::string& text) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
    const auto [from, to] = tokens.spans[i];
    ASSERT_LE(from, to);
    ASSERT_LE(to, text.size());
    if (from == 0 && to == 0) continue;  // of a template
    ASSERT_GE(to, at) << text;
    at = to;
  }
}

class TokenizerData : public testing::TestWithParam<const char*> {};

TEST_P(TokenizerData, IdsAreThoseOfTheReferenceLibrary) {
  static const json texts = json::parse(inflated("texts.json"));
  static const json all = json::parse(inflated("expected.json"));
  const std::string name = GetParam();
  const json& expected = all[name == "sentencepiece_model" ? "sentencepiece" : name];
  if (name == "sentencepiece_model" && !has_sentencepiece()) GTEST_SKIP() << "built without SentencePiece";
  const auto tokenizer = tokenizer_of(name);
  ASSERT_NE(tokenizer, nullptr);
  ASSERT_EQ(texts.size(), 2000U);
  int wrong = 0;
  int compared = 0;
  for (std::size_t i = 0; i < texts.size() && wrong < 5; ++i) {
    const std::string text = texts[i];
    const auto tokens = tokenizer->encode(text);
    ASSERT_TRUE(tokens) << tokens.error().message;
    expect_spans(*tokens, text);
    if (expected["hashes"][i].is_null()) continue;
    ++compared;
    if (hash(tokens->ids) == expected["hashes"][i].get<std::uint32_t>()) continue;
    ++wrong;
    ADD_FAILURE() << i << ": " << json(text).dump(-1, ' ', true) << "\n  " << json(tokens->pieces).dump() << "\n  "
                  << json(tokens->ids).dump() << "\n  "
                  << (i < expected["ids"].size() ? expected["ids"][i].dump() : "");
  }
  EXPECT_GT(compared, 400);
}

INSTANTIATE_TEST_SUITE_P(Each, TokenizerData,
                         testing::Values("gpt2", "bert", "bert_cased", "llama", "llama3", "t5", "t5_first",
                                         "sentencepiece", "sentencepiece_model"),
                         [](const auto& each) { return std::string(each.param); });

TEST(TokenizerText, PiecesOfAByteLevelTokenizerJoinToTheText) {
  const json texts = json::parse(inflated("texts.json"));
  const auto tokenizer = tokenizer_of("gpt2");
  ASSERT_NE(tokenizer, nullptr);
  for (const std::string text : texts) {
    const auto tokens = tokenizer->encode(text);
    ASSERT_TRUE(tokens);
    std::string joined;
    std::string of_spans;
    for (std::size_t i = 0; i < tokens->ids.size(); ++i) {
      joined += tokenizer->text_of(tokens->ids[i]);
      of_spans += text.substr(tokens->spans[i][0], tokens->spans[i][1] - tokens->spans[i][0]);
    }
    EXPECT_EQ(joined, text);
    EXPECT_EQ(of_spans, text);
  }
}

TEST(TokenizerText, PiecesWithByteFallbackJoinToTheText) {
  const json texts = json::parse(inflated("texts.json"));
  const auto tokenizer = tokenizer_of("llama");
  ASSERT_NE(tokenizer, nullptr);
  for (const std::string text : texts) {
    // Special tokens are cut out, and the text goes on with a space of its own.
    if (text.empty() || text.find("s>") != std::string::npos || text.find("▁") != std::string::npos ||
        text.find("<0x") != std::string::npos)
      continue;
    const auto tokens = tokenizer->encode(text, {}, false);
    ASSERT_TRUE(tokens);
    std::string joined;
    for (const int id : tokens->ids) joined += tokenizer->text_of(id);
    EXPECT_EQ(joined, " " + text);
  }
}

TEST(SentencePiece, MarianHasIdsOfItsOwn) {
  if (!has_sentencepiece()) GTEST_SKIP() << "built without SentencePiece";
  const TemporaryFolder folder;
  folder.file("source.spm", inflated("sentencepiece.model"));
  folder.file("vocab.json", R"({"</s>": 0, "<unk>": 1, "▁": 2, "▁the": 3, "<pad>": 4})");
  const auto tokenizer = read(folder);
  ASSERT_NE(tokenizer, nullptr);
  const auto tokens = tokenizer->encode("the <pad>");
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->ids.front(), 3);
  EXPECT_EQ(tokens->ids.back(), 0);
  EXPECT_EQ(tokens->ids.at(tokens->ids.size() - 2), 4);
  EXPECT_EQ(tokenizer->size(), 5U);
  EXPECT_EQ(tokenizer->text_of(3), " the");
}

TEST(SentencePiece, DamagedModelsAreErrors) {
  if (!has_sentencepiece()) GTEST_SKIP() << "built without SentencePiece";
  const std::string model = inflated("sentencepiece.model");
  const auto expect_refused = [](const std::string& bytes) {
    const TemporaryFolder folder;
    const auto file = folder.file("x.model", bytes);
    const auto tokenizer = Tokenizer::read(folder.path());
    ASSERT_FALSE(tokenizer);
    EXPECT_EQ(tokenizer.error().message, file.string() + ": not a SentencePiece model");
  };
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{100}, model.size() / 2})
    expect_refused(model.substr(0, size));
  // The normalizer: its name, tag and size of the trie with its replacements, size of the trie, the trie. Its first
  // unit then leads outside of it.
  const std::string name = "user_defined";
  constexpr std::size_t kEndOfFirstUnit = 10;
  const std::size_t at = model.find(name);
  ASSERT_NE(at, std::string::npos);
  std::string damaged = model;
  damaged.at(at + name.size() + kEndOfFirstUnit) = '\x7F';
  expect_refused(damaged);
}

}  // namespace
}  // namespace attnscope::test::tokenizer_data
