// What heads do at the checkpoints of a model's training, as a figure.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/studies/training_study.h"
#include "layout_faults.h"
#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

const std::vector<Index> kTrainingIds = {3, 8, 5, 3, 8, 5, 1};

const ParameterValues kOnRandomTokens = {{"of", std::string("random")}};
const ParameterValues kOfText = {{"of", std::string("text")}};
const ParameterValues kOfFirstToken = {{"of", std::string("text")}, {"measure", std::string("first_token")}};

ParameterValues one_layer(Index layer) {
  ParameterValues options = kOfFirstToken;
  options["show"] = std::string("layer");
  options["layer"] = layer;
  return options;
}

Index curves_of(const Figure& figure, const std::string& beginning) {
  return std::ranges::count_if(figure.curves, [&](const CurveMark& curve) { return curve.id.starts_with(beginning); });
}

TEST(TrainingView, IsInOrder) {
  const std::vector<std::shared_ptr<const Trace>> traces = {made_trace("gpt2", kTrainingIds), made_trace("gpt2", {1}),
                                                            made_trace("gpt2", kTrainingIds, {30, 16, 32})};
  for (const auto& trace : traces) {
    ViewCache cache;
    for (const ParameterValues& options : {kOfText, kOnRandomTokens, kOfFirstToken, one_layer(1), one_layer(2)}) {
      for (const auto& [width, height] :
           std::vector<std::pair<double, double>>{{672, 0}, {200, 0}, {1600, 0}, {900, 700}, {600, 520}}) {
        const Figure figure = figure_of(*trace, "training", options, width, height, &cache);
        EXPECT_FALSE(figure.title.empty());
        for (const auto& faults : {layout_faults(figure), shared_ids(figure)})
          EXPECT_TRUE(faults.empty()) << fixed_text(width, 0) << " × " << fixed_text(height, 0) << "\n"
                                      << join(faults, "\n");
        if (HasFailure()) return;
      }
      EXPECT_EQ(describe(figure_of(*trace, "training", options, 900, 700, &cache)),
                describe(figure_of(*trace, "training", options, 900, 700)))
          << "cached";
    }
  }
}

TEST(TrainingView, HasACurveForEveryHeadAndOneForTheLoss) {
  const auto trace = made_trace("gpt2", kTrainingIds);
  const Figure all = figure_of(*trace, "training", kOfFirstToken, 900, 600);
  EXPECT_EQ(curves_of(all, "measure.layer"), 4);
  EXPECT_EQ(curves_of(all, "measure.uniform"), 1);
  EXPECT_EQ(curves_of(all, "loss.loss"), 1);
  const Figure second = figure_of(*trace, "training", one_layer(2), 900, 600);
  EXPECT_EQ(curves_of(second, "measure.layer2.weights"), 2);
  EXPECT_EQ(curves_of(second, "measure.layer1.weights"), 0);
}

TEST(TrainingView, PointsSayTheNumbersOfTheStudy) {
  const auto trace = made_trace("gpt2", kTrainingIds);
  const TrainingStudy study = study_training(trace->experiment(), {}).value();
  const auto measure = std::ranges::find(measures(), "first_token", &Measure::name) - measures().begin();
  const Figure figure = figure_of(*trace, "training", kOfFirstToken, 900, 600);
  for (const TrainingState& state : study.states) {
    const auto point = std::ranges::find(figure.targets, "measure.layer2.weights.1." + state.name, &TargetMark::id);
    ASSERT_NE(point, figure.targets.end());
    EXPECT_NE(point->about.find(number_text(*state.heads[3][static_cast<std::size_t>(measure)])), std::string::npos);
    EXPECT_NE(point->about.find("Layer 2 · head 2"), std::string::npos) << point->about;
    const auto loss = std::ranges::find(figure.targets, "loss." + state.name, &TargetMark::id);
    ASSERT_NE(loss, figure.targets.end());
    EXPECT_NE(loss->about.find(number_text(*state.loss)), std::string::npos);
  }
}

TEST(TrainingView, DrawsTheLargestOfVeryManyHeads) {
  const auto trace = made_trace("gpt2", {1, 2, 3}, {30, 16, 32});
  const Figure figure = figure_of(*trace, "training", kOfFirstToken, 900, 600);
  EXPECT_EQ(curves_of(figure, "measure.layer"), 400);
  std::string caption;
  for (const TextMark& text : figure.texts) {
    if (text.id.starts_with("caption.")) caption += text.markup + " ";
  }
  EXPECT_NE(caption.find("Shown: the 400 heads of 480"), std::string::npos) << caption;
}

TEST(TrainingView, SaysWhatIsMissing) {
  const View& view = *find_view("training");
  EXPECT_NE(missing_for(view, *made_trace("attention-only", kTrainingIds)).find("no checkpoints"), std::string::npos);
  EXPECT_NE(missing_for(view, *trace_with({})).find("trained models"), std::string::npos);
  EXPECT_EQ(missing_for(view, *made_trace("gpt2", kTrainingIds)), "");
  ParameterValues options = kOnRandomTokens;
  options["measure"] = std::string("entropy");
  const auto trace = made_trace("gpt2", kTrainingIds);
  EXPECT_NE(describe(figure_of(*trace, "training", options)).find("measures only"), std::string::npos);
  const Figure none = figure_of(*made_trace("gpt2", {1}), "training",
                                {{"of", std::string("text")}, {"measure", std::string("previous_token")}});
  EXPECT_NE(words(none, "missing").find("No head has a number"), std::string::npos) << describe(none);
}

TEST(TrainingView, StopsWhenToldTo) {
  StopSource stop;
  stop.request_stop();
  ViewOptions options = *view_options({"training", {}});
  options.stop = stop.token();
  EXPECT_TRUE(build_view("training", *made_trace("gpt2", kTrainingIds), options).curves.empty());
}

}  // namespace
}  // namespace attnscope::test
