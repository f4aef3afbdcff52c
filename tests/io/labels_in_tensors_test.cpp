// Token labels inside npz and safetensors files.
#include "io/experiments/labels_in_tensors.h"

#include <gtest/gtest.h>

#include "io/experiments/experiment_file.h"
#include "io/tensors/tensor_file.h"
#include "support/temporary_folder.h"
#include "support/tensor_bytes.h"

namespace attnscope::test {
namespace {

using Words = std::vector<std::string>;

/// Texts as numpy stores them: four bytes for each character of `length`.
std::string unicode_bytes(const Words& texts, std::size_t length, bool big_endian = false) {
  std::string bytes;
  for (const std::string& text : texts) {
    for (std::size_t i = 0; i < length; ++i) {
      const char character = i < text.size() ? text[i] : '\0';
      bytes += big_endian ? std::string({'\0', '\0', '\0', character}) : std::string({character, '\0', '\0', '\0'});
    }
  }
  return bytes;
}

struct LabelsRead {
  std::vector<ImportedLabels> lists;
  Words warnings;
};

LabelsRead labels_read(const std::string& bytes) {
  const auto file = TensorFile::from_bytes(bytes, "a.npz");
  EXPECT_TRUE(file) << file.error().message;
  LabelsRead result;
  for (const std::string& warning : (*file)->warnings()) result.warnings.push_back(warning);
  result.lists = labels_in_tensors(**file, result.warnings);
  return result;
}

LabelsRead labels_of_array(const std::string& type, const std::string& shape, const std::string& data,
                           bool fortran = false) {
  std::string dictionary = npy_dictionary(type, shape);
  if (fortran) dictionary.replace(dictionary.find("False"), 5, "True");
  return labels_read(zip_bytes({ZipPart::deflated("tokens.npy", npy_bytes(dictionary, data))}));
}

TEST(LabelsInTensors, ArraysOfTextsAreLabels) {
  const LabelsRead flat = labels_of_array("<U3", "(3,)", unicode_bytes({"the", "a", ""}, 3));
  ASSERT_EQ(flat.lists.size(), 1U);
  EXPECT_EQ(flat.lists[0].name, "tokens");
  EXPECT_FALSE(flat.lists[0].per_item);
  EXPECT_EQ(flat.lists[0].items, (std::vector<Words>{{"the", "a", ""}}));
  EXPECT_TRUE(flat.warnings.empty());
  EXPECT_EQ(labels_of_array(">U2", "(2,)", unicode_bytes({"ab", "c"}, 2, true)).lists[0].items,
            (std::vector<Words>{{"ab", "c"}}));
  EXPECT_EQ(labels_of_array("|S2", "(2,)", std::string("ab\xC3\xA9", 4)).lists[0].items,
            (std::vector<Words>{{"ab", "é"}}));
  // U+1F600, which takes four bytes of UTF-8, and a number that is no character.
  EXPECT_EQ(labels_of_array("<U1", "(2,)", std::string("\x00\xF6\x01\x00\xFF\xFF\xFF\xFF", 8)).lists[0].items,
            (std::vector<Words>{{"😀", "\uFFFD"}}));
}

// As many lists as a shape has rows would take gigabytes.
TEST(LabelsInTensors, ManyRowsOfNothingAreNone) {
  const LabelsRead rows = labels_of_array("<U4", "(2000000000, 0)", "");
  ASSERT_EQ(rows.lists.size(), 1U);
  EXPECT_TRUE(rows.lists[0].items.empty());
}

TEST(LabelsInTensors, ARowOfAMatrixLabelsABatchItem) {
  const LabelsRead rows = labels_of_array("<U1", "(2, 3)", unicode_bytes({"a", "b", "c", "d", "e", "f"}, 1));
  ASSERT_EQ(rows.lists.size(), 1U);
  EXPECT_TRUE(rows.lists[0].per_item);
  EXPECT_EQ(rows.lists[0].items, (std::vector<Words>{{"a", "b", "c"}, {"d", "e", "f"}}));
  const LabelsRead columns = labels_of_array("<U1", "(2, 3)", unicode_bytes({"a", "d", "b", "e", "c", "f"}, 1), true);
  EXPECT_EQ(columns.lists[0].items, rows.lists[0].items);
}

TEST(LabelsInTensors, WhatCannotBeLabelsIsSaidInOneLine) {
  EXPECT_EQ(labels_of_array("<U300", "(1,)", unicode_bytes({std::string(300, 'a')}, 300)).warnings,
            Words{"a.npz: tokens: labels[0]: 300 bytes are not allowed; allowed: at most 256"});
  EXPECT_EQ(labels_of_array("|S1", "(1,)", "\xFF").warnings, Words{"a.npz: tokens: labels[0]: is not UTF-8"});
  EXPECT_EQ(labels_of_array("<U3", "(3,)", unicode_bytes({"the"}, 3)).warnings,
            Words{"member \"tokens.npy\": the texts take 36 bytes, but the member has 12 for them"});
  EXPECT_EQ(labels_of_array("<U1", "(2000000,)", "").warnings,
            Words{"member \"tokens.npy\": 2,000,000 texts are not read; allowed: 1,000,000 in a file"});
  EXPECT_EQ(labels_of_array("<U100", "(1000000,)", "").warnings.size(), 1U);
  // Neither a text alone nor a block of them labels tokens.
  EXPECT_TRUE(labels_of_array("<U1", "()", unicode_bytes({"a"}, 1)).lists.empty());
  EXPECT_TRUE(labels_of_array("<U1", "(1, 1, 1)", unicode_bytes({"a"}, 1)).lists.empty());
  ZipPart damaged = ZipPart::stored("tokens.npy", npy_bytes(npy_dictionary("<U1", "(1,)"), unicode_bytes({"a"}, 1)));
  ++damaged.crc;
  const LabelsRead wrong = labels_read(zip_bytes({damaged}));
  EXPECT_TRUE(wrong.lists.empty());
  EXPECT_EQ(wrong.warnings.size(), 1U);
}

TEST(LabelsInTensors, MetadataOfSafetensorsHasListsOfThem) {
  const auto with = [](const std::string& metadata) {
    return labels_read(safetensors_bytes(R"({"__metadata__":{)" + metadata + "}}"));
  };
  const LabelsRead one = with(R"("tokens":"[\"the\", \"cat\"]")");
  ASSERT_EQ(one.lists.size(), 1U);
  EXPECT_EQ(one.lists[0].items, (std::vector<Words>{{"the", "cat"}}));
  const LabelsRead several = with(R"("key_labels":"[[\"a\"], [\"b\", \"c\"]]")");
  ASSERT_EQ(several.lists.size(), 1U);
  EXPECT_TRUE(several.lists[0].per_item);
  EXPECT_EQ(several.lists[0].items, (std::vector<Words>{{"a"}, {"b", "c"}}));
  // A number of tokens is no list of them, and other keys have nothing to do with labels.
  EXPECT_TRUE(with(R"("tokens":"300000", "format":"pt", "shape":"[3]")").warnings.empty());
  EXPECT_EQ(with(R"("tokens":"[1]")").warnings, Words{"a.npz: tokens: labels[0]: 1 is not allowed; allowed: a string"});
  EXPECT_EQ(with(R"("tokens":"[\"a\"")").warnings.size(), 1U);
  EXPECT_EQ(with(R"("tokens":"[[\"a\"], \"b\"]")").warnings.size(), 1U);
}

TEST(LabelsInTensors, AnExperimentOnTheFileHasThem) {
  const TemporaryFolder folder;
  const auto path = folder.file(
      "a.npz",
      zip_bytes(
          {ZipPart::stored("attn.npy", npy_bytes(npy_dictionary("<f4", "(2, 2)"), float_bytes({1, 0, 0.5F, 0.5F}))),
           ZipPart::stored("tokens.npy", npy_bytes(npy_dictionary("<U1", "(2,)"), unicode_bytes({"a", "b"}, 1)))}));
  const Result<ExperimentSource> source = open_source(path.string());
  ASSERT_TRUE(source) << source.error().message;
  ASSERT_EQ(source->experiment.tensors->labels().size(), 1U);
  EXPECT_TRUE(source->experiment.tensors->warnings().empty());
  EXPECT_TRUE(source->experiment.labels.empty());
}

}  // namespace
}  // namespace attnscope::test
