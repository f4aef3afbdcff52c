// The view of what each part of a model adds to a logit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "core/residual/contributions.h"
#include "core/residual/lens.h"
#include "core/residual/value_parts.h"
#include "figure/blocks/part_map.h"
#include "figure/slices/model_answers.h"
#include "layout_faults.h"
#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

const std::vector<Index> kIds = {1, 2, 5, 9, 2, 7};

TEST(ContributionsView, SaysThatThePartsSumToTheLogit) {
  for (const char* const family : {"gpt2", "attention-only"}) {
    const auto trace = made_trace(family, kIds);
    const Figure figure = figure_of(*trace, "contributions", {{"position", Index{3}}, {"token", Index{4}}});
    double sum = 0;
    for (const HeatmapMark& each : figure.heatmaps) {
      const MatrixView numbers = *each.source->held();
      for (Index row = 0; row < numbers.rows; ++row) {
        for (Index column = 0; column < numbers.columns; ++column) sum += static_cast<double>(numbers.at(row, column));
      }
    }
    const auto logit = static_cast<double>(trace->tensor("logits").at(std::vector<Index>{2, 4}));
    EXPECT_NEAR(sum, logit, 1e-4) << family << ": every part is a cell";
    const Contributions parts = *contributions(*trace, *residual_sum(*trace), {2, 4, {}});
    EXPECT_EQ(words(figure, "sum"),
              "The parts sum to " + fixed_text(parts.sum, 5) + "; the logit is " + fixed_text(logit, 5) + ".");
    const bool norm = std::string(family) == "gpt2";
    EXPECT_EQ(words(figure, "caption.0").find("linearized") != std::string::npos ||
                  words(figure, "caption.1").find("linearized") != std::string::npos ||
                  words(figure, "caption.1").find("held fixed") != std::string::npos,
              norm);
    EXPECT_EQ(mark(figure.heatmaps, "biases") != nullptr, norm);
    EXPECT_EQ(mark(figure.heatmaps, "mlp.0") != nullptr, norm);
    EXPECT_EQ(mark(figure.heatmaps, "bias.0") != nullptr, norm);
    EXPECT_EQ(figure.heatmaps.front().scale.low, -figure.heatmaps.front().scale.high);
  }
}

TEST(ContributionsView, FilesHaveNoAnswersToClick) {
  const auto trace = made_trace("gpt2", kIds);
  for (const char* const view : {"contributions", "importance"}) {
    const Figure window = figure_of(*trace, view);
    const Figure file = figure_for_file_of(*trace, view);
    EXPECT_NE(mark(window.texts, "token"), nullptr) << view;
    EXPECT_EQ(mark(file.texts, "token"), nullptr) << view;
    EXPECT_LT(file.height, window.height) << view << ": nor their room";
    EXPECT_EQ(words(file, "title"), words(window, "title"));
  }
}

TEST(PatchingView, SaysThatTextsAnswerAlike) {
  Experiment experiment = made_trace("gpt2", kIds)->experiment();
  experiment.patch_text.ids = experiment.text.ids;
  const Figure figure = figure_of(**run(experiment), "patching");
  EXPECT_TRUE(figure.heatmaps.empty());
  EXPECT_TRUE(words(figure, "missing").starts_with("Both texts answer alike: ")) << words(figure, "missing");
  // In lines of the width that there is.
  const Figure narrow = figure_of(**run(experiment), "patching", {}, 500, 300);
  EXPECT_EQ(narrow.width, 500);
  EXPECT_EQ(words(narrow, "missing"), words(figure, "missing"));
}

TEST(PatchingView, SaysThatTheOtherAnswerIsOnlyTheSecond) {
  Experiment experiment = made_trace("gpt2", kIds)->experiment();
  experiment.patch_text.ids = {3, 2, 5, 9, 2, 7};
  const std::shared_ptr<const Trace> trace = *run(experiment);
  const auto top = [](const Trace& of) {
    return output_answers(of, *residual_stream(of), std::ssize(kIds) - 1, 1).front().number;
  };
  Experiment other = experiment;
  other.text.ids = experiment.patch_text.ids;
  const bool alike = top(*trace) == top(**run(other));
  const Figure figure = figure_of(*trace, "patching");
  EXPECT_EQ(words(figure, "title").starts_with("What moves the answer away from "), alike) << words(figure, "title");
  EXPECT_EQ(words(figure, "title").starts_with("What carries "), !alike);
  // An answer that was chosen is the one that is named.
  const Figure chosen = figure_of(*trace, "patching", {{"other_token", Index{4}}});
  EXPECT_TRUE(words(chosen, "title").starts_with("What carries “" + answer_name(*trace, 4) + "” over"));
}

TEST(ContributionsView, BeginsWithTheMostProbableTokenAtTheLastPosition) {
  const auto trace = made_trace("gpt2", kIds);
  const Figure figure = figure_of(*trace, "contributions");
  const Index best = output_answers(*trace, *residual_stream(*trace), 5, 1).front().number;
  EXPECT_EQ(describe(figure), describe(figure_of(*trace, "contributions", {{"position", Index{6}}, {"token", best}})));
  EXPECT_EQ(words(figure, "position"), "position 6 of 6");
}

TEST(ContributionsView, ATokenAgainstAnotherShowsTheDifference) {
  const auto trace = made_trace("gpt2", kIds);
  const auto heads = [&](const ParameterValues& options) {
    return figure_of(*trace, "contributions", options).heatmaps[2].source;
  };
  const auto both = heads({{"token", Index{4}}, {"other_token", Index{1}}});
  const auto first = heads({{"token", Index{4}}});
  const auto second = heads({{"token", Index{1}}});
  for (Index layer = 0; layer < 2; ++layer) {
    for (Index head = 0; head < 2; ++head)
      EXPECT_NEAR(both->held()->at(layer, head), first->held()->at(layer, head) - second->held()->at(layer, head),
                  1e-4F);
  }
  const Figure figure = figure_of(*trace, "contributions", {{"token", Index{4}}, {"other_token", Index{1}}});
  EXPECT_EQ(words(figure, "title"), "What adds to the logit of “↵” minus that of “␣the” after “w7”");
  EXPECT_NE(words(figure, "sum").find("difference of the logits"), std::string::npos);
  const Figure same = figure_of(*trace, "contributions", {{"token", Index{4}}, {"other_token", Index{4}}});
  EXPECT_EQ(words(same, "sum"), "The parts sum to 0.00000; the difference of the logits is 0.00000.");
}

TEST(ContributionsView, AClickOnAHeadOpensItAndOnATokenChoosesIt) {
  const auto trace = made_trace("gpt2", kIds);
  const Figure figure = figure_of(*trace, "contributions", {{"token", Index{19}}});
  const TargetMark* head = mark(figure.targets, "open.1.0");
  ASSERT_NE(head, nullptr);
  EXPECT_EQ(std::get<OpenView>(head->click), (OpenView{"head", {{"head", Index{1}}, {"layer", Index{2}}}}));
  EXPECT_TRUE(head->about.starts_with("Head 1 of layer 2 adds ")) << head->about;
  EXPECT_EQ(set_by(*mark(figure.targets, "token.19")), (ParameterValues{{"token", Index{19}}}));
  EXPECT_EQ(set_by(*mark(figure.targets, "other_token.-1")), (ParameterValues{{"other_token", Index{-1}}}));
  EXPECT_TRUE(find_view("contributions")->opens_heads);
}

TEST(ContributionsView, AClickOnATokenOfTheListOpensIt) {
  const auto trace = made_trace("gpt2", kIds);
  const Figure list = figure_of(*trace, "next", {{"position", Index{2}}});
  const auto open = std::get<OpenView>(mark(list.targets, "answer.3.open")->click);
  EXPECT_EQ(open.view, "contributions");
  const Figure figure = figure_of(*trace, open.view, open.values);
  EXPECT_NE(words(figure, "title").find("“" + words(list, "answer.3") + "” after “cat”"), std::string::npos);
  EXPECT_EQ(mark(figure_of(*made_trace("bert", kIds), "next").targets, "answer.3.open"), nullptr);
}

TEST(ContributionsView, SaysWhyItDoesNotApply) {
  const View& view = *find_view("contributions");
  EXPECT_EQ(missing_for(view, *trace_with({})), "This view is for trained models: it takes a logit apart.");
  EXPECT_EQ(missing_for(view, *made_trace("bert", kIds)),
            "Every layer of this model normalizes the sum: its parts do not add up.");
  EXPECT_NE(missing_for(view, *made_trace("bert without a head", kIds)).find("no output"), std::string::npos);
  EXPECT_EQ(missing_for(view, *made_trace("gpt2", kIds)), "");
}

ParameterValues score_options(const char* side, Index layer, Index head, Index query, Index key) {
  return {{"to", std::string(side)}, {"layer", layer}, {"head", head}, {"query", query}, {"key", key}};
}

TEST(ContributionsView, ShowsWhatWroteAValue) {
  for (const char* const family : {"gpt2", "attention-only"}) {
    const auto trace = made_trace(family, kIds);
    ParameterValues options = score_options("value", 2, 2, 4, 2);
    options["token"] = Index{4};
    const Figure figure = figure_of(*trace, "contributions", options);
    const ScoreChoice choice = {layer_attentions(*trace)[1].weights, 1, 3, 1, {}};
    const Contributions parts = value_parts(*trace, choice, {3, 4, {}}).value();
    double sum = 0;
    for (const HeatmapMark& each : figure.heatmaps) {
      const MatrixView numbers = *each.source->held();
      for (Index row = 0; row < numbers.rows; ++row) {
        for (Index column = 0; column < numbers.columns; ++column) sum += static_cast<double>(numbers.at(row, column));
      }
    }
    EXPECT_NEAR(sum, parts.traced, 1e-4 * std::max(1.0, std::abs(parts.traced))) << family << ": every part is a cell";
    EXPECT_EQ(words(figure, "title"), "What wrote the value of “cat” (2) for “w9” (4), layer 2, head 2");
    EXPECT_NE(words(figure, "sum").find("adds " + fixed_text(parts.traced, 5) + " to the logit of “↵”."),
              std::string::npos)
        << words(figure, "sum");
    const bool says_so = std::ranges::any_of(
        figure.texts, [](const TextMark& text) { return text.markup.find("linearized") != std::string::npos; });
    EXPECT_EQ(says_so, std::string(family) == "gpt2");
    // The most probable answer, unless another one is chosen.
    options.erase("token");
    EXPECT_NE(words(figure_of(*trace, "contributions", options), "sum").find("to the logit of “"), std::string::npos);
    const View& view = *find_view("contributions");
    const ParameterValues all = view_options({"contributions", options})->values;
    for (const auto& [option, applies] :
         {std::pair("token", true), {"other_token", true}, {"position", false}, {"key", true}})
      EXPECT_EQ(view.applies(*trace, all, option), applies) << option;
  }
}

TEST(ContributionsView, SaysThatThePartsSumToTheScore) {
  for (const char* const family : {"gpt2", "attention-only"}) {
    const auto trace = made_trace(family, kIds);
    for (const char* const side : {"query", "key"}) {
      const Figure figure = figure_of(*trace, "contributions", score_options(side, 2, 2, 4, 2));
      double sum = 0;
      for (const HeatmapMark& each : figure.heatmaps) {
        const MatrixView numbers = *each.source->held();
        for (Index row = 0; row < numbers.rows; ++row) {
          for (Index column = 0; column < numbers.columns; ++column)
            sum += static_cast<double>(numbers.at(row, column));
        }
      }
      const auto score = static_cast<double>(trace->tensor("layer2.scores").at(std::vector<Index>{1, 3, 1}));
      EXPECT_NEAR(sum, score, 1e-4 * std::max(1.0, std::abs(score))) << family << ": every part is a cell";
      EXPECT_NE(words(figure, "sum").find("the score is " + fixed_text(score, 5)), std::string::npos);
      EXPECT_EQ(words(figure, "title"), "What wrote the score of “w9” (4) and “cat” (2), layer 2, head 2");
    }
  }
}

TEST(ContributionsView, AScoreOfTheFirstLayerComesFromTheEmbeddings) {
  const auto trace = made_trace("gpt2", kIds);
  for (const auto& [width, height] : std::vector<std::pair<double, double>>{{672, 0}, {200, 0}, {900, 700}}) {
    const Figure figure = figure_of(*trace, "contributions", score_options("query", 1, 1, 3, 1), width, height);
    EXPECT_EQ(mark(figure.heatmaps, "heads"), nullptr);
    EXPECT_TRUE(layout_faults(figure).empty()) << join(layout_faults(figure), "\n");
    EXPECT_TRUE(shared_ids(figure).empty());
  }
}

TEST(ContributionsView, OffersWhatTheChoiceDependsOn) {
  const auto trace = made_trace("gpt2", kIds);
  const View& view = *find_view("contributions");
  const ParameterValues logit = view_options({"contributions", {}})->values;
  ParameterValues score = logit;
  score["to"] = std::string("key");
  for (const char* const option : {"position", "token", "other_token"}) {
    EXPECT_TRUE(view.applies(*trace, logit, option)) << option;
    EXPECT_FALSE(view.applies(*trace, score, option)) << option;
  }
  for (const char* const option : {"layer", "head", "query", "key"}) {
    EXPECT_FALSE(view.applies(*trace, logit, option)) << option;
    EXPECT_TRUE(view.applies(*trace, score, option)) << option;
    ParameterValues other = score;
    other[option] = Index{2};
    EXPECT_NE(describe(figure_of(*trace, "contributions", other)), describe(figure_of(*trace, "contributions", score)))
        << option;
  }
}

TEST(PartMap, EndsItsColoursAtTheHeads) {
  const auto trace = made_trace("gpt2", {1, 2, 3});
  const auto scale_of = [&](double head, double mlp) {
    Contributions parts;
    parts.layers.push_back(
        {static_cast<int>(trace->find("layer1.weights") - trace->steps().data()), {head, 0}, {}, mlp});
    return PartMap(*trace, parts, {"", "", ""}).scale().high;
  };
  EXPECT_EQ(scale_of(2, 1), 2);
  EXPECT_EQ(scale_of(-1, 2.9), 2.9);
  EXPECT_EQ(scale_of(-1, 3.1), 1) << "the MLP would leave the head pale";
  EXPECT_EQ(scale_of(1e-6, 40), 2) << "heads that hardly count stay pale";
  EXPECT_EQ(scale_of(0, 5), 5);
}

}  // namespace
}  // namespace attnscope::test
