// What figures say of themselves, in captions.
#include "figure/slices/view_sentence.h"

#include <gtest/gtest.h>

#include "figure/model/figure_content.h"
#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

std::string sentence_of(const Trace& trace, const std::string& view, const ParameterValues& options = {}) {
  return figure_for_file_of(trace, view, options).sentence;
}

TEST(ViewSentence, NamesTheHeadAndTheNumbers) {
  const auto trace = trace_with({{"tokens", "5"}, {"heads", "3"}, {"cross_queries", "0"}});
  EXPECT_EQ(sentence_of(*trace, "head", {{"head", Index{2}}}),
            "Attention weights of head 2 of 3 for 5 tokens: rows are queries, columns keys.");
  EXPECT_EQ(sentence_of(*trace, "head", {{"of", std::string("scores")}}),
            "Scores before the softmax of head 1 of 3 for 5 tokens: rows are queries, columns keys.");
  EXPECT_EQ(sentence_of(*trace, "heads"),
            "Attention weights of all 3 heads for 5 tokens: rows are queries, columns keys.");
  EXPECT_EQ(
      sentence_of(*trace, "dot", {{"query", Index{2}}, {"key", Index{3}}}),
      "One score of head 1 of 3: query “cat” (2) times key “sat” (3), number by number; their products are summed, "
      "and the softmax over the keys makes the weight of it.");
  EXPECT_EQ(
      sentence_of(*trace, "vectors", {{"query", Index{2}}, {"key", Index{3}}}),
      "Queries, keys and values of head 1 of 3 as arrows: query “cat” (2) and key “sat” (3) with their angle and dot "
      "product, and the weighted values that add up to the output.");
}

TEST(ViewSentence, SaysWhatTheSoftmaxReads) {
  const auto trace = trace_with({{"scale", "sqrt_head_dim"}, {"mask", "causal"}, {"temperature", "0.5"}});
  EXPECT_EQ(sentence_of(*trace, "dot", {{"query", Index{5}}}),
            "One score of head 1 of 4, self-attention: query “the” (5) times key “the” (1), number by number; their "
            "products are summed and divided by √7, and the softmax over the keys that the mask leaves, at the "
            "temperature 0.5, makes the weight of it.");
}

TEST(ViewSentence, QuotesWhatAModelReads) {
  const std::shared_ptr<const Trace> trace = made_trace("gpt2", {1, 2, 3});
  const auto reading = [&](const std::string& text) {
    Experiment experiment = trace->experiment();
    experiment.text.text = text;
    return sentence_of(*trace->for_experiment(experiment), "head");
  };
  EXPECT_NE(reading("the cat\nsat").find(" for 3 tokens (“the cat sat”)"), std::string::npos)
      << reading("the cat\nsat");
  EXPECT_NE(reading("").find(" for 3 tokens: "), std::string::npos) << reading("");
  const std::string longer = reading(std::string(5000, 'w'));
  EXPECT_LT(longer.size(), 400U);
  EXPECT_NE(longer.find("ww…”)"), std::string::npos);
}

TEST(ViewSentence, CountsQueriesAndKeysOfCrossAttention) {
  const auto trace = trace_with({{"tokens", "6"}, {"cross_queries", "4"}});
  EXPECT_EQ(
      sentence_of(*trace, "head", {{"attention", std::string("cross")}}),
      "Attention weights of head 1 of 4, cross-attention, from 4 queries to 6 keys: rows are queries, columns keys.");
  EXPECT_EQ(
      sentence_of(*trace, "heads"),
      "Attention weights of all 4 heads, self-attention and cross-attention, for 6 tokens and 4 queries of a second "
      "sequence: rows are queries, columns keys.");
}

TEST(ViewSentence, SaysWhatIsMaskedAndScaled) {
  const Settings settings = {{"cross_queries", "0"}, {"scale", "sqrt_head_dim"}, {"head_dim", "7"}};
  const auto masked = [&](const std::string& mask) {
    Settings with = settings;
    with.emplace_back("mask", mask);
    return sentence_of(*trace_with(with), "head");
  };
  EXPECT_TRUE(masked("causal").ends_with("; a causal mask hides later keys.")) << masked("causal");
  EXPECT_TRUE(masked("window:2").ends_with("; a mask hides keys more than 2 tokens away.")) << masked("window:2");
  EXPECT_TRUE(masked("padding:4").ends_with("; a mask hides padding."));
  EXPECT_NE(sentence_of(*trace_with(settings), "flow").find("; the scores are divided by √7."), std::string::npos);
  EXPECT_EQ(sentence_of(*trace_with({{"scale", "none"}}), "flow").find("√"), std::string::npos);
}

TEST(ViewSentence, FollowsTheTensorsAndNotTheParameters) {
  const auto trace =
      trace_with({{"features", "20"}, {"head_dim", "7"}, {"heads", "2"}, {"tokens", "3"}, {"cross_queries", "0"}});
  const std::string flow = sentence_of(*trace, "flow");
  EXPECT_NE(flow.find(" for 3 tokens with an embedding of 20 numbers and 2 heads of dimension 7."), std::string::npos)
      << flow;
}

TEST(ViewSentence, SaysWhatTheOptionsLeaveOfIt) {
  const auto trace = trace_with({{"tokens", "5"}, {"heads", "3"}, {"cross_queries", "0"}});
  const auto choice = [](const char* text) { return ParameterValue(std::string(text)); };
  const std::string rows = ": rows are queries, columns keys.";
  EXPECT_EQ(sentence_of(*trace, "compare", {{"show", choice("first")}}),
            "Attention weights of head 1 for 5 tokens" + rows);
  EXPECT_EQ(sentence_of(*trace, "compare", {{"show", choice("second")}}),
            "Attention weights of head 2 for 5 tokens" + rows);
  // One output alone cannot be compared: the figure says so, and nothing else.
  EXPECT_EQ(sentence_of(*trace, "compare", {{"of", choice("output")}}), "");
  EXPECT_NE(sentence_of(*trace, "text", {{"heads", choice("mean")}}).find("is the mean of its attention weights"),
            std::string::npos);
  EXPECT_NE(sentence_of(*trace, "text", {{"heads", choice("maximum")}}).find("is the largest of its attention weights"),
            std::string::npos);
  EXPECT_NE(sentence_of(*trace, "flow", {{"stage", choice("single")}}).find(" and 1 head of dimension "),
            std::string::npos)
      << sentence_of(*trace, "flow", {{"stage", choice("single")}});
}

TEST(ViewSentence, PagesAreThoseThatAreShown) {
  const auto trace = trace_with({{"tokens", "200"}});
  EXPECT_NE(sentence_of(*trace, "lines").find(" Page 1 of "), std::string::npos);
  EXPECT_EQ(sentence_of(*trace, "lines", {{"query", Index{150}}}).find(" Page "), std::string::npos);
  EXPECT_NE(sentence_of(*trace, "lines", {{"mass", 0.5}}).find("as far as those are among the keys that are drawn"),
            std::string::npos);
}

TEST(ViewSentence, EveryViewOfEverySystemHasOne) {
  for (const auto& trace : small_traces()) {
    for (const View& view : views()) {
      if (!missing_for(view, *trace).empty()) continue;
      const std::string where = trace->experiment().system + " " + view.name;
      const Figure figure = figure_for_file_of(*trace, view.name);
      if (figure.only_says_why) continue;
      const std::string& sentence = figure.sentence;
      EXPECT_GT(sentence.size(), 20U) << where;
      EXPECT_TRUE(sentence.ends_with(".")) << where << ": " << sentence;
      for (const char* wrong : {"..", "  ", "_{", "^{", " ,", " .", " 1 tokens", "1 heads"})
        EXPECT_EQ(sentence.find(wrong), std::string::npos) << where << ": " << sentence;
    }
  }
}

TEST(ViewSentence, TheWindowHasNone) {
  const auto trace = trace_with({});
  EXPECT_EQ(figure_of(*trace, "heads").sentence, "");
}

TEST(ViewSentence, EndsWithTheColoursThatAreShown) {
  const auto trace = trace_with({{"cross_queries", "0"}});
  const Figure figure = figure_for_file_of(*trace, "heads");
  EXPECT_TRUE(with_content(figure, {}).sentence.ends_with(" Colours: attention weight from violet (0) to yellow (1)."));
  const FigureContent grey = {.color_bars = false, .map = ColorMap::greys, .range = ColorRange{0, 0.5}};
  const std::string said = with_content(figure, grey).sentence;
  EXPECT_TRUE(said.ends_with(" Colours: attention weight from white (0) to black (0.5).")) << said;
}

}  // namespace
}  // namespace attnscope::test
