// The view of the most probable next tokens, and of what each layer would say.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/residual/lens.h"
#include "core/trace/run.h"
#include "figure/model/canvas.h"
#include "layout_faults.h"
#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

const std::vector<Index> kTokens = {1, 2, 5, 9, 2, 7};

/// The answers at a position of the trace, the most probable first.
std::vector<Index> sorted_answers(const Trace& trace, Index position) {
  const Tensor& logits = trace.tensor("logits");
  std::vector<Index> order;
  for (Index i = 0; i < logits.size(1); ++i) order.push_back(i);
  std::ranges::stable_sort(order, [&](Index a, Index b) {
    return logits.at(std::vector<Index>{position, a}) > logits.at(std::vector<Index>{position, b});
  });
  return order;
}

TEST(NextView, ListsTheMostProbableTokensOfTheTrace) {
  const auto trace = made_trace("gpt2", kTokens);
  for (const Index position : {1, 4, 6}) {
    const Figure figure = figure_of(*trace, "next", {{"position", position}, {"top", Index{4}}});
    const std::vector<Index> order = sorted_answers(*trace, position - 1);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::string id = "answer." + std::to_string(i + 1);
      const std::vector<Index> cell = {position - 1, order[i]};
      EXPECT_EQ(words(figure, id + ".id"), std::to_string(order[i]));
      EXPECT_EQ(words(figure, id + ".logit"), fixed_text(static_cast<double>(trace->tensor("logits").at(cell)), 3));
      const auto probability = static_cast<double>(trace->tensor("probabilities").at(cell));
      const BarMark* bar = mark(figure.bars, id + ".bar");
      const double length = mark(figure.bars, id + ".track")->box.width * probability;
      ASSERT_EQ(bar != nullptr, length >= 0.5);
      EXPECT_NEAR(bar != nullptr ? bar->box.width : 0, length >= 0.5 ? std::max(1.0, length) : 0, 1e-3);
      const TargetMark* target = mark(figure.targets, id + ".cell");
      ASSERT_NE(target, nullptr);
      EXPECT_EQ(target->cell->index, cell) << "a click pins the logit";
      EXPECT_EQ(trace->steps()[static_cast<std::size_t>(target->cell->step)].name, "logits");
    }
    EXPECT_EQ(words(figure, "answer.5"), "no answer.5");
    EXPECT_EQ(words(figure, "answer.others"), "16 others");
  }
}

TEST(NextView, BeginsWithTheLastTokenOrTheMask) {
  EXPECT_EQ(words(figure_of(*made_trace("gpt2", kTokens), "next"), "title"), "Next token after “w7”");
  EXPECT_EQ(words(figure_of(*made_trace("bert", {1, 0, 2}), "next"), "title"), "Words at “[MASK]”");
  EXPECT_EQ(words(figure_of(*made_trace("bert", {1, 2}), "next"), "title"), "Words at “cat”");
  EXPECT_EQ(words(figure_of(*made_trace("gpt2", kTokens), "next", {{"position", Index{999}}}), "position"),
            "position 6 of 6");
}

TEST(NextView, TheLastRowOfTheLensIsTheOutput) {
  for (const char* const family : {"gpt2", "attention-only", "bert"}) {
    const auto trace = made_trace(family, kTokens);
    const Figure figure = figure_of(*trace, "next");
    const HeatmapMark& map = *mark(figure.heatmaps, "lens");
    ASSERT_EQ(map.rows(), 3);
    ASSERT_EQ(map.columns(), std::ssize(kTokens));
    EXPECT_EQ(map.row_labels.front(), "embeddings");
    EXPECT_EQ(map.row_labels.back(), "layer 2, output");
    for (Index position = 0; position < map.columns(); ++position) {
      const Index best = sorted_answers(*trace, position).front();
      const std::vector<Index> cell = {position, best};
      EXPECT_NEAR(map.source->held()->at(2, position), trace->tensor("probabilities").at(cell), 1e-6F) << family;
      const Figure own = figure_of(*trace, "next", {{"position", position + 1}});
      EXPECT_EQ(literal_markup(map.cell_texts[static_cast<std::size_t>(2 * map.columns() + position)]),
                words(own, "answer.1"));
    }
  }
}

TEST(NextView, AClickOnTheLensListsWhatThatLayerWouldSay) {
  const auto trace = made_trace("gpt2", kTokens);
  const Figure figure = figure_of(*trace, "next");
  const TargetMark* cell = mark(figure.targets, "lens.1.3");
  ASSERT_NE(cell, nullptr);
  EXPECT_TRUE(cell->about.starts_with("Position 4, after ")) << cell->about;
  EXPECT_NE(cell->about.find("layer 1"), std::string::npos) << cell->about;
  EXPECT_NE(cell->about.find("“w9”"), std::string::npos) << cell->about;
  EXPECT_NE(cell->about.find("probability"), std::string::npos) << cell->about;
  const Figure chosen = figure_of(*trace, "next", set_by(*cell));
  EXPECT_EQ(words(chosen, "title"), "Next token after “w9”, read after layer 1");
  const HeatmapMark& map = *mark(figure.heatmaps, "lens");
  EXPECT_EQ(words(chosen, "answer.1"), literal_markup(map.cell_texts[static_cast<std::size_t>(map.columns() + 3)]));
  EXPECT_EQ(mark(chosen.targets, "answer.1.cell"), nullptr) << "no number of the trace";
  EXPECT_EQ(words(figure_of(*trace, "next", {{"after", Index{0}}}), "title"),
            "Next token after “w7”, read from the embeddings");
  const TargetMark* output = mark(figure.targets, "lens.2.3");
  EXPECT_EQ(words(figure_of(*trace, "next", set_by(*output)), "title"), "Next token after “w9”");
}

TEST(NextView, LongTextsAreShownInWindowsOfPositions) {
  std::vector<Index> ids;
  for (Index i = 0; i < 31; ++i) ids.push_back(i % 20);
  const auto trace = made_trace("gpt2", ids);
  const auto shown = [&](Index position) {
    return words(figure_of(*trace, "next", {{"position", position}}), "lens.positions");
  };
  EXPECT_EQ(shown(0), "positions 20–31 of 31");
  EXPECT_EQ(shown(1), "positions 1–12 of 31");
  EXPECT_EQ(shown(12), "positions 1–12 of 31");
  EXPECT_EQ(shown(13), "positions 13–24 of 31");
  const Figure first = figure_of(*trace, "next", {{"position", Index{1}}});
  EXPECT_EQ(mark(first.targets, "lens.earlier"), nullptr);
  const Figure second = figure_of(*trace, "next", set_by(*mark(first.targets, "lens.later")));
  EXPECT_EQ(words(second, "lens.positions"), "positions 13–24 of 31");
  EXPECT_EQ(words(figure_of(*trace, "next", set_by(*mark(second.targets, "lens.earlier"))), "lens.positions"),
            "positions 1–12 of 31");
  const Figure file = figure_for_file_of(*trace, "next");
  EXPECT_EQ(words(file, "lens.positions"), "positions 20–31 of 31");
  EXPECT_EQ(mark(file.texts, "lens.earlier"), nullptr) << "nobody clicks there";
}

TEST(NextView, TextsAreShortenedToTheirCells) {
  std::vector<Index> ids(12, 5);
  const auto trace = made_trace("attention-only", ids);
  Figure figure = figure_of(*trace, "next");
  HeatmapMark* map = &figure.heatmaps.front();
  map->cell_texts =
      std::vector<std::string>(static_cast<std::size_t>(map->rows() * map->columns()), "internationalisation");
  EXPECT_EQ(layout_faults(figure), std::vector<std::string>());
  RecordingCanvas painted;
  paint(figure, palette(Theme::paper), {}, {0, 0, figure.width, figure.height}, painted);
  EXPECT_EQ(std::ssize(painted.numbers), map->rows() * map->columns());
  for (const auto& each : painted.numbers) EXPECT_TRUE(each.text.ends_with("…")) << each.text;
  // In large cells they are whole.
  map->box.width *= 4;
  RecordingCanvas wide;
  paint(figure, palette(Theme::paper), {}, {0, 0, 4 * figure.width, figure.height}, wide);
  for (const auto& each : wide.numbers) EXPECT_EQ(each.text, "internationalisation");
}

TEST(NextView, SaysWhenThereIsNothingToShow) {
  const View& view = *find_view("next");
  EXPECT_EQ(missing_for(view, *trace_with({})),
            "This view is for trained models: it lists what a model finds most probable.");
  EXPECT_NE(missing_for(view, *made_trace("bert without a head", kTokens)).find("no output"), std::string::npos);
  EXPECT_EQ(missing_for(view, *made_trace("bert", kTokens)), "");
}

TEST(NextView, OptionsBeyondTheModelAreRefusedOnTheCommandLine) {
  const auto trace = made_trace("gpt2", kTokens);
  const auto refused = [&](const std::string& view, const std::string& option, Index value) {
    const Result<void> checked =
        check_options(*find_view(view), *trace, view_options({view, {{option, value}}})->values);
    return checked ? "" : checked.error().message;
  };
  EXPECT_EQ(refused("next", "position", 6), "");
  EXPECT_EQ(refused("next", "position", 7), "view option position: 7 is not allowed; the experiment has 1 to 6");
  EXPECT_EQ(refused("next", "after", 3), "view option after: 3 is not allowed; the experiment has 0 to 2");
  EXPECT_EQ(refused("contributions", "token", 20), "view option token: 20 is not allowed; the experiment has 0 to 19");
  EXPECT_EQ(refused("contributions", "other_token", -1), "");
}

TEST(Captions, NameWhatWasChanged) {
  Experiment changed = made_trace("gpt2", kTokens)->experiment();
  changed.interventions = {{"layer1.head_outputs", 0, {}, Intervention::Kind::off}};
  changed.edits = {{"w_logits", {0, 0}, 2}, {"w_logits", {0, 1}, 2}};
  const auto trace = run(changed).value();
  for (const char* view : {"contributions", "importance"}) {
    std::string caption;
    for (const TextMark& text : figure_of(*trace, view).texts) {
      if (text.id.starts_with("caption.")) caption += text.markup + " ";
    }
    EXPECT_NE(caption.find("With layer 1, head 1 off; 2 numbers edited. "), std::string::npos) << caption;
  }
  changed.interventions.clear();
  EXPECT_EQ(words(figure_of(*run(changed).value(), "next"), "change.0"), "2 numbers edited");
}

TEST(NextView, SaysWhatInterventionsDidToTheAnswer) {
  const auto plain = made_trace("gpt2", kTokens);
  EXPECT_EQ(words(figure_of(*plain, "next"), "change.0"), "no change.0");
  Experiment changed = plain->experiment();
  changed.interventions = {{"layer1.head_outputs", 0, {}, Intervention::Kind::off},
                           {"layer1.mlp_out", {}, {}, Intervention::Kind::mean}};
  const auto trace = run(changed).value();
  const Figure figure = figure_of(*trace, "next");
  EXPECT_EQ(words(figure, "change.0"), "Layer 1, head 1 off; layer 1, MLP mean");
  const Index last = std::ssize(kTokens) - 1;
  const Index best = sorted_answers(*plain, last).front();
  const std::vector<Index> cell = {last, best};
  const auto apart =
      static_cast<double>(trace->tensor("logits").at(cell)) - static_cast<double>(plain->tensor("logits").at(cell));
  std::string words_now;
  for (const TextMark& text : figure.texts) {
    if (text.id.starts_with("change.") && text.id != "change.0") words_now += text.markup + " ";
  }
  EXPECT_NE(words_now.find("KL divergence"), std::string::npos) << words_now;
  EXPECT_EQ(words_now.find("…"), std::string::npos) << words_now;
  EXPECT_NE(words_now.find("Without the change, “␣w" + std::to_string(best) + "” is the most probable: "),
            std::string::npos)
      << words_now;
  EXPECT_NE(words_now.find("Δ logit " + std::string(apart < 0 ? "−" : "+") + number_text(std::abs(apart))),
            std::string::npos)
      << words_now;
}

}  // namespace
}  // namespace attnscope::test
