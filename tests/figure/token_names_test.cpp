// What tokens are called: whose labels belong to an axis, and tokens that cannot be seen.
#include "figure/slices/token_names.h"

#include <gtest/gtest.h>

#include "core/imported/imported_layers.h"
#include "figure/slices/matrix.h"
#include "support/imported_tensors.h"
#include "traces.h"

namespace attnscope::test {
namespace {

using Words = std::vector<std::string>;

std::shared_ptr<const Trace> labelled(const std::vector<MadeTensors::Made>& tensors, const Words& labels) {
  Experiment experiment = *experiment_on(made(tensors));
  experiment.labels = labels;
  return *run(experiment);
}

Words labels_of(const Trace& trace, const std::string& tensor, const Axis& axis) {
  return axis_labels(trace, tensor, axis);
}

TEST(TokenNames, TheTargetsWordsAreNotTheSourcesKeys) {
  const Words target = {"le", "chat"};
  const Words source = {"the", "black", "cat"};
  const auto of_target = labelled({{"cross_attentions", {4, 2, 3}}}, target);
  EXPECT_EQ(labels_of(*of_target, "weights", {"query", 2}), target);
  EXPECT_EQ(labels_of(*of_target, "weights", {"key", 3}), Words());
  EXPECT_EQ(axis_position_text(*of_target, "weights", {"key", 3}, 1), "key 2");
  const auto of_source = labelled({{"cross_attentions", {4, 2, 3}}}, source);
  EXPECT_EQ(labels_of(*of_source, "weights", {"query", 2}), Words());
  EXPECT_EQ(labels_of(*of_source, "weights", {"key", 3}), source);
  // Of every tensor of the layer, and of later layers.
  const auto vectors = labelled(
      {{"layers.0.q", {2, 4}}, {"layers.0.k", {3, 4}}, {"layers.1.q", {2, 4}}, {"layers.1.k", {3, 4}}}, target);
  for (const std::string prefix : {"", "layer2."}) {
    EXPECT_EQ(labels_of(*vectors, prefix + "q", {"query", 2}), target);
    EXPECT_EQ(labels_of(*vectors, prefix + "k", {"key", 3}), Words());
  }
  // As many queries as keys: the same sequence.
  const auto same = labelled({{"attn", {4, 3, 3}}}, source);
  EXPECT_EQ(labels_of(*same, "weights", {"query", 3}), source);
  EXPECT_EQ(labels_of(*same, "weights", {"key", 3}), source);
}

TEST(TokenNames, AFileHasLabelsForEachBatchItem) {
  const auto tensors = made({{"batch_attn", {2, 4, 2, 3}}});
  tensors->texts = {{"key_labels", true, {{"the", "black", "cat"}, {"a", "red", "fox"}}},
                    {"query_labels", false, {{"le", "chat"}}}};
  Experiment experiment = *experiment_on(tensors);
  const auto trace = *run(experiment);
  EXPECT_EQ(labels_of(*trace, "weights", {"query", 2}), (Words{"le", "chat"}));
  EXPECT_EQ(labels_of(*trace, "weights", {"key", 3}), (Words{"the", "black", "cat"}));
  EXPECT_EQ(axis_labels(*trace, "weights", {"key", 3}, 1), (Words{"a", "red", "fox"}));
  EXPECT_EQ(axis_position_text(*trace, "weights", {"key", 3}, 2, 1), "key “fox”");
  // A matrix of the second item has that item's labels.
  const auto mark = matrix_mark(*trace, "weights", {0, 1});
  EXPECT_EQ(column_labels(*trace, *mark)[2], "fox");
  EXPECT_EQ(row_labels(*trace, *mark)[1], "chat");
  // Those of the experiment replace them.
  experiment.labels = {"1", "2", "3"};
  EXPECT_EQ(axis_labels(**run(experiment), "weights", {"key", 3}, 1), experiment.labels);
}

TEST(TokenNames, BlankTokensAreSeen) {
  EXPECT_EQ(visible_token("\n"), "↵");
  EXPECT_EQ(visible_token(" \n\n"), "↵");
  EXPECT_EQ(visible_token("\t"), "⇥");
  EXPECT_EQ(visible_token("  "), "␣");
  EXPECT_EQ(visible_token(""), "(empty)");
  EXPECT_EQ(visible_token(" the"), "the");
  EXPECT_EQ(visible_token("a\nb\tc"), "a↵b⇥c");
  const auto trace = labelled({{"attn", {4, 4}}}, {"\n", "\t", "", "a"});
  EXPECT_EQ(labels_of(*trace, "weights", {"key", 4}), (Words{"↵", "⇥", "(empty)", "a"}));
  ModelText text;
  text.ids = {5, 6, 7};
  text.pieces = {"\t", "", " cat"};
  EXPECT_EQ(piece_text(text, 0), "⇥");
  EXPECT_EQ(piece_text(text, 1), "#6");
  EXPECT_EQ(piece_text(text, 2), "cat");
  EXPECT_EQ(vocabulary_text(" cat", 7), "␣cat");
  EXPECT_EQ(vocabulary_text("cat", 8), "cat");
  EXPECT_EQ(vocabulary_text(" ", 9), "␣");
  EXPECT_EQ(vocabulary_text("", 9), "#9");
}

}  // namespace
}  // namespace attnscope::test
