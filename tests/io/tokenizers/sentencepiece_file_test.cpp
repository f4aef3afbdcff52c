// SentencePiece models with the files around them, which say what they add to a text and which tokens are themselves.

#include "io/tokenizers/sentencepiece_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "io/models/model_file.h"
#include "io/tokenizers/tokenizer.h"
#include "support/temporary_folder.h"

namespace attnscope::test::sentencepiece_file {
namespace {

using Ids = std::vector<int>;
using Pieces = std::vector<std::string>;

/// The bytes of a SentencePiece model: <unk>, <s> and </s>, then `pieces`, the longest ones the likeliest.
std::string model_of(const Pieces& pieces) {
  std::string model;
  const auto add = [&](const std::string& piece, float score, char type) {
    std::string fields = {'\x0A', static_cast<char>(piece.size())};
    fields += piece + '\x15';
    const auto bits = std::bit_cast<std::uint32_t>(score);
    for (unsigned shift = 0; shift < 32; shift += 8) fields += static_cast<char>(bits >> shift & 0xFFU);
    fields += {'\x18', type};
    model += {'\x0A', static_cast<char>(fields.size())};
    model += fields;
  };
  add("<unk>", 0, 2);
  add("<s>", 0, 3);
  add("</s>", 0, 3);
  for (const std::string& piece : pieces) add(piece, piece.size() > 3 ? -1.0F : -10.0F, 1);
  return model;
}

const Pieces kWords = {"▁", "▁the", "▁cat"};

bool has_sentencepiece() {
  const TemporaryFolder folder;
  folder.file("x.model", "");
  return Tokenizer::read(folder.path()).error().message.find("built without") == std::string::npos;
}

class SentencePieceFile : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_sentencepiece()) GTEST_SKIP() << "built without SentencePiece";
    folder_.file("own.model", model_of(kWords));
  }
  [[nodiscard]] std::string refusal() const {
    const auto tokenizer = Tokenizer::read(folder_.path());
    return tokenizer ? "accepted" : tokenizer.error().message;
  }
  [[nodiscard]] TokenizedText tokens(const std::string& text) const {
    const auto tokenizer = Tokenizer::read(folder_.path());
    EXPECT_TRUE(tokenizer) << refusal();
    return tokenizer ? *(*tokenizer)->encode(text) : TokenizedText();
  }
  [[nodiscard]] Pieces with(const std::string& config, const std::string& tokenizer_config) const {
    folder_.file("config.json", config);
    folder_.file("tokenizer_config.json", tokenizer_config);
    return tokens("the cat").pieces;
  }

  TemporaryFolder folder_;
};

TEST_F(SentencePieceFile, TheTypeOfItsModelSaysWhatIsAdded) {
  const Pieces plain = {"▁the", "▁cat"};
  const Pieces begun = {"<s>", "▁the", "▁cat"};
  const Pieces ended = {"▁the", "▁cat", "</s>"};
  EXPECT_EQ(tokens("the cat").pieces, plain);
  EXPECT_EQ(with(R"({"model_type": "t5"})", "{}"), ended);
  EXPECT_EQ(with(R"({"model_type": "llama"})", "{}"), begun);
  EXPECT_EQ(with(R"({"model_type": "mistral"})", "{}"), begun);
  EXPECT_EQ(with(R"({"model_type": "mistral"})", R"({"add_bos_token": false, "add_eos_token": true})"), ended);
  EXPECT_EQ(with(R"({"model_type": "llama"})", R"({"tokenizer_class": "T5TokenizerFast"})"), ended);
  EXPECT_EQ(with("{}", R"({"tokenizer_class": "LlamaTokenizer"})"), begun);
  EXPECT_EQ(with(R"({"model_type": "xlnet"})", "{}"), plain);
}

TEST_F(SentencePieceFile, T5HasExtraIdsAfterItsPieces) {
  folder_.file("config.json", R"({"model_type": "t5"})");
  const TokenizedText both = tokens("the <extra_id_0> cat<extra_id_99>");
  EXPECT_EQ(both.ids, (Ids{4, 105, 5, 6, 2}));
  EXPECT_EQ(both.pieces, (Pieces{"▁the", "<extra_id_0>", "▁cat", "<extra_id_99>", "</s>"}));
  EXPECT_EQ(both.special, (std::vector<bool>{false, true, false, true, true}));
  EXPECT_EQ(both.spans.at(1), (std::array<std::size_t, 2>{3, 17}));  // with the spaces around it
  const auto tokenizer = Tokenizer::read(folder_.path());
  EXPECT_EQ((*tokenizer)->size(), 106U);
  EXPECT_EQ((*tokenizer)->id_of("<extra_id_1>"), 104);

  folder_.file("tokenizer_config.json", R"({"extra_ids": 2, "additional_special_tokens": ["<extra_id_0>"]})");
  EXPECT_EQ(tokens("<extra_id_0> <extra_id_1>").ids, (Ids{7, 6, 2}));
  EXPECT_EQ((*Tokenizer::read(folder_.path()))->size(), 8U);
}

TEST_F(SentencePieceFile, ExtraIdsThatAreDeclaredGoBeforeOthers) {
  folder_.file("config.json", R"({"model_type": "t5"})");
  folder_.file("tokenizer_config.json", R"({"added_tokens_decoder": {"9": {"content": "<extra_id_0>"}}})");
  EXPECT_EQ(tokens("<extra_id_0>").ids, (Ids{9, 2}));
  folder_.file("tokenizer_config.json", R"({"additional_special_tokens": [{"content": "<extra_id_0>"}]})");
  const TokenizedText narrow = tokens("the <extra_id_0>");
  EXPECT_EQ(narrow.ids.at(narrow.ids.size() - 2), 105);
  EXPECT_EQ(narrow.spans.at(narrow.spans.size() - 2), (std::array<std::size_t, 2>{4, 16}));  // without the space
}

TEST_F(SentencePieceFile, TooManyExtraIdsAreRefused) {
  folder_.file("config.json", R"({"model_type": "t5"})");
  const auto file = folder_.file("tokenizer_config.json", R"({"extra_ids": 10001})");
  EXPECT_EQ(refusal(), file.string() + ": extra_ids: 10001 is not allowed; allowed: whole numbers from 0 to 10000");
}

TEST_F(SentencePieceFile, TheUnknownTokenIsItself) {
  EXPECT_EQ(tokens("the<unk>").ids, (Ids{4, 0}));
  EXPECT_EQ(tokens("the<unk>").special.back(), true);
}

/// A Marian folder, whose two models cut the same words differently.
class MarianFiles : public SentencePieceFile {
 protected:
  void SetUp() override {
    SentencePieceFile::SetUp();
    folder_.file("source.spm", model_of(kWords));
    folder_.file("target.spm", model_of({"▁", "▁the", "c", "a", "t"}));
    folder_.file("vocab.json", R"({"</s>": 0, "<unk>": 1, "▁the": 2, "▁cat": 3, "▁": 4, "c": 5, "a": 6, "t": 7,
                                   ">>fr<<": 8, ">>": 9, "<pad>": 10})");
  }
};

TEST_F(MarianFiles, CodesOfLanguagesAreThemselves) {
  const TokenizedText text = tokens(">>fr<< the cat");
  EXPECT_EQ(text.ids, (Ids{8, 2, 3, 0}));
  EXPECT_EQ(text.special, (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(tokens("<unk> the").ids, (Ids{1, 2, 0}));
}

TEST_F(MarianFiles, TheDecoderHasAModelOfItsOwn) {
  EXPECT_EQ(tokens("the cat").ids, (Ids{2, 3, 0}));
  const auto tokenizer = Tokenizer::read(folder_.path());
  ASSERT_TRUE(tokenizer) << refusal();
  const auto for_decoder = (*tokenizer)->for_decoder();
  ASSERT_TRUE(for_decoder) << for_decoder.error().message;
  EXPECT_EQ((*for_decoder)->encode("the cat")->ids, (Ids{2, 4, 5, 6, 7, 0}));

  std::filesystem::remove(folder_ / "target.spm");
  const auto alone = Tokenizer::read(folder_.path());
  ASSERT_TRUE(alone);
  EXPECT_EQ((*alone)->for_decoder(), alone->get());
}

TEST_F(MarianFiles, ADamagedModelOfTheDecoderIsAnErrorOfItsTextAlone) {
  const auto file = folder_.file("target.spm", "no model");
  EXPECT_EQ(tokens("the cat").ids, (Ids{2, 3, 0}));
  EXPECT_EQ((*Tokenizer::read(folder_.path()))->for_decoder().error().message,
            file.string() + ": not a SentencePiece model");
  const auto files = Tokenizer::files(folder_.path());
  EXPECT_EQ(std::count(files.begin(), files.end(), file), 1);
}

TEST_F(MarianFiles, AModelReadsTheTextOfItsDecoderWithIt) {
  const auto golden = std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "tests/golden/models/data/marian-1";
  std::filesystem::copy_file(golden / "model.safetensors", folder_ / "model.safetensors");
  std::string config = bytes_of(golden / "config.json");
  config.insert(config.find('{') + 1, R"("decoder_start_token_id": 10,)");
  folder_.file("config.json", config);
  const auto model = open_model(folder_.path());
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ((*model)->tokens("the cat", {}, false)->ids, (std::vector<Index>{2, 3, 0}));
  EXPECT_EQ((*model)->tokens("the cat", {}, true)->ids, (std::vector<Index>{10, 2, 4, 5, 6, 7}));
  const auto file = folder_.file("target.spm", "");
  EXPECT_EQ((*open_model(folder_.path()))->tokens("the cat", {}, true).error().message,
            file.string() + ": not a SentencePiece model");
}

}  // namespace
}  // namespace attnscope::test::sentencepiece_file
