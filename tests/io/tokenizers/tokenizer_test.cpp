#include "io/tokenizers/tokenizer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/tokenizers/charsmap.h"
#include "made_tokenizer.h"
#include "support/temporary_folder.h"

namespace attnscope::test::tokenizer_rules {
namespace {

/// The words that a pre-tokenizer makes of a text.
Pieces words(const json& pre_tokenizer, const std::string& text, const Pieces& expected) {
  json document = word_level(expected);
  document["pre_tokenizer"] = pre_tokenizer;
  return pieces(document, text);
}

/// What a normalizer makes of a text.
Pieces normalized(const json& normalizer, const std::string& text, const std::string& expected) {
  json document = word_level({expected});
  document["normalizer"] = normalizer;
  return pieces(document, text);
}

#define EXPECT_WORDS(pre_tokenizer, text, ...) \
  EXPECT_EQ(words(pre_tokenizer, text, (Pieces{__VA_ARGS__})), (Pieces{__VA_ARGS__}))
#define EXPECT_NORMAL(normalizer, text, expected) EXPECT_EQ(normalized(normalizer, text, expected), (Pieces{expected}))

TEST(TokenizerWords, AreCutAsThePreTokenizerSays) {
  EXPECT_WORDS((json{{"type", "WhitespaceSplit"}}), " a,b\u00a0c\u3000", "a,b", "c");
  EXPECT_WORDS((json{{"type", "Whitespace"}}), "don't é_1 ٣!?", "don", "'", "t", "é_1", "٣", "!?");
  EXPECT_WORDS((json{{"type", "BertPreTokenizer"}}), "a,b. ¿c", "a", ",", "b", ".", "¿", "c");
  EXPECT_WORDS((json{{"type", "Punctuation"}}), "a,,b", "a", ",", ",", "b");
  EXPECT_WORDS((json{{"type", "Punctuation"}, {"behavior", "Contiguous"}}), "a,,b", "a", ",,", "b");
  EXPECT_WORDS((json{{"type", "Digits"}}), "a12½b", "a", "12½", "b");
  EXPECT_WORDS((json{{"type", "Digits"}, {"individual_digits", true}}), "a12b", "a", "1", "2", "b");
  EXPECT_WORDS((json{{"type", "ByteLevel"}, {"add_prefix_space", true}}), "it's é", "Ġit", "'s", "ĠÃ©");
  EXPECT_WORDS((json{{"type", "Metaspace"}}), "a  b", "▁a", "▁", "▁b");
  EXPECT_WORDS((json{{"type", "Metaspace"}, {"prepend_scheme", "never"}, {"split", false}}), "a b", "a▁b");
  EXPECT_WORDS((json{{"type", "Metaspace"}, {"add_prefix_space", false}, {"replacement", "_"}}), "a b", "a", "_b");
}

TEST(TokenizerWords, SplitHasFiveBehaviors) {
  const auto split = [](const std::string& behavior, bool invert = false) {
    return json{{"type", "Split"}, {"pattern", {{"String", "-"}}}, {"behavior", behavior}, {"invert", invert}};
  };
  EXPECT_WORDS(split("Removed"), "the-final--countdown", "the", "final", "countdown");
  EXPECT_WORDS(split("Isolated"), "the-final--countdown", "the", "-", "final", "-", "-", "countdown");
  EXPECT_WORDS(split("MergedWithPrevious"), "the-final--countdown", "the-", "final-", "-", "countdown");
  EXPECT_WORDS(split("MergedWithNext"), "the-final--countdown", "the", "-final", "-", "-countdown");
  EXPECT_WORDS(split("Contiguous"), "the-final--countdown", "the", "-", "final", "--", "countdown");
  EXPECT_WORDS(split("Removed", true), "a--b", "-", "-");
}

TEST(TokenizerWords, PatternsAreThoseOfOniguruma) {
  const auto split = [](const std::string& pattern) {
    return json{{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}};
  };
  EXPECT_WORDS(split(R"(\s+(?!\S)|\s+)"), "a  b", "a", " ", " ", "b");
  EXPECT_WORDS(split(R"((?i:'s|'t))"), "it'S", "it", "'S");
  EXPECT_WORDS(split(R"(\p{N}{1,3})"), "12345x", "123", "45", "x");
  // White space is Unicode's: U+0085 is, U+180E and U+FEFF are not.
  EXPECT_WORDS(split(R"(\s)"), "a\u0085b\u180ec\ufeff", "a", "\u0085", "b\u180ec\ufeff");
  EXPECT_WORDS(split(R"([\s]x)"), "a\u3000x", "a", "\u3000x");
  EXPECT_WORDS(split(R"(\w+)"), "-e\u0301_-", "-", "e\u0301_", "-");
  EXPECT_WORDS(split(R"([]a])"), "b]", "b", "]");
  EXPECT_EQ(refusal({{"model", word_level({"a"})["model"]}, {"pre_tokenizer", split("(")}}),
            "pre_tokenizer.pattern: the pattern \"(\" is not allowed: missing closing parenthesis");
}

TEST(TokenizerWords, APatternThatTakesTooLongIsAnError) {
  json document = word_level({"a"});
  document["pre_tokenizer"] = {{"type", "Split"}, {"pattern", {{"Regex", "(a|a)*b|(a+)+c"}}}, {"behavior", "Isolated"}};
  const std::string text(40, 'a');
  EXPECT_EQ(pieces(document, text).front().find("a pattern takes too long on this text"), 0U);
}

TEST(TokenizerNormalizers, DoWhatTheirNamesSay) {
  EXPECT_NORMAL((json{{"type", "NFC"}}), "e\u0301\u1100\u1161", "é가");
  EXPECT_NORMAL((json{{"type", "NFD"}}), "é가", "e\u0301\u1100\u1161");
  EXPECT_NORMAL((json{{"type", "NFKC"}}), "ﬁ\uff76\uff9e\u3131", "fi\u30ac\u1100");
  EXPECT_NORMAL((json{{"type", "NFKD"}}), "é²", "e\u03012");
  EXPECT_NORMAL((json{{"type", "NFD"}}), std::string("a\0\u0323\u0301é", 8), std::string("a\0\u0323\u0301e\u0301", 9));
  EXPECT_NORMAL((json{{"type", "Lowercase"}}), "ÀΣİ", "àσi\u0307");
  EXPECT_NORMAL((json{{"type", "StripAccents"}}), "e\u0301é", "eé");
  EXPECT_NORMAL((json{{"type", "Strip"}, {"strip_left", true}, {"strip_right", false}}), "\u3000 a b ", "a b ");
  EXPECT_NORMAL((json{{"type", "Strip"}}), "  a b\n", "a b");
  EXPECT_NORMAL((json{{"type", "Replace"}, {"pattern", {{"String", "."}}}, {"content", "!?"}}), "a.b.", "a!?b!?");
  EXPECT_NORMAL((json{{"type", "Prepend"}, {"prepend", "▁"}}), "a", "▁a");
  EXPECT_NORMAL((json{{"type", "Nmt"}}), "a\u0001\tb\u200bc", "a b c");
  const json lower = {{"type", "Lowercase"}};
  EXPECT_NORMAL((json{{"type", "Sequence"}, {"normalizers", {lower, {{"type", "NFD"}}}}}), "É", "e\u0301");
  EXPECT_NORMAL((json{{"type", "BertNormalizer"}, {"strip_accents", nullptr}}), "É\u0007\u00a0中", "e  中 ");
  EXPECT_NORMAL((json{{"type", "BertNormalizer"}, {"strip_accents", false}}), "É", "é");
  EXPECT_NORMAL((json{{"type", "BertNormalizer"}, {"lowercase", false}, {"handle_chinese_chars", false}}), "É中",
                "É中");
}

TEST(TokenizerNormalizers, SpansAreOfTheTextBefore) {
  json document = word_level({"fi", "e", "x"});
  document["normalizer"] = {{"type", "Sequence"}, {"normalizers", {{{"type", "NFKD"}}, {{"type", "StripAccents"}}}}};
  document["pre_tokenizer"] = {{"type", "WhitespaceSplit"}};
  EXPECT_EQ(spans(document, "ﬁ  é x"), (Spans{{0, 3}, {5, 7}, {8, 9}}));
}

TEST(TokenizerMerges, GoByRank) {
  const Pieces all = {"a", "b", "c", "bc", "ab", "abc"};
  EXPECT_EQ(pieces(bpe(all, {"b c", "a b"}), "abc"), (Pieces{"a", "bc"}));
  EXPECT_EQ(pieces(bpe(all, json::parse(R"([["a", "b"], ["b", "c"]])")), "abc"), (Pieces{"ab", "c"}));
  EXPECT_EQ(pieces(bpe(all, {"a b", "ab c"}), "abcab"), (Pieces{"abc", "ab"}));
  // The first of equal pairs.
  EXPECT_EQ(pieces(bpe({"a", "aa"}, {"a a"}), "aaa"), (Pieces{"aa", "a"}));
  json ignoring = bpe(all, {"b c"});
  ignoring["model"]["ignore_merges"] = true;
  EXPECT_EQ(pieces(ignoring, "abc"), (Pieces{"abc"}));
  EXPECT_EQ(spans(ignoring, "abc"), (Spans{{0, 3}}));
  json affixed = bpe({"a", "##b", "##c</w>", "a##b", "ab", "abc</w>"}, {"a ##b", "ab ##c</w>"});
  affixed["model"]["continuing_subword_prefix"] = "##";
  affixed["model"]["end_of_word_suffix"] = "</w>";
  EXPECT_EQ(pieces(affixed, "abc"), (Pieces{"abc</w>"}));
}

TEST(TokenizerMerges, UnknownCharactersAreBytesOrUnknown) {
  json document = bpe({"<unk>", "a", "<0xC3>", "<0xA9>"}, json::array());
  EXPECT_EQ(pieces(document, "aéa"), (Pieces{"a", "a"}));
  EXPECT_EQ(parsed(document)->unknown(), std::nullopt);
  document["model"]["unk_token"] = "<unk>";
  EXPECT_EQ(parsed(document)->unknown(), 0);
  EXPECT_EQ(pieces(document, "aéßa"), (Pieces{"a", "<unk>", "<unk>", "a"}));
  document["model"]["fuse_unk"] = true;
  EXPECT_EQ(pieces(document, "aéßa"), (Pieces{"a", "<unk>", "a"}));
  EXPECT_EQ(spans(document, "aéßa"), (Spans{{0, 1}, {1, 5}, {5, 6}}));
  document["model"]["byte_fallback"] = true;
  EXPECT_EQ(pieces(document, "aéßa"), (Pieces{"a", "<0xC3>", "<0xA9>", "<unk>", "a"}));
  document["decoder"] = {{"type", "ByteFallback"}};
  EXPECT_EQ(parsed(document)->text_of(2), "\xC3");
}

TEST(TokenizerUnigram, TakesTheBestSum) {
  json document = json::parse(R"({"model": {"type": "Unigram", "unk_id": 0,
    "vocab": [["<unk>", 0], ["a", -1], ["b", -1], ["ab", -1.5], ["abc", -9], ["c", -2]]}})");
  EXPECT_EQ(pieces(document, "abc"), (Pieces{"ab", "c"}));
  EXPECT_EQ(parsed(document)->unknown(), 0);
  // Unknown characters in a row are one token.
  EXPECT_EQ(pieces(document, "a??b"), (Pieces{"a", "<unk>", "b"}));
  EXPECT_EQ(spans(document, "a??b"), (Spans{{0, 1}, {1, 3}, {3, 4}}));
  document["model"]["unk_id"] = 6;
  EXPECT_EQ(refusal(document), "model.unk_id: 6 is not allowed; allowed: whole numbers from 0 to 5");
  document["model"]["unk_id"] = 0;
  document["model"]["vocab"].push_back({std::string(1001, 'a'), -1});
  EXPECT_EQ(refusal(document), "model.vocab[6]: a piece of 1,001 bytes is not allowed; allowed: at most 1,000 bytes");
}

TEST(TokenizerWordPiece, TakesTheLongestPieces) {
  json document = word_level({"un", "##aff", "##able", "##a", "[UNK]"});
  document["model"]["type"] = "WordPiece";
  document["model"]["unk_token"] = "[UNK]";
  EXPECT_EQ(pieces(document, "unaffable"), (Pieces{"un", "##aff", "##able"}));
  EXPECT_EQ(pieces(document, "unaffx"), (Pieces{"[UNK]"}));
  EXPECT_EQ(parsed(document)->unknown(), parsed(document)->id_of("[UNK]"));
  document["model"]["max_input_chars_per_word"] = 8;
  EXPECT_EQ(pieces(document, "unaffable"), (Pieces{"[UNK]"}));
}

TEST(TokenizerAdded, TokensAreThemselvesInText) {
  json document = word_level({"a", "b", "xa", "ax"});
  document["pre_tokenizer"] = {{"type", "WhitespaceSplit"}};
  document["added_tokens"] = {{{"id", 10}, {"content", "<s>"}, {"special", true}},
                              {{"id", 11}, {"content", "<s>>"}, {"normalized", false}}};
  EXPECT_EQ(pieces(document, "a<s>b<s>>"), (Pieces{"a", "<s>", "b", "<s>>"}));
  const auto tokens = parsed(document)->encode("a<s>b <s>>");
  EXPECT_EQ(tokens->special, (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(tokens->spans, (Spans{{0, 1}, {1, 4}, {4, 5}, {6, 10}}));
  EXPECT_EQ(parsed(document)->id_of("<s>>"), 11);
  EXPECT_EQ(parsed(document)->size(), 12U);

  json& token = document["added_tokens"][0];
  token = {{"id", 10}, {"content", "M"}, {"special", true}, {"lstrip", true}, {"rstrip", true}};
  EXPECT_EQ(spans(document, "a  M b"), (Spans{{0, 1}, {1, 5}, {5, 6}}));
  token = {{"id", 10}, {"content", "x"}, {"single_word", true}, {"normalized", false}};
  EXPECT_EQ(pieces(document, "xa x, ax"), (Pieces{"xa", "x", "<unk>", "ax"}));
  document["normalizer"] = {{"type", "Lowercase"}};
  token = {{"id", 10}, {"content", "Mask"}, {"normalized", true}};
  EXPECT_EQ(pieces(document, "a mASK b"), (Pieces{"a", "Mask", "b"}));
  token["normalized"] = false;
  EXPECT_EQ(pieces(document, "a mASK b"), (Pieces{"a", "<unk>", "b"}));
}

TEST(TokenizerTemplate, AddsTokensAroundTexts) {
  json document = word_level({"a", "b", "[CLS]", "[SEP]"});
  const auto types = [&](const json& processor) {
    document["post_processor"] = processor;
    const auto tokens = parsed(document)->encode("a", "b");
    std::string text;
    for (std::size_t i = 0; i < tokens->ids.size(); ++i)
      text += tokens->pieces[i] + std::to_string(tokens->types[i]) + (tokens->special[i] ? "* " : " ");
    return text;
  };
  EXPECT_EQ(types(nullptr), "a0 b1 ");
  EXPECT_EQ(types({{"type", "BertProcessing"}, {"cls", {"[CLS]", 3}}, {"sep", {"[SEP]", 4}}}),
            "[CLS]0* a0 [SEP]0* b1 [SEP]1* ");
  EXPECT_EQ(types({{"type", "RobertaProcessing"}, {"cls", {"[CLS]", 3}}, {"sep", {"[SEP]", 4}}}),
            "[CLS]0* a0 [SEP]0* [SEP]0* b0 [SEP]0* ");
  const json first = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const json second = {{"Sequence", {{"id", "B"}, {"type_id", 5}}}};
  const json end = {{"SpecialToken", {{"id", "end"}, {"type_id", 2}}}};
  const json special = {{"end", {{"id", "end"}, {"ids", {4, 3}}, {"tokens", {"[SEP]", "[CLS]"}}}}};
  const json with_template = {{"type", "TemplateProcessing"},
                              {"single", {first, end}},
                              {"pair", {first, end, second}},
                              {"special_tokens", special}};
  EXPECT_EQ(types({{"type", "Sequence"}, {"processors", {{{"type", "ByteLevel"}}, with_template}}}),
            "a0 [SEP]2* [CLS]2* b5 ");
  EXPECT_EQ(parsed(document)->encode("a")->pieces, (Pieces{"a", "[SEP]", "[CLS]"}));
  EXPECT_EQ(parsed(document)->encode("a", {}, false)->pieces, (Pieces{"a"}));
  EXPECT_EQ(parsed(document)->encode("a")->spans, (Spans{{0, 1}, {0, 0}, {0, 0}}));
}

TEST(TokenizerText, IsWhatAPieceStandsFor) {
  json document = word_level({"Ġthe", "##ing", "▁the", "ð"});
  const auto text = [&](const json& decoder, int id) {
    document["decoder"] = decoder;
    return parsed(document)->text_of(id);
  };
  EXPECT_EQ(text(nullptr, 1), "Ġthe");
  EXPECT_EQ(text({{"type", "ByteLevel"}}, 1), " the");
  EXPECT_EQ(text({{"type", "ByteLevel"}}, 4), "\xF0");
  EXPECT_EQ(text({{"type", "WordPiece"}}, 2), "ing");
  EXPECT_EQ(text({{"type", "Metaspace"}}, 3), " the");
  EXPECT_EQ(parsed(document)->text_of(99), "");
}

/// A precompiled normalization that makes `to` of each `from`.
std::string map_of(std::string_view from, const std::string& to) {
  std::uint32_t offset = 256;
  std::vector<std::uint32_t> units((2UL * offset) << from.size());
  std::uint32_t node = offset;
  units[0] = offset << 10U;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto byte = static_cast<unsigned char>(from[i]);
    const std::uint32_t leaf = i + 1 == from.size() ? 1U : 0U;
    node ^= byte;
    offset *= 2;
    units[node] = offset << 10U | leaf << 8U | byte;
    node ^= offset;
  }
  units[node] = 1U << 31U;
  const auto bytes = static_cast<std::uint32_t>(units.size() * sizeof(std::uint32_t));
  units.insert(units.begin(), bytes);
  return std::string(reinterpret_cast<const char*>(units.data()), bytes + sizeof(std::uint32_t)) + to + '\0';
}

TEST(TokenizerText, ThatACharsmapMakesTooLongIsRefused) {
  const auto map = Charsmap::parse(map_of("a", std::string(1'000'000, 'b')));
  ASSERT_TRUE(map && map->is_closed());
  EXPECT_EQ(map->apply(AlignedText("xa"))->size(), 1'000'001U);
  EXPECT_FALSE(map->apply(AlignedText(std::string(17, 'a'))));
}

TEST(TokenizerText, ThatACharsmapMakesTooLongIsRefusedWithinACharacter) {
  // A letter with any number of marks is one grapheme: without a limit in it, this would take 90 GB.
  const auto map = Charsmap::parse(map_of("\u0301", std::string(1'000'000, 'b')));
  ASSERT_TRUE(map && map->is_closed());
  std::string letter = "a";
  for (int i = 0; i < 10'000; ++i) letter += "\u0301";
  EXPECT_EQ(map->apply(AlignedText(std::string_view(letter).substr(0, 3)))->size(), 1'000'001U);
  EXPECT_FALSE(map->apply(AlignedText(letter)));
}

TEST(TokenizerText, OfACharsmapIsWholeBase64) {
  const auto refused = [](const std::string& text) {
    const auto map = Charsmap::parse_base64(text);
    return map ? std::string() : map.error().message;
  };
  const std::string whole = "BAAAAAAAAABiAA==";  // a trie of one unit, and a replacement
  EXPECT_EQ(refused(whole), "");
  EXPECT_EQ(refused(""), "");
  for (const char* wrong : {"BAAAAAAAAABiAA", "BAAAAAAAAABiAA=", "BAAAAAAAAABiAA==A", "BAAAAAAAAABiAA==AAAA",
                            "BAAAAAAAAABiA===", "BAAAAAAAAABi====", "BAAA AAAAABiAA==", "A", "="})
    EXPECT_EQ(refused(wrong), "precompiled_charsmap: is not base64") << wrong;
}

TEST(TokenizerFile, WhatIsNotKnownIsSaid) {
  const json plain = word_level({"a"});
  for (const char* part : {"normalizer", "pre_tokenizer", "post_processor", "decoder", "model"}) {
    json document = plain;
    document[part] = {{"type", "Strange"}};
    EXPECT_EQ(refusal(document).find(std::string(part) + ".type: \"Strange\" is not allowed; allowed: "), 0U) << part;
    document[part] = 3;
    EXPECT_EQ(refusal(document), std::string(part) + ": 3 is not allowed; allowed: an object");
  }
  EXPECT_EQ(refusal(json::object()), "model is missing; allowed: an object");
  EXPECT_EQ(refusal(bpe({"a"}, {"a b"})), "model.merges[0]: \"b\" is not in the vocabulary");
  EXPECT_EQ(refusal(bpe({"a"}, {"a"})), "model.merges[0]: \"a\" is not allowed; allowed: two pieces");
  json document = bpe({"a"}, json::array());
  document["model"]["dropout"] = 0.1;
  EXPECT_EQ(refusal(document), "model.dropout: 0.1 is not allowed; allowed: null");
  document["model"] = {{"type", "BPE"}, {"vocab", {{"a", -1}}}};
  EXPECT_EQ(refusal(document), "model.vocab: -1 for \"a\" is not allowed; allowed: whole numbers from 0 to 16777215");
}

TEST(TokenizerFile, TextMustBeUtf8AndNotTooLong) {
  const auto tokenizer = parsed(word_level({"a"}));
  EXPECT_EQ(tokenizer->encode("a\xff").error().message, "the text is not UTF-8");
  EXPECT_EQ(tokenizer->encode("a", "\xff").error().message, "the second text is not UTF-8");
  EXPECT_EQ(tokenizer->encode(std::string(AlignedText::kMaxBytes + 1, 'a')).error().message,
            "the text: 16.0 MB are not allowed; allowed: 16.0 MB");
}

TEST(TokenizerFile, IsFoundInTheFolder) {
  const TemporaryFolder folder;
  EXPECT_NE(Tokenizer::read(folder.path()).error().message.find(": no tokenizer; needs tokenizer.json"),
            std::string::npos);
  folder.file("vocab.txt", "[UNK]\r\n[CLS]\r\n[SEP]\r\nthe\r\n##n\r\n[SEP]\r\n");
  const auto bert = Tokenizer::read(folder.path());
  ASSERT_TRUE(bert) << bert.error().message;
  EXPECT_EQ((*bert)->encode("The then[SEP]")->pieces, (Pieces{"[CLS]", "the", "the", "##n", "[SEP]", "[SEP]"}));
  EXPECT_EQ((*bert)->id_of("[SEP]"), 5);  // the last one of a doubled piece

  folder.file("vocab.json", R"({"a": 0, "b": 1, "ab": 2, "<s>": 3, "</s>": 4, "#": 5, "<|endoftext|>": 6})");
  folder.file("merges.txt", "#version: 0.2\r\na b\r\n\r\n");
  const auto gpt2 = Tokenizer::read(folder.path());
  ASSERT_TRUE(gpt2) << gpt2.error().message;
  EXPECT_EQ((*gpt2)->encode("ab#<|endoftext|>")->ids, (std::vector<int>{2, 5, 6}));
  folder.file("tokenizer_config.json", R"({"tokenizer_class": "RobertaTokenizer"})");
  EXPECT_EQ((*Tokenizer::read(folder.path()))->encode("ab")->pieces, (Pieces{"<s>", "ab", "</s>"}));

  const auto file = folder.file("tokenizer.json", "{");
  EXPECT_TRUE(Tokenizer::read(folder.path()).error().message.starts_with(file.string() + ": line 1, column"));
}

}  // namespace
}  // namespace attnscope::test::tokenizer_rules
