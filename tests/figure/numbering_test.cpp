// Tokens, heads, layers, rows and columns count from 1 wherever a person reads.
#include <gtest/gtest.h>

#include "figure/model/labels.h"
#include "figure/slices/matrix.h"
#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

TEST(Numbering, CountsPositionsFromOne) {
  EXPECT_EQ(position_number(0), "1");
  EXPECT_EQ(position_numbers(3), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_TRUE(Labels(position_numbers(12)).are_counted());
  EXPECT_FALSE(Labels({"0", "1"}).are_counted());
}

TEST(Numbering, PositionsAreWrittenAsInASentence) {
  const std::shared_ptr<const Trace> trace = trace_with({{"tokens", "8"}});
  EXPECT_EQ(axis_position_text(*trace, "weights", {"head", 4}, 0), "head 1");
  EXPECT_EQ(axis_position_text(*trace, "weights", {"batch", 2}, 1), "item 2");
  EXPECT_EQ(axis_position_text(*trace, "weights", {"dim", 7}, 2), "dim 3");
  EXPECT_EQ(axis_position_text(*trace, "weights", {"query", 8}, 2), "query “sat”");
  EXPECT_EQ(token_text(*trace, "weights", {"query", 8}, 7), "8") << "a token without a label";
  EXPECT_EQ(axis_labels(*trace, "weights", {"query", 8}).back(), "8");
  const std::shared_ptr<const Trace> pixels =
      trace_with({{"batch", "2"}, {"height", "2"}, {"width", "3"}}, "image-multihead");
  EXPECT_EQ(axis_position_text(*pixels, "weights", {"key", 6}, 5), "key 6 (row 2, column 3)");
}

TEST(Numbering, WordsThatRepeatHaveTheirPosition) {
  Experiment experiment = experiment_with({{"tokens", "4"}});
  experiment.labels = {"the", "cat", "the", "mat"};
  const auto trace = *run(experiment);
  const Axis keys = {"key", 4};
  EXPECT_EQ(axis_position_text(*trace, "weights", keys, 2), "key “the” (3)");
  EXPECT_EQ(axis_position_text(*trace, "weights", keys, 1), "key “cat”");
  EXPECT_EQ(entry_text(*trace, "weights", keys, 0), "the (1)");
  EXPECT_EQ(entry_text(*trace, "weights", keys, 3), "mat");
  EXPECT_EQ(entry_text(*trace, "weights", {"dim", 7}, 3), "dim 4");
}

TEST(Numbering, EntriesOfAVocabularyHaveTheIdsOfTokens) {
  const auto trace = made_trace("gpt2", {3, 5});
  const Axis vocabulary = {"vocabulary", 20};
  EXPECT_EQ(axis_position_text(*trace, "logits", vocabulary, 7), "“␣w7”, id 7");
  EXPECT_EQ(entry_text(*trace, "logits", vocabulary, 6), "␣w6 (6)");
}

TEST(Numbering, IsThatOfRowsColumnsAndNotes) {
  const auto trace = trace_with({{"queries", "3"}, {"keys", "200"}}, "scaled-dot-product");
  const Figure head = figure_of(*trace, "head", {}, 900, 600);
  EXPECT_EQ(head.heatmaps.front().row_labels.texts(), position_numbers(3));
  EXPECT_EQ(head.heatmaps.front().column_labels.back(), "200");
  const Figure image = figure_of(*trace_with({{"batch", "2"}, {"height", "3"}, {"width", "4"}}, "image-self-attention"),
                                 "image", {{"query", Index{6}}});
  EXPECT_EQ(words(image, "title"), "Attention from pixel (2, 2)");
}

}  // namespace
}  // namespace attnscope::test
