// The view that shades a text by the attention of one of its tokens.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/heads/head_layers.h"
#include "core/imported/imported_layers.h"
#include "figure/model/canvas.h"
#include "figure/model/figure_content.h"
#include "layout_faults.h"
#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

const std::vector<Index> kTextIds = {1, 2, 5, 9, 2, 7};

ParameterValue word(const char* value) { return std::string(value); }

const WordMark& word_mark(const Figure& figure, const std::string& id) {
  const WordMark* found = mark(figure.words, id);
  EXPECT_NE(found, nullptr) << id;
  return *found;
}

/// What shades a token, counted from 0; 0 without a colour.
float shade_of(const Figure& figure, Index token) {
  return word_mark(figure, "token." + std::to_string(token)).value.value_or(0);
}

std::shared_ptr<const Trace> weights_of_shape(const std::vector<Index>& shape, std::vector<std::string> labels = {}) {
  Experiment experiment = *experiment_on(made({{"attentions", shape}}));
  experiment.labels = std::move(labels);
  return *run(experiment);
}

TEST(TextView, ShadesByTheWeightsOfTheChosenToken) {
  const auto trace = made_trace("gpt2", kTextIds);
  const Tensor& weights = trace->tensor("layer2.weights");
  const auto step = static_cast<int>(trace->find("layer2.weights") - trace->steps().data());
  for (const bool from : {true, false}) {
    const Figure figure = figure_of(
        *trace, "text",
        {{"layer", Index{2}}, {"head", Index{2}}, {"position", Index{4}}, {"direction", word(from ? "from" : "to")}});
    float most = 0;
    for (Index token = 0; token < 6; ++token) {
      const std::vector<Index> cell = from ? std::vector<Index>{1, 3, token} : std::vector<Index>{1, token, 3};
      EXPECT_EQ(shade_of(figure, token), weights.at(cell)) << token;
      most = std::max(most, weights.at(cell));
      const TargetMark* target = mark(figure.targets, "token." + std::to_string(token));
      EXPECT_EQ(*target->cell, (TensorCell{step, cell})) << "a click pins the weight";
      EXPECT_EQ(target->box, word_mark(figure, "token." + std::to_string(token)).box);
    }
    EXPECT_EQ(words(figure, "title"),
              from ? "What “w9” attends to: layer 2, head 2" : "What attends to “w9”: layer 2, head 2");
    EXPECT_EQ(words(figure, "position"), "token 4 of 6");
    EXPECT_EQ(figure.color_bars.front().scale, (ColorScale{ColorMap::viridis, 0, static_cast<double>(most)}));
    EXPECT_EQ(words(figure, "note.0"), "Without colour: weight 0.") << "what the causal mask hides";
  }
}

TEST(TextView, BeginsWithTheLastToken) {
  const auto trace = made_trace("gpt2", kTextIds);
  EXPECT_EQ(describe(figure_of(*trace, "text")), describe(figure_of(*trace, "text", {{"position", Index{6}}})));
  EXPECT_EQ(words(figure_of(*trace, "text", {{"position", Index{99}}}), "position"), "token 6 of 6");
}

TEST(TextView, TheMeanTheMaximumAndRolloutAreThoseOfPlainLoops) {
  const auto trace = made_trace("gpt2", kTextIds);
  const Tensor& weights = trace->tensor("layer2.weights");
  const auto step = static_cast<int>(trace->find("layer2.weights") - trace->steps().data());
  const auto shown = [&](const char* heads) {
    return figure_of(*trace, "text", {{"layer", Index{2}}, {"heads", word(heads)}, {"position", Index{5}}});
  };
  const Figure mean = shown("mean");
  const Figure maximum = shown("maximum");
  const Figure flow = shown("rollout");
  const std::shared_ptr<const Tensor> all = rollout(*trace, step, 0);
  for (Index token = 0; token < 6; ++token) {
    const float a = weights.at(std::vector<Index>{0, 4, token});
    const float b = weights.at(std::vector<Index>{1, 4, token});
    EXPECT_NEAR(shade_of(mean, token), (a + b) / 2, 1e-7F);
    EXPECT_EQ(shade_of(maximum, token), std::max(a, b));
    EXPECT_NEAR(shade_of(flow, token), all->matrix({}).at(4, token), 1e-7F);
    const std::string id = "token." + std::to_string(token);
    EXPECT_EQ(mark(maximum.targets, id)->cell->index, (std::vector<Index>{b > a ? 1 : 0, 4, token}));
    EXPECT_FALSE(mark(mean.targets, id)->cell || mark(flow.targets, id)->cell) << "no number of the trace";
    EXPECT_NE(mark(mean.targets, id)
                  ->about.find("mean weight " + number_text(static_cast<double>(shade_of(mean, token))) + ", largest "),
              std::string::npos)
        << mark(mean.targets, id)->about;
  }
  EXPECT_EQ(words(mean, "title"), "What “cat” attends to: layer 2, mean of 2 heads");
  EXPECT_EQ(words(maximum, "title"), "What “cat” attends to: layer 2, maximum of 2 heads");
  EXPECT_EQ(words(flow, "title"), "What “cat” attends to: rollout up to layer 2");
  EXPECT_EQ(maximum.color_bars.front().title, "largest weight");
}

TEST(TextView, ATitleThatIsTooLongForALineIsBrokenBetweenItsParts) {
  const auto trace = made_trace("gpt2", kTextIds);
  const ParameterValues options = {{"layer", Index{2}}, {"heads", word("rollout")}, {"position", Index{4}}};
  const Figure figure = figure_of(*trace, "text", options, 280);
  EXPECT_EQ(words(figure, "title"), "What “w9” attends to:");
  EXPECT_EQ(words(figure, "1.title"), "rollout up to layer 2");
  EXPECT_EQ(figure.title, "What “w9” attends to: rollout up to layer 2");
}

TEST(TextView, WhatIsNotANumberHasTheColourOfThat) {
  const auto tensors = std::make_shared<MadeTensors>(std::vector<MadeTensors::Made>{{"attentions", {1, 2, 2}}});
  tensors->instead = {{{0, 2}, NAN}, {{0, 3}, 0.25F}};
  const Figure figure = figure_of(**run(*experiment_on(tensors)), "text");
  EXPECT_TRUE(std::isnan(*word_mark(figure, "token.0").value));
  EXPECT_EQ(figure.color_bars.front().scale.high, 0.25);
}

TEST(TextView, AClickOnATokenChoosesIt) {
  const auto trace = made_trace("gpt2", kTextIds);
  const Figure figure = figure_of(*trace, "text");
  const TargetMark* target = mark(figure.targets, "token.2");
  EXPECT_EQ(target->about, "Token 3, id 5\nClick to choose it");
  const Figure chosen = figure_of(*trace, "text", set_by(*target));
  EXPECT_EQ(words(chosen, "title"), "What “internationalisation” attends to: layer 1, head 1");
  EXPECT_FALSE(mark(chosen.targets, "token.2")->has_click());
  const Rect box = word_mark(chosen, "token.2").box.grown(2);
  EXPECT_EQ(mark(chosen.curves, "chosen")->points.front(), (Point{box.x, box.y})) << "it is ringed";
}

TEST(TextView, LeftOutTokensHaveNoColourAndDoNotCount) {
  Experiment experiment = made_trace("gpt2", kTextIds)->experiment();
  experiment.text.special = {true, false, false, false, false, true};
  const auto trace = *run(experiment);
  const Tensor& weights = trace->tensor("layer1.weights");
  const auto weight = [&](Index key) { return weights.at(std::vector<Index>{0, 5, key}); };
  const Figure all = figure_of(*trace, "text");
  EXPECT_EQ(mark(all.bars, "token.0.chip"), nullptr);
  const Figure first = figure_of(*trace, "text", {{"leave_out", word("first")}});
  EXPECT_EQ(shade_of(first, 0), 0);
  EXPECT_EQ(shade_of(first, 5), weight(5));
  EXPECT_EQ(words(first, "note.0"),
            "Left out: the first token, with " + number_text(static_cast<double>(weight(0))) + ".");
  const Figure special = figure_of(*trace, "text", {{"leave_out", word("special")}});
  EXPECT_EQ(words(special, "note.0"), "Left out: 2 special tokens, together with " +
                                          number_text(static_cast<double>(weight(0)) + static_cast<double>(weight(5))) +
                                          ".");
  for (const char* const chip : {"token.0.chip", "token.5.chip"}) EXPECT_NE(mark(special.bars, chip), nullptr);
  EXPECT_LT(word_mark(special, "token.0").size, word_mark(special, "token.1").size);
  const float most = std::max({weight(1), weight(2), weight(3), weight(4)});
  EXPECT_EQ(special.color_bars.front().scale.high, static_cast<double>(most));
  EXPECT_EQ(figure_of(*trace, "text", {{"range", word("one")}}).color_bars.front().scale.high, 1);
  const Figure maximum = figure_of(*trace, "text", {{"leave_out", word("special")}, {"heads", word("maximum")}});
  EXPECT_NE(words(maximum, "note.0").find("with at most "), std::string::npos) << words(maximum, "note.0");
  // Without special tokens nothing is left out.
  EXPECT_EQ(words(figure_of(*made_trace("gpt2", kTextIds), "text", {{"leave_out", word("special")}}), "note.0"),
            "no note.0");
}

TEST(TextView, CrossAttentionShowsBothTexts) {
  const auto trace = trace_with({});
  const Tensor& weights = trace->tensor("cross_weights");
  ParameterValues options = {{"attention", word("cross")}, {"head", Index{2}}, {"position", Index{2}}};
  const Figure from = figure_of(*trace, "text", options);
  EXPECT_EQ(words(from, "title"), "What token 2 attends to: cross-attention, head 2");
  EXPECT_EQ(words(from, "query.caption"), "queries");
  for (Index key = 0; key < 6; ++key) {
    EXPECT_EQ(word_mark(from, "key." + std::to_string(key)).value.value_or(0),
              weights.at(std::vector<Index>{1, 1, key}));
  }
  for (Index query = 0; query < 3; ++query) {
    const std::string id = "query." + std::to_string(query);
    EXPECT_FALSE(word_mark(from, id).value);
    EXPECT_FALSE(mark(from.targets, id)->cell);
  }
  const Rect ringed = word_mark(from, "query.1").box.grown(2);
  EXPECT_EQ(mark(from.curves, "chosen")->points.front(), (Point{ringed.x, ringed.y}));
  // A click on a key asks who attends to it.
  ParameterValues turned = options;
  for (const auto& [name, value] : set_by(*mark(from.targets, "key.4"))) turned[name] = value;
  const Figure to = figure_of(*trace, "text", turned);
  EXPECT_EQ(words(to, "title"), "What attends to “the”: cross-attention, head 2");
  for (Index query = 0; query < 3; ++query) {
    EXPECT_EQ(word_mark(to, "query." + std::to_string(query)).value.value_or(0),
              weights.at(std::vector<Index>{1, query, 4}));
  }
  EXPECT_EQ(set_by(*mark(to.targets, "key.2")), (ParameterValues{{"position", Index{3}}}));
}

TEST(TextView, SaysWhyItCannot) {
  const auto trace = trace_with({});
  EXPECT_EQ(words(figure_of(*trace, "text", {{"attention", word("cross")}, {"heads", word("rollout")}}), "missing"),
            "Rollout follows self-attention: the queries of cross-attention are not the tokens of its keys.");
  EXPECT_EQ(missing_for(*find_view("text"),
                        *trace_with({{"batch", "2"}, {"height", "2"}, {"width", "2"}}, "image-self-attention")),
            "There is no text to read: the tokens are pixels or patches of a picture.");
}

TEST(TextView, APositionBeyondTheTextIsRefusedOnTheCommandLine) {
  const auto trace = trace_with({});
  const auto refused = [&](const ParameterValues& options) {
    const Result<void> checked = check_options(*find_view("text"), *trace, view_options({"text", options})->values);
    return checked ? "" : checked.error().message;
  };
  EXPECT_EQ(refused({{"position", Index{6}}}), "");
  EXPECT_EQ(refused({{"position", Index{7}}}), "view option position: 7 is not allowed; the experiment has 1 to 6");
  EXPECT_EQ(refused({{"position", Index{4}}, {"attention", word("cross")}}),
            "view option position: 4 is not allowed; the experiment has 1 to 3");
  EXPECT_EQ(refused({{"position", Index{4}}, {"attention", word("cross")}, {"direction", word("to")}}), "");
  EXPECT_EQ(refused({{"page", Index{2}}}), "view option page: 2 is not allowed; the view has 1 to 1");
}

TEST(TextView, LongTextsHavePages) {
  std::vector<std::string> labels;
  for (int i = 0; i < 4000; ++i) labels.push_back("token" + std::to_string(i + 1));
  const auto trace = weights_of_shape({1, 4000, 4000}, labels);
  const View& view = *find_view("text");
  ASSERT_EQ(option_limit(view, *trace, "page", view_options({"text", {}})->values), 10);
  const Figure first = figure_of(*trace, "text", {}, 1000, 700);
  EXPECT_EQ(first.words.size(), 400U);
  EXPECT_LE(mark_count(first), 900U);
  EXPECT_LE(first.height, 700.5);
  EXPECT_EQ(words(first, "page"), "tokens 1–400 of 4,000 · page 1 of 10");
  EXPECT_EQ(mark(first.curves, "chosen"), nullptr);
  EXPECT_EQ(words(first, "position"), "token 4,000 of 4,000, on page 10");
  EXPECT_EQ(mark(first.targets, "page.earlier"), nullptr);
  EXPECT_EQ(set_by(*mark(first.targets, "page.later")), (ParameterValues{{"page", Index{2}}}));
  const Figure file = figure_for_file_of(*trace, "text");
  EXPECT_EQ(words(file, "page"), "tokens 1–400 of 4,000 · page 1 of 10");
  EXPECT_EQ(mark(file.texts, "page.later"), nullptr) << "nobody clicks there";
  const Figure last = figure_of(*trace, "text", set_by(*mark(first.targets, "position")), 1000, 700);
  EXPECT_NE(mark(last.curves, "chosen"), nullptr);
  EXPECT_EQ(last.words.front().text, "token3601");
  EXPECT_EQ(last.words.front().value.value_or(0), trace->tensor("weights").at(std::vector<Index>{0, 3999, 3600}));
  EXPECT_EQ(last.color_bars.front().scale, first.color_bars.front().scale) << "colours mean the same on all pages";
  EXPECT_EQ(words(last, "position"), "token 4,000 of 4,000");
}

TEST(TextView, IsInOrderAtAnySize) {
  std::vector<Index> ids;
  for (Index i = 0; i < 40; ++i) ids.push_back(i * 7 % 20);
  for (const auto& trace : {made_trace("gpt2", ids), made_trace("gpt2", {4}), trace_with({}),
                            trace_with({{"queries", "3"}, {"keys", "7"}}, "scaled-dot-product"),
                            weights_of_shape({2, 500, 500}), trace_with({}, "hand-made-heads")}) {
    ViewCache cache;
    for (const ParameterValues& options :
         {ParameterValues{}, ParameterValues{{"direction", word("to")}, {"position", Index{1}}},
          ParameterValues{{"heads", word("mean")}, {"leave_out", word("first")}},
          ParameterValues{{"attention", word("cross")}, {"heads", word("maximum")}, {"page", Index{2}}},
          ParameterValues{{"heads", word("rollout")}, {"position", Index{3}}}}) {
      for (const auto& [width, height] : std::vector<std::pair<double, double>>{
               {672, 0}, {200, 0}, {316.8, 0}, {1600, 0}, {900, 700}, {420, 520}, {2500, 1400}}) {
        const Figure figure = figure_of(*trace, "text", options, width, height, &cache);
        const std::string about = trace->experiment().system + " " + fixed_text(width, 0) + " × " +
                                  fixed_text(height, 0) + " " + figure.title;
        EXPECT_FALSE(figure.title.empty()) << about;
        for (const auto& faults : {layout_faults(figure), shared_ids(figure)})
          ASSERT_TRUE(faults.empty()) << about << ":\n" << join(faults, "\n");
        EXPECT_EQ(describe(figure), describe(figure_of(*trace, "text", options, width, height))) << "cached";
      }
    }
  }
}

TEST(TextView, StopsWhenToldTo) {
  StopSource stop;
  stop.request_stop();
  ViewOptions options = *view_options({"text", {}});
  options.stop = stop.token();
  EXPECT_TRUE(build_view("text", *made_trace("gpt2", kTextIds), options).words.empty());
}

TEST(TextView, HasTheColoursThatAreAskedFor) {
  const Figure figure = figure_of(*trace_with({}), "text");
  const Figure grey = with_content(figure, {.map = ColorMap::greys, .range = ColorRange{0, 0.25}});
  for (const WordMark& each : grey.words) EXPECT_EQ(each.scale, (ColorScale{ColorMap::greys, 0, 0.25}));
  EXPECT_EQ(grey.color_bars.front().scale, (ColorScale{ColorMap::greys, 0, 0.25}));
  EXPECT_EQ(grey.color_bars.front().high_text, "0.25");
}

TEST(Words, GrowWithTheirBoxes) {
  const Figure figure = figure_of(*trace_with({}), "text");
  FigureTransform transform;
  transform.scale = 2;
  RecordingCanvas painted;
  paint(figure, palette(Theme::dark), transform, {0, 0, 2 * figure.width, 2 * figure.height}, painted);
  ASSERT_EQ(painted.fills.size(), figure.words.size());
  for (std::size_t i = 0; i < figure.words.size(); ++i) {
    const Rect box = transform.apply(figure.words[i].box);
    EXPECT_EQ(painted.fills[i], box);
    const auto text = std::ranges::find_if(painted.texts, [&](const auto& each) {
      return each.text == figure.words[i].text && box.intersection(each.box).width > each.box.width - 0.01;
    });
    ASSERT_NE(text, painted.texts.end()) << figure.words[i].text;
    EXPECT_NEAR(text->box.width, 2 * text_width(figure.words[i].text, figure.words[i].size), 1e-6);
  }
  // What is out of sight is not painted.
  RecordingCanvas nothing;
  paint(figure, palette(Theme::dark), transform, {0, 0, 1, 1}, nothing);
  EXPECT_TRUE(nothing.fills.empty());
}

}  // namespace
}  // namespace attnscope::test
