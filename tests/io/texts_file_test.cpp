#include "io/experiments/texts_file.h"

#include <gtest/gtest.h>

#include "io/models/model_texts.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

/// Each text behind its name, or the error without the name of the file.
std::vector<std::string> texts_in(const std::string& name, const std::string& bytes) {
  const Result<std::vector<StudyText>> texts = parse_texts(bytes, name);
  if (!texts) {
    EXPECT_TRUE(texts.error().message.starts_with(name + ": ")) << texts.error().message;
    return {texts.error().message.substr(name.size() + 2)};
  }
  std::vector<std::string> all;
  for (const StudyText& each : *texts) all.push_back(each.name + "|" + each.text);
  return all;
}

using Texts = std::vector<std::string>;

TEST(TextsFile, HasOneTextPerLineOrAList) {
  EXPECT_EQ(texts_in("a.txt", "the cat sat"), (Texts{"line 1|the cat sat"})) << "no sentence of labels";
  EXPECT_EQ(texts_in("a.txt", "the cat\n\n  on a mat \r\n \t\r\nsat\n"),
            (Texts{"line 1|the cat", "line 3|  on a mat ", "line 5|sat"}));
  EXPECT_EQ(texts_in("a.json", R"(["the cat", "", "on\na mat"])"),
            (Texts{"texts[0]|the cat", "texts[1]|", "texts[2]|on\na mat"}));
  EXPECT_EQ(texts_in("a", R"( ["the cat"])"), (Texts{"texts[0]|the cat"}));
  EXPECT_EQ(texts_in("a.txt", "[1] the cat\n"), (Texts{"line 1|[1] the cat"}));
  EXPECT_EQ(texts_in("a.txt", "\xEF\xBB\xBFthe cat\n"), (Texts{"line 1|the cat"})) << "a byte-order mark";
  EXPECT_EQ(texts_in("a.txt", "\xEF\xBB\xBF[\"the cat\"]"), (Texts{"texts[0]|the cat"}));
}

TEST(TextsFile, WhatIsWrongIsSaid) {
  const std::string none = "there are no texts; allowed: a JSON list of strings, or one text per line";
  EXPECT_EQ(texts_in("a.txt", ""), Texts{none});
  EXPECT_EQ(texts_in("a.json", "[]"), Texts{none});
  EXPECT_EQ(texts_in("a.txt", "\n \r\n"), Texts{"all lines are empty; allowed: one text per line"});
  EXPECT_EQ(texts_in("a.txt", "the\n\xff cat\n"), Texts{"line 2: is not UTF-8"});
  EXPECT_EQ(texts_in("a.json", R"(["the", 3])"), Texts{"texts[1]: 3 is not allowed; allowed: a string"});
  EXPECT_EQ(texts_in("a.json", R"({"the": 3})").front().find("texts: "), 0U);
  EXPECT_EQ(texts_in("a.json", R"(["the")").front().find("line 1, column "), 0U);
  EXPECT_EQ(texts_in("a.txt", "a\n" + std::string(kMaxTextBytes + 1, 'x')),
            Texts{"line 2: 1000001 bytes are not allowed; allowed: at most 1000000"});
  std::string many;
  for (std::size_t i = 0; i <= kMaxTexts; ++i) many += "x\n";
  EXPECT_EQ(texts_in("a.txt", many), Texts{"line 65537: is one too many; allowed: at most 65536"});
}

TEST(TextsFile, IsReadFromDisk) {
  const TemporaryFolder folder;
  const Result<std::vector<StudyText>> texts = read_texts_file(folder.file("a.txt", "the cat\nsat\n"));
  ASSERT_TRUE(texts) << texts.error().message;
  EXPECT_EQ(texts->size(), 2U);
  const Result<std::vector<StudyText>> huge = read_texts_file(folder.file("b.txt", std::string(32'000'001, 'x')));
  ASSERT_FALSE(huge);
  EXPECT_TRUE(huge.error().message.starts_with((folder / "b.txt").string() + ": ")) << huge.error().message;
  EXPECT_FALSE(read_texts_file(folder / "none.txt"));
  EXPECT_FALSE(read_texts_file(folder.path()));
}

}  // namespace
}  // namespace attnscope::test
