// attnscope tokens

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "refusal.h"
#include "support/program.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

TEST(TokensCommand, ShowsATextAsTheModelGetsIt) {
  const TemporaryFolder folder;
  folder.file("vocab.json", R"({"a": 0, "Ġ": 1, "b": 2, "Ġb": 3, "Ã": 4, "©": 5, "<|endoftext|>": 6})");
  folder.file("merges.txt", "#version: 0.2\nĠ b\n");
  const std::string model = folder.path().string();
  const Outcome table = run_program({"tokens", model, "--text", "a bé<|endoftext|>"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_EQ(table.out,
            "  token  id  piece          text\n"
            "  1      0   a              \"a\"\n"
            "  2      3   Ġb             \" b\"\n"
            "  3      4   Ã              \"\\xc3\"\n"
            "  4      5   ©              \"\\xa9\"\n"
            "  5      6   <|endoftext|>  \"<|endoftext|>\"\n");
  const Outcome pair = run_program({"tokens", model, "--text", "a b", "--text2", "b", "--json"});
  EXPECT_EQ(json::parse(pair.out), json::parse(R"({"ids": [0, 3, 2], "pieces": ["a", "Ġb", "b"],
    "spans": [[0, 1], [1, 3], [0, 1]], "special": [false, false, false], "types": [0, 0, 1]})"));
}

TEST(TokensCommand, FailsWithOneLine) {
  const TemporaryFolder folder;
  const std::string model = folder.path().string();
  expect_refused({"tokens", model, "--text", "a"}, 1, {model + ": no tokenizer; needs tokenizer.json"});
  expect_refused({"tokens", model}, 2, {"--text"});
  folder.file("tokenizer.json", R"({"model": {"type": "WordLevel", "vocab": {"a": 0}}})");
  expect_refused({"tokens", model, "--text", "\xff"}, 1, {"the text is not UTF-8"});
  // A word that the vocabulary lacks, without a token for unknown words.
  const Outcome unknown = run_program({"tokens", model, "--text", "b", "--json"});
  EXPECT_EQ(json::parse(unknown.out)["ids"], json::array());
}

}  // namespace
}  // namespace attnscope::test
