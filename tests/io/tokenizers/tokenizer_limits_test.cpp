// What a tokenizer's file may do to a text, however small the file is.
#include <gtest/gtest.h>

#include "made_tokenizer.h"

namespace attnscope::test::tokenizer_rules {
namespace {

TEST(TokenizerText, AReplacementThatGrowsWithoutEndIsLeftOut) {
  const json doubling = {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}};
  json document = word_level({"a"});
  document["decoder"] = times(3, "decoders", doubling);
  EXPECT_EQ(parsed(document)->text_of(1), "aaaaaaaa");
  document["decoder"] = times(60, "decoders", doubling);
  EXPECT_EQ(parsed(document)->text_of(1), std::string(65'536, 'a'));
}

// A token can be a part of a character.
TEST(TokenizerText, APatternLeavesBytesOfACharacterAsTheyAre) {
  for (const char* const pattern : {"[^a]", "\\X", "\\P{L}", "[\\x{80}-\\x{10ffff}]+", "(?<=.)"}) {
    json document = word_level({"<0xE2>", "<0xF4>", "<0x62>"});
    document["decoder"] = {
        {"type", "Sequence"},
        {"decoders",
         {{{"type", "ByteFallback"}}, {{"type", "Replace"}, {"pattern", {{"Regex", pattern}}}, {"content", "x"}}}}};
    EXPECT_EQ(parsed(document)->text_of(1), "\xE2") << pattern;
    EXPECT_EQ(parsed(document)->text_of(2), "\xF4") << pattern;
    EXPECT_LE(parsed(document)->text_of(3).size(), 1U) << pattern;
  }
}

TEST(TokenizerText, ThatBecomesTooLongIsRefused) {
  json document = word_level({"a"});
  document["normalizer"] =
      times(60, "normalizers", {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}});
  const auto tokens = parsed(document)->encode("a");
  ASSERT_FALSE(tokens);
  const std::string limit = "the normalized text would have more than 16,000,000 bytes, which is the limit";
  EXPECT_EQ(tokens.error().message, limit);
  // Each writes every byte of a space in two.
  document = word_level({"a"});
  document["pre_tokenizer"] =
      times(40, "pretokenizers", {{"type", "ByteLevel"}, {"use_regex", false}, {"add_prefix_space", false}});
  const auto words = parsed(document)->encode(" ");
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().message, limit);
}

TEST(TokenizerFile, AddedTokensAreShort) {
  json document = word_level({"a"});
  const auto added = [](const std::string& content) {
    return json{{"id", 9}, {"content", content}, {"normalized", true}};
  };
  document["added_tokens"] = json::array({added(std::string(1000, 'a'))});
  EXPECT_EQ(refusal(document), "accepted");
  document["added_tokens"] = {added("b"), added(std::string(1001, 'a'))};
  const std::string limit =
      "a token of 1,001 bytes is not allowed; allowed: at most 1,000 bytes, and 4,000,000 bytes for all of them";
  EXPECT_EQ(refusal(document), "added_tokens[1]: " + limit);
  // What it becomes counts.
  document["added_tokens"] = json::array({added("a")});
  document["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", std::string(1001, 'b')}};
  EXPECT_EQ(refusal(document), "added_tokens[0]: " + limit);
}

}  // namespace
}  // namespace attnscope::test::tokenizer_rules
