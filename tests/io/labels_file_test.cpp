#include "io/experiments/labels_file.h"

#include <gtest/gtest.h>

#include "io/experiments/experiment_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

using Labels = std::vector<std::string>;

TEST(LabelsFile, IsAListASentenceOrALineForEach) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& name, const std::string& text) {
    const Result<Labels> labels = read_labels_file(folder.file(name, text));
    return labels ? *labels : Labels{labels.error().message};
  };
  EXPECT_EQ(read("a.json", R"(["the", "cat sat", ""])"), (Labels{"the", "cat sat", ""}));
  EXPECT_EQ(read("a.txt", " [\"the\"]\n"), (Labels{"the"}));
  EXPECT_EQ(read("b.txt", "the cat  sat\n"), (Labels{"the", "cat", "sat"}));
  EXPECT_EQ(read("c.txt", "the\r\ncat sat\r\n\r\nmat"), (Labels{"the", "cat sat", "", "mat"}));
  EXPECT_EQ(read("d.txt", "[CLS]\nthe\n[SEP]\n"), (Labels{"[CLS]", "the", "[SEP]"}));
}

TEST(LabelsFile, WhatIsWrongIsSaid) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& name, const std::string& text) {
    const auto path = folder.file(name, text);
    const Result<Labels> labels = read_labels_file(path);
    if (labels) return std::string("accepted");
    EXPECT_TRUE(labels.error().message.starts_with(path.string() + ": ")) << labels.error().message;
    return labels.error().message.substr(path.string().size() + 2);
  };
  EXPECT_EQ(refusal("a.json", R"(["the", 3])"), "labels[1]: 3 is not allowed; allowed: a string");
  EXPECT_EQ(refusal("a.json", R"({"the": 3})").find("labels: "), 0U);
  EXPECT_NE(refusal("a.json", R"(["the")"), "accepted");
  EXPECT_EQ(refusal("a.txt", "the \xff cat"), "labels[1]: is not UTF-8");
  EXPECT_EQ(refusal("b.txt", ""), "there are no labels; allowed: a JSON list of strings, or one label per line");
  EXPECT_EQ(refusal("b.txt", "a\n" + std::string(kMaxLabelBytes + 1, 'x')),
            "labels[1]: 257 bytes are not allowed; allowed: at most 256");
  std::string many;
  for (std::size_t i = 0; i <= kMaxLabels; ++i) many += "x\n";
  EXPECT_EQ(refusal("b.txt", many), "labels[65536]: is one too many; allowed: at most 65536");
  EXPECT_FALSE(read_labels_file(folder / "none.txt"));
}

}  // namespace
}  // namespace attnscope::test
