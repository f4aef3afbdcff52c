// Figures in presets.
#include "io/figures/fitted_figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/trace/run.h"
#include "figure/views/view.h"
#include "sample_figure.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

std::shared_ptr<const Trace> trace_of(Index tokens, Index heads) {
  Experiment experiment = *default_experiment("stacked-multihead");
  const std::map<std::string, Index> values = {
      {"tokens", tokens}, {"heads", heads}, {"embedding", 2 * heads}, {"features", 8}, {"batch", 1}};
  for (const auto& [name, value] : values)
    EXPECT_TRUE(set_parameter_text(experiment, name, std::to_string(value))) << name;
  return *run(experiment);
}

/// A view as `fitted_figure` asks for it.
class Builder {
 public:
  Builder(std::shared_ptr<const Trace> trace, std::string view, FigureFont font = FigureFont::inter)
      : trace_(std::move(trace)), view_(std::move(view)), options_(*view_options({view_, {}})) {
    options_.for_file = true;
    options_.font = font;
    options_.cache = &cache_;
  }

  Figure operator()(double width, double height) {
    options_.width = width;
    options_.height = height;
    return build_view(view_, *trace_, options_);
  }
  [[nodiscard]] const std::string& view() const { return view_; }

 private:
  std::shared_ptr<const Trace> trace_;
  std::string view_;
  ViewOptions options_;
  ViewCache cache_;
};

Result<FittedFigure> fitted(Builder& build, const FigureFileOptions& options) {
  return fitted_figure([&](double width, double height) { return build(width, height); }, options, build.view());
}

FigureFileOptions in_preset(Preset preset) {
  FigureFileOptions options;
  options.preset = preset;
  return options;
}

/// Expects all of the figure on its page and no text under 6 pt, or one line that says why not and what has room.
bool expect_fits_or_says(const Result<FittedFigure>& made, const FigurePreset& preset, const std::string& where) {
  if (!made) {
    const std::string& said = made.error().message;
    EXPECT_TRUE(is_one_line(said)) << where;
    EXPECT_NE(said.find(" does not fit into " + std::string(preset.size) + " at 6 pt: it"), std::string::npos) << said;
    EXPECT_TRUE(said.find("has room") != std::string::npos) << where << ": " << said;
    return false;
  }
  const FigureFileOptions& options = made->options;
  EXPECT_GE(smallest_points(made->figure, options), 5.98) << where;
  EXPECT_TRUE(text_extents(made->figure).inside) << where;
  EXPECT_EQ(options.width_inches, preset.width_inches) << where;
  const double height = options.height_inches > 0 ? options.height_inches
                                                  : options.width_inches * made->figure.height / made->figure.width;
  EXPECT_LE(height, preset.max_height_inches + 0.02) << where;
  if (preset.height_inches > 0) {
    EXPECT_EQ(options.height_inches, preset.height_inches) << where;
  }
  return true;
}

class Presets : public testing::TestWithParam<std::pair<int, int>> {};

INSTANTIATE_TEST_SUITE_P(Sizes, Presets,
                         testing::Values(std::pair(6, 1), std::pair(6, 8), std::pair(6, 32), std::pair(16, 1),
                                         std::pair(16, 8), std::pair(16, 32), std::pair(64, 1), std::pair(64, 8),
                                         std::pair(64, 32), std::pair(512, 1), std::pair(512, 8), std::pair(512, 32)),
                         [](const auto& each) {
                           return std::to_string(each.param.first) + "_tokens_" + std::to_string(each.param.second) +
                                  "_heads";
                         });

TEST_P(Presets, EveryViewFitsOrSaysWhatHasRoom) {
  const auto [tokens, heads] = GetParam();
  const auto trace = trace_of(tokens, heads);
  int fit = 0;
  for (const View& view : views()) {
    if (!missing_for(view, *trace).empty()) continue;
    Builder build(trace, view.name);
    for (const FigurePreset& preset : kFigurePresets) {
      const std::string where = view.name + " in " + std::string(preset.name);
      const Result<FittedFigure> made = fitted(build, in_preset(preset.preset));
      fit += expect_fits_or_says(made, preset, where) ? 1 : 0;
    }
  }
  EXPECT_GT(fit, 20);
}

TEST(Preset, WhatEveryPaperShowsFits) {
  const auto trace = trace_of(6, 4);
  for (const char* view : {"heads", "head", "lines"}) {
    for (const FigurePreset& preset : kFigurePresets) {
      Builder build(trace, view);
      const auto made = fitted(build, in_preset(preset.preset));
      EXPECT_TRUE(made) << made.error().message;
    }
  }
}

TEST(Preset, TypeIsAsLargeAsThePresetSaysWhereThereIsRoom) {
  Builder build(trace_of(6, 4), "heads");
  EXPECT_EQ(fitted(build, in_preset(Preset::slide))->options.font_points, preset_of(Preset::slide).font_points);
}

TEST(Preset, TypeGivesWayToWords) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.labels = {"the", "cat", "sat", "on", "the", "mat"};
  const std::shared_ptr<const Trace> trace = *run(experiment);
  for (const Preset preset : {Preset::page, Preset::slide, Preset::square}) {
    Builder build(trace, "flow");
    const auto made = fitted(build, in_preset(preset));
    ASSERT_TRUE(made);
    const auto weights = std::ranges::find(made->figure.heatmaps, std::string("weights"), &HeatmapMark::id);
    ASSERT_NE(weights, made->figure.heatmaps.end());
    EXPECT_EQ(weights->column_labels.texts(), experiment.labels) << preset_of(preset).name;
    EXPECT_GE(made->options.font_points, 0.7 * preset_of(preset).font_points);
  }
}

/// Also where the layout leaves them out by itself.
TEST(Preset, TypeGivesWayToWordsOfHeads) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.labels = {"the", "cat", "sat", "on", "the", "mat"};
  ASSERT_TRUE(set_parameter_text(experiment, "heads", "8"));
  Builder build(*run(experiment), "heads");
  const auto made = fitted(build, in_preset(Preset::square));
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->figure.lacks_words);
  EXPECT_LT(made->options.font_points, preset_of(Preset::square).font_points);
  EXPECT_EQ(made->figure.heatmaps.front().row_labels.texts(), experiment.labels);
}

TEST(Preset, TheCaptionIsPartOfThePage) {
  for (const FigurePreset& preset : kFigurePresets) {
    Builder build(trace_of(6, 4), "heads");
    FigureFileOptions options = in_preset(preset.preset);
    options.caption = true;
    const auto made = fitted(build, options);
    ASSERT_TRUE(expect_fits_or_says(made, preset, std::string(preset.name)));
    std::string text;
    for (const TextMark& mark : made->figure.texts) {
      if (mark.id.starts_with("note.")) text += (text.empty() ? "" : " ") + mark.markup;
    }
    EXPECT_EQ(text, made->figure.sentence);
  }
}

TEST(Preset, WithoutOneTheSizesAreThoseThatAreAskedFor) {
  Builder build(trace_of(6, 4), "heads");
  FigureFileOptions options;
  options.width_inches = 5;
  const auto made = fitted(build, options);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->options, options);
}

TEST(Preset, StoppedFiguresAreNotRefused) {
  const auto made = fitted_figure([](double, double) { return Figure(); }, in_preset(Preset::column), "heads");
  EXPECT_TRUE(made) << "nobody sees it";
}

TEST(Preset, SaysWhyAndWhatHasRoom) {
  const auto wide = [](double width, double height) {
    Figure figure = blank_figure();
    figure.width = std::max(width, 600.0);
    figure.height = std::max(height, 100.0);
    figure.texts = {sample_text({10, 20}, "text")};
    figure.texts[0].size = TypeSize::kSmall;
    return figure;
  };
  const auto refused = fitted_figure(wide, in_preset(Preset::column), "wide");
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message,
      "the view wide does not fit into 3.3 in at 6 pt: its smallest text would be 4.3 pt; the preset page has room");
  const auto high = [](double width, double) {
    Figure figure = blank_figure();
    figure.width = width;
    figure.height = 40 * width;
    figure.texts = {sample_text({10, 20}, "text")};
    return figure;
  };
  EXPECT_NE(fitted_figure(high, in_preset(Preset::page), "high").error().message.find(": its "), std::string::npos);
}

TEST(PresetNames, ComeBack) {
  for (const FigurePreset& preset : kFigurePresets) EXPECT_EQ(parse_preset(preset.name), preset.preset);
  EXPECT_FALSE(parse_preset("poster"));
}

}  // namespace
}  // namespace attnscope::test
