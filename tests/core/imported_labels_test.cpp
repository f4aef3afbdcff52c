// Labels in files of tensors: what their names say, which tokens they fit, and the measures that need words.
#include "core/imported/imported_labels.h"

#include <gtest/gtest.h>

#include "core/heads/head_measures.h"
#include "imported_trace.h"

namespace attnscope::test {
namespace {

using Words = std::vector<std::string>;

Words words(std::span<const std::string> labels) { return {labels.begin(), labels.end()}; }

std::size_t measure_place(std::string_view measure) {
  const auto all = measures();
  const auto found = std::ranges::find(all, measure, &Measure::name);
  return static_cast<std::size_t>(found - all.begin());
}

TEST(ImportedLabels, NamesSayWhichTokensTheyLabel) {
  for (const char* const name : {"tokens", "labels", "str_tokens", "words", "token_texts", "batch_tokens"})
    EXPECT_EQ(labelled_tokens(name), LabelledTokens::all) << name;
  for (const char* const name : {"query_labels", "target_tokens", "tgt", "decoderTokens"})
    EXPECT_EQ(labelled_tokens(name), LabelledTokens::queries) << name;
  for (const char* const name : {"key_labels", "src_tokens", "source_words", "encoder.tokens"})
    EXPECT_EQ(labelled_tokens(name), LabelledTokens::keys) << name;
  for (const char* const name : {"format", "names", "", "experiment"})
    EXPECT_EQ(labelled_tokens(name), LabelledTokens::none) << name;
}

TEST(ImportedLabels, FitTheTokensThatTheyCount) {
  const auto tensors = made({{"attn", {2, 4, 2, 3}}});
  tensors->texts = {{"names", false, {{"x", "y", "z"}}},
                    {"tokens", false, {{"the", "black", "cat"}}},
                    {"query_tokens", true, {{"le", "chat"}, {"la", "mer"}}}};
  const LabelledSizes sizes = {2, 2, 3};
  EXPECT_EQ(words(labels_in_file(*tensors, sizes, false, 0)), (Words{"le", "chat"}));
  EXPECT_EQ(words(labels_in_file(*tensors, sizes, false, 1)), (Words{"la", "mer"}));
  EXPECT_EQ(words(labels_in_file(*tensors, sizes, true, 1)), (Words{"the", "black", "cat"}));
  // Two lists are no labels for three batch items.
  EXPECT_EQ(words(labels_in_file(*tensors, {3, 2, 3}, false, 0)), Words());
  EXPECT_FALSE(misfit_labels_notice(*tensors, sizes));
  EXPECT_EQ(
      misfit_labels_notice(*tensors, {3, 2, 3}),
      "made.npz: query_tokens: up to 2 labels for each of 2 batch items, for 2 queries and 3 keys of 3 batch items");
  EXPECT_EQ(misfit_labels_notice(*tensors, {1, 7, 7}), "made.npz: tokens: 3 labels, for 7 tokens");
}

TEST(ImportedLabels, TheMeasuresOfABatchItemTakeItsWords) {
  const auto tensors = made({{"batch_attn", {2, 1, 3, 3}}});
  tensors->texts = {{"tokens", true, {{"a", "b", "a"}, {"a", "b", "c"}}}};
  // Every query attends to the first key.
  for (Index row = 0; row < 6; ++row) {
    for (Index key = 0; key < 3; ++key) tensors->instead[{0, 3 * row + key}] = key == 0 ? 1 : 0;
  }
  const auto trace = trace_on(tensors);
  const std::size_t duplicate = measure_place("duplicate_token");
  EXPECT_NEAR(*measure_heads(*trace, 0, 0)->heads.front()[duplicate], 1.0 / 3, 1e-6);
  EXPECT_EQ(measure_heads(*trace, 0, 1)->heads.front()[duplicate], 0);
  // The experiment's own labels come first.
  Experiment labelled = trace->experiment();
  labelled.labels = {"x", "x", "x"};
  EXPECT_NEAR(*measure_heads(**run(labelled), 0, 1)->heads.front()[duplicate], 2.0 / 3, 1e-6);
}

TEST(ImportedLabels, AListThatFitsNothingIsSaid) {
  const auto tensors = made({{"attn", {2, 4, 4}}});
  tensors->texts = {{"tokens", false, {{"a", "b"}}}};
  EXPECT_EQ(std::ranges::count(trace_on(tensors)->warnings(), "made.npz: tokens: 2 labels, for 4 tokens"), 1);
}

}  // namespace
}  // namespace attnscope::test
