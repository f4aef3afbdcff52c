// The words of a head, as a figure.
#include <gtest/gtest.h>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "core/residual/head_words.h"
#include "core/residual/token_circuits.h"
#include "figure/slices/token_names.h"
#include "layout_faults.h"
#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

const std::vector<Index> kWordIds = {1, 2, 5, 9, 2, 7};

ParameterValues word_options(Index layer, Index head, Index query, Index key, const std::string& show = "pair") {
  return {{"layer", layer}, {"head", head}, {"query", query}, {"key", key}, {"show", show}};
}

TEST(WordsView, ListsTheExtremesOfBoth) {
  const auto trace = made_trace("gpt2", kWordIds);
  const Figure figure = figure_of(*trace, "words", word_options(2, 1, 4, 3), 900, 700);
  const ScoreChoice choice = {layer_attentions(*trace)[1].weights, 0, 3, 2};
  const WordList sought = sought_words(*trace, choice, 10).value();
  const WordList written = written_words(*trace, choice, 10).value();
  for (const auto& [id, list] : {std::pair("sought", sought), {"written", written}}) {
    for (const WordValue& word : list.largest) {
      const TextMark* const value = mark(figure.texts, std::string(id) + "." + std::to_string(word.token) + ".value");
      ASSERT_NE(value, nullptr);
      EXPECT_EQ(value->markup, number_text(word.value, 4));
    }
    for (const WordValue& word : list.smallest)
      EXPECT_NE(mark(figure.texts, std::string(id) + ".low." + std::to_string(word.token)), nullptr);
  }
  EXPECT_EQ(words(figure, "title"), "Words of layer 2, head 1");
  EXPECT_EQ(words(figure, "sought.title"), "Query “w9” (4) seeks");
}

TEST(WordsView, ShowsTheCircuitsOfTheWholeVocabulary) {
  const auto trace = made_trace("gpt2", kWordIds);
  const ScoreChoice choice = {layer_attentions(*trace)[1].weights, 0, 3, 2};
  const Index tokens = trace->find("logits")->axes.back().size;
  for (const auto& [show, about, circuit] :
       {std::tuple("query_key", "score", query_key_circuit(*trace, choice).value()),
        std::tuple("output_value", "added logit", output_value_circuit(*trace, choice).value())}) {
    const Figure figure = figure_of(*trace, "words", word_options(2, 1, 4, 3, show), 1100, 700);
    const HeatmapMark* const map = mark(figure.heatmaps, "circuit");
    ASSERT_NE(map, nullptr);
    EXPECT_EQ(map->rows(), tokens);
    EXPECT_EQ(map->columns(), tokens);
    const TokenPairs pairs = extreme_pairs(circuit, 12).value();
    EXPECT_EQ(words(figure, "largest.0.value"), number_text(static_cast<double>(pairs.largest[0].value), 4));
    EXPECT_EQ(words(figure, "smallest.0.value"), number_text(static_cast<double>(pairs.smallest[0].value), 4));
    const TokenPair& first = pairs.largest.front();
    const auto name = [&](Index id) { return vocabulary_text(trace->experiment().model->token_text(id), id); };
    EXPECT_EQ(own_cell_text(*map, first.row, first.column), std::string(about) + ", " + name(first.row) + ", " +
                                                                name(first.column) + ": " +
                                                                number_text(static_cast<double>(first.value)));
    EXPECT_EQ(own_cell_text(*map, tokens, 0), "");
  }
}

TEST(WordsView, ACircuitHasTheOptionsThatItDependsOn) {
  const View& view = *find_view("words");
  const auto trace = made_trace("gpt2", kWordIds);
  const auto applies = [&](const char* show, const char* option) {
    return view.applies(*trace, view_options({"words", word_options(1, 1, 3, 2, show)})->values, option);
  };
  for (const char* option : {"layer", "head", "query", "key", "show"}) EXPECT_TRUE(applies("pair", option)) << option;
  // Without rotary positions embeddings do not say where a token is.
  EXPECT_FALSE(applies("query_key", "query"));
  EXPECT_FALSE(applies("query_key", "key"));
  EXPECT_TRUE(applies("output_value", "query"));
  EXPECT_FALSE(applies("output_value", "key"));
  for (const char* show : {"query_key", "output_value"}) {
    EXPECT_TRUE(applies(show, "layer") && applies(show, "head") && applies(show, "show")) << show;
    for (const char* option : {"query", "key"}) {
      ParameterValues other = word_options(1, 1, 3, 2, show);
      other[option] = Index{5};
      const Figure at = figure_of(*trace, "words", word_options(1, 1, 3, 2, show));
      EXPECT_EQ(describe(figure_of(*trace, "words", other)) != describe(at), applies(show, option)) << show << option;
    }
  }
}

TEST(WordsView, ACircuitOfAModelIsKeptWhileTheTextChanges) {
  const auto model = made_model("gpt2");
  const auto source = [&](const std::vector<Index>& ids, Index head, ViewCache& cache) {
    const Figure figure =
        figure_of(*made_trace(model, ids), "words", word_options(1, head, 1, 1, "query_key"), 900, 700, &cache);
    return mark(figure.heatmaps, "circuit")->source;
  };
  ViewCache cache;
  const auto first = source(kWordIds, 1, cache);
  EXPECT_EQ(source({4, 4, 8}, 1, cache), first);
  EXPECT_NE(source({4, 4, 8}, 2, cache), first);
}

TEST(WordsView, IsInOrder) {
  for (const auto& trace : {made_trace("gpt2", kWordIds), made_trace("attention-only", kWordIds),
                            made_trace("bert", kWordIds), made_trace("gpt2", {5})}) {
    ViewCache cache;
    for (const auto& [width, height] :
         std::vector<std::pair<double, double>>{{672, 0}, {200, 0}, {1600, 0}, {900, 700}, {600, 520}, {2500, 1400}}) {
      for (const char* show : {"pair", "query_key", "output_value"}) {
        const ParameterValues chosen = word_options(1, 2, 3, 2, show);
        const Figure figure = figure_of(*trace, "words", chosen, width, height, &cache);
        EXPECT_FALSE(figure.title.empty());
        for (const auto& faults : {layout_faults(figure), shared_ids(figure)})
          EXPECT_TRUE(faults.empty()) << show << ", " << fixed_text(width, 0) << " × " << fixed_text(height, 0) << "\n"
                                      << join(faults, "\n");
        EXPECT_EQ(describe(figure), describe(figure_of(*trace, "words", chosen, width, height)));
      }
    }
  }
}

TEST(WordsView, SaysWhatIsMissing) {
  EXPECT_NE(missing_for(*find_view("words"), *trace_with({})).find("trained models"), std::string::npos);
  const auto bert = made_trace("bert", kWordIds);
  EXPECT_EQ(missing_for(*find_view("words"), *bert), "");
  EXPECT_NE(describe(figure_of(*bert, "words")).find("normalizes the sum"), std::string::npos);
}

TEST(WordsView, StopsWhenToldTo) {
  StopSource stop;
  stop.request_stop();
  ViewOptions options = *view_options({"words", {}});
  options.stop = stop.token();
  EXPECT_TRUE(build_view("words", *made_trace("gpt2", kWordIds), options).texts.empty());
}

}  // namespace
}  // namespace attnscope::test
