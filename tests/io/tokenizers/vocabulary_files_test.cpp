// Tokens that are themselves in a text, in tokenizers of files older than tokenizer.json.

#include "io/tokenizers/vocabulary_files.h"

#include <gtest/gtest.h>

#include "io/tokenizers/tokenizer.h"
#include "support/temporary_folder.h"

namespace attnscope::test::vocabulary_files {
namespace {

using Pieces = std::vector<std::string>;

Pieces pieces(const TemporaryFolder& folder, const std::string& text) {
  const auto tokenizer = Tokenizer::read(folder.path());
  if (!tokenizer) return {tokenizer.error().message};
  const auto tokens = (*tokenizer)->encode(text);
  return tokens ? tokens->pieces : Pieces{tokens.error().message};
}

/// vocab.json and merges.txt, with single letters.
void write_letters(const TemporaryFolder& folder) {
  folder.file("vocab.json", R"({"<s>": 0, "</s>": 1, "<mask>": 2, "<unk>": 3, "a": 4, "b": 5, "Ġ": 6})");
  folder.file("merges.txt", "#version: 0.2\n");
}

TEST(VocabularyFiles, TheMaskOfRobertaAndBartTakesTheSpaceBeforeIt) {
  for (const char* kind : {"roberta", "bart"}) {
    const TemporaryFolder folder;
    write_letters(folder);
    folder.file("config.json", std::string(R"({"model_type": ")") + kind + "\"}");
    const Pieces without_space = {"<s>", "a", "<mask>", "Ġ", "b", "</s>"};
    EXPECT_EQ(pieces(folder, "a <mask> b"), without_space) << kind;
    folder.file("tokenizer_config.json", R"({"mask_token": "<mask>"})");
    EXPECT_EQ(pieces(folder, "a <mask> b"), without_space) << kind;
    EXPECT_EQ(pieces(folder, "a <unk> b"), (Pieces{"<s>", "a", "Ġ", "<unk>", "Ġ", "b", "</s>"})) << kind;
  }
}

TEST(VocabularyFiles, AMaskThatIsDeclaredWithPropertiesHasThem) {
  const Pieces with_space = {"<s>", "a", "Ġ", "<mask>", "Ġ", "b", "</s>"};
  const auto declared = [](const char* file, const std::string& text) {
    const TemporaryFolder folder;
    write_letters(folder);
    folder.file("config.json", R"({"model_type": "roberta"})");
    folder.file(file, text);
    return pieces(folder, "a <mask> b");
  };
  const std::string mask = R"({"content": "<mask>", "lstrip": false})";
  EXPECT_EQ(declared("special_tokens_map.json", R"({"mask_token": )" + mask + "}"), with_space);
  EXPECT_EQ(declared("tokenizer_config.json", R"({"mask_token": )" + mask + "}"), with_space);
  EXPECT_EQ(declared("tokenizer_config.json", R"({"added_tokens_decoder": {"2": )" + mask + "}}"), with_space);
  EXPECT_EQ(declared("tokenizer_config.json", R"({"mask_token": {"content": "<mask>", "rstrip": true}})"),
            (Pieces{"<s>", "a", "Ġ", "<mask>", "b", "</s>"}));
}

TEST(VocabularyFiles, TheClassOfATokenizerGoesBeforeTheTypeOfItsModel) {
  const TemporaryFolder folder;
  write_letters(folder);
  folder.file("config.json", R"({"model_type": "roberta"})");
  folder.file("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer"})");
  EXPECT_EQ(pieces(folder, "a <mask>"), (Pieces{"a", "Ġ", "<mask>"}));
  folder.file("tokenizer_config.json", R"({"tokenizer_class": "PreTrainedTokenizerFast"})");
  EXPECT_EQ(pieces(folder, "a <mask>"), (Pieces{"<s>", "a", "<mask>", "</s>"}));
  EXPECT_EQ(tokenizer_kind({}, {{"tokenizer_class", "T5TokenizerFast"}}), "t5");
  EXPECT_EQ(tokenizer_kind({{"model_type", "mistral"}}, {{"tokenizer_class", nullptr}}), "mistral");
}

TEST(VocabularyFiles, TheUnknownTokenIsItselfWithoutADeclaration) {
  const TemporaryFolder folder;
  folder.file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n");
  EXPECT_EQ(pieces(folder, "a [UNK] b [MASK]"), (Pieces{"[CLS]", "a", "[UNK]", "b", "[MASK]", "[SEP]"}));
}

TEST(VocabularyFiles, AdditionalSpecialTokensAreThemselves) {
  const TemporaryFolder folder;
  write_letters(folder);
  folder.file("added_tokens.json", R"({"<one>": 7, "<two>": 8})");
  folder.file("tokenizer_config.json",
              R"({"additional_special_tokens": ["<one>", {"content": "<two>", "lstrip": true}, "<none>"]})");
  const auto tokenizer = Tokenizer::read(folder.path());
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  const auto tokens = (*tokenizer)->encode("a<one> <two>");
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->ids, (std::vector<int>{4, 7, 8}));
  EXPECT_EQ(tokens->special, (std::vector<bool>{false, true, true}));
}

}  // namespace
}  // namespace attnscope::test::vocabulary_files
