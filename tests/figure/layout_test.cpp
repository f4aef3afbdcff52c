// What holds for the layout of every view, experiment and size.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/imported/imported_layers.h"
#include "core/trace/run.h"
#include "layout_faults.h"
#include "support/imported_tensors.h"
#include "support/sanitized.h"
#include "traces.h"

namespace attnscope::test {
namespace {

std::vector<Settings> sweep() {
  return {
      {},
      {{"tokens", "1"}, {"features", "1"}, {"head_dim", "1"}, {"heads", "1"}, {"cross_queries", "1"}},
      {{"tokens", "1"}},
      {{"features", "1"}},
      {{"head_dim", "1"}},
      {{"heads", "1"}, {"cross_queries", "0"}},
      {{"heads", "10"}, {"cross_queries", "10"}},
      {{"tokens", "2"}, {"cross_queries", "10"}},
      {{"tokens", "16"}, {"features", "32"}, {"head_dim", "32"}, {"heads", "10"}},
      {{"mask", "causal"}, {"scale", "sqrt_head_dim"}},
      {{"mask", "window:1"}, {"dropout", "0.3"}, {"tokens", "12"}},
      {{"dropout", "0.3"}, {"features", "32"}},
      {{"tokens", "40"}, {"heads", "3"}},
      {{"tokens", "150"}, {"heads", "2"}},
      {{"features", "300"}, {"heads", "2"}},
      {{"head_dim", "200"}, {"heads", "2"}},
      {{"heads", "32"}, {"tokens", "3"}},
  };
}

std::vector<std::vector<std::string>> label_sets() {
  return {{"the", "cat", "sat", "on", "the", "mat"}, {}, {"internationalisation", "i", "", "Wörter", "注意力"}};
}

/// Every combination of the view's choices (three from long lists), with two values of each number.
std::vector<ParameterValues> option_sets(const View& view) {
  std::vector<ParameterValues> sets = {{}};
  for (const Parameter& option : view.options) {
    std::vector<ParameterValues> more;
    for (const ParameterValues& set : sets) {
      std::vector<ParameterValue> values;
      for (const std::string& choice : option.choices) values.emplace_back(choice);
      if (values.size() > 5) values = {values.front(), values[values.size() / 2], values.back()};
      if (option.kind == Parameter::Kind::integer) values = {static_cast<Index>(option.minimum), Index{99}};
      if (option.kind == Parameter::Kind::real) values = {option.default_value, 0.5};
      // No experiment of the sweep has a batch or layers.
      if (option.name == "item" || option.name == "layer" || option.name.starts_with("other_")) values = {Index{99}};
      // Of trained models, which the sweep has none of.
      if (view.name == "metrics" && (option.name == "of" || option.name == "show")) values = {option.default_value};
      for (const ParameterValue& value : values) {
        more.push_back(set);
        more.back()[option.name] = value;
      }
    }
    sets = more;
  }
  return sets;
}

std::string options_text(const ParameterValues& options) {
  std::string text;
  for (const auto& [name, value] : options) text += " " + name + "=" + value_text(value);
  return text;
}

template <typename Check>
void for_each_figure(const std::string& view, const Check& check) {
  constexpr std::array<std::pair<double, double>, 9> kSizes = {
      {{672, 0}, {200, 0}, {317, 0}, {1600, 0}, {900, 700}, {1400, 800}, {600, 520}, {500, 1200}, {2500, 1400}}};
  int count = 0;
  ViewCache cache;
  for (const Settings& settings : sweep()) {
    Experiment experiment = experiment_with(settings);
    for (const auto& labels : label_sets()) {
      if (kSanitized && labels.empty()) continue;
      experiment.labels = labels;
      const std::shared_ptr<const Trace> trace = *run(experiment);
      for (const ParameterValues& options : option_sets(*find_view(view))) {
        for (const auto& [width, height] : kSizes) {
          if (kSanitized && ++count % 5 != 0) continue;
          std::string about =
              view + options_text(options) + " in " + fixed_text(width, 0) + " × " + fixed_text(height, 0);
          for (const auto& [name, value] : settings) about += " " + name + "=" + value;
          about += ", " + std::to_string(labels.size()) + " labels";
          check(*trace, figure_of(*trace, view, options, width, height, &cache), about);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

class Layout : public testing::TestWithParam<std::string> {};

TEST_P(Layout, IsInOrder) {
  for_each_figure(GetParam(), [](const Trace& trace, const Figure& figure, const std::string& about) {
    EXPECT_FALSE(figure.title.empty()) << about;
    for (const auto& faults : {layout_faults(figure), shared_ids(figure), slice_faults(figure, trace)})
      EXPECT_TRUE(faults.empty()) << about << ", " << figure.width << " × " << figure.height << ":\n"
                                  << join(faults, "\n");
  });
}

INSTANTIATE_TEST_SUITE_P(Views, Layout,
                         testing::Values("flow", "qkv", "heads", "head", "lines", "dot", "vectors", "compare",
                                         "metrics", "scaling", "complexity"),
                         [](const auto& view) { return view.param; });

std::set<std::string> tensors_in(const Trace& trace, const Figure& figure) {
  std::set<std::string> names;
  for (const HeatmapMark& mark : figure.heatmaps) names.insert(trace.steps()[static_cast<std::size_t>(mark.step)].name);
  return names;
}

using Names = std::set<std::string>;

TEST(FlowView, ShowsEveryMatrixOfTheComputation) {
  const std::shared_ptr<const Trace> trace = trace_with({{"mask", "causal"}, {"dropout", "0.2"}});
  const std::string single = "single";
  const std::string cross = "cross";
  EXPECT_EQ(tensors_in(*trace, figure_of(*trace, "flow")),
            (Names{"x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "masked_scores", "weights", "dropped_weights",
                   "head_outputs", "merged", "w_out", "out"}));
  EXPECT_EQ(tensors_in(*trace, figure_of(*trace, "flow", {{"stage", single}})),
            (Names{"x", "single.w_q", "single.w_k", "single.w_v", "single.q", "single.k", "single.v", "single.scores",
                   "single.masked_scores", "single.weights", "single.dropped_weights", "single.head_outputs"}));
  EXPECT_EQ(tensors_in(*trace, figure_of(*trace, "flow", {{"attention", cross}})),
            (Names{"x", "x2", "w_q", "w_k", "w_v", "cross_q", "k", "v", "cross_scores", "cross_weights",
                   "cross_dropped_weights", "cross_head_outputs"}));
}

TEST(FlowView, WithoutCrossAttentionShowsSelfAttention) {
  const std::shared_ptr<const Trace> trace = trace_with({{"cross_queries", "0"}});
  EXPECT_EQ(describe(figure_of(*trace, "flow", {{"attention", std::string("cross")}})),
            describe(figure_of(*trace, "flow")));
}

TEST(FlowView, HeadsBehindTheLastShowTheLast) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  EXPECT_EQ(describe(figure_of(*trace, "flow", {{"head", Index{2147483647}}})),
            describe(figure_of(*trace, "flow", {{"head", Index{4}}})));
  EXPECT_NE(describe(figure_of(*trace, "flow", {{"head", Index{1}}})),
            describe(figure_of(*trace, "flow", {{"head", Index{4}}})));
}

TEST(FlowView, ProductsAreAlignedWithTheirFactors) {
  for (const Settings& settings : sweep()) {
    const std::shared_ptr<const Trace> trace = trace_with(settings);
    const Figure figure = figure_of(*trace, "flow", {}, 1400, 800);
    const auto box = [&](const std::string& id) {
      const HeatmapMark* found = mark(figure.heatmaps, id);
      EXPECT_NE(found, nullptr) << id;
      return found->box;
    };
    for (const auto& [left, top, product] : {std::array{"x", "w_q", "q"},
                                             {"x", "w_k", "k"},
                                             {"x", "w_v", "v"},
                                             {"attend.q", "attend.k.transposed", "scores"},
                                             {"weights", "attend.v", "head_outputs"}}) {
      EXPECT_NEAR(box(left).y, box(product).y, kRounding) << product;
      EXPECT_NEAR(box(left).height, box(product).height, kRounding) << product;
      EXPECT_NEAR(box(top).x, box(product).x, kRounding) << product;
      EXPECT_NEAR(box(top).width, box(product).width, kRounding) << product;
      EXPECT_LE(box(top).bottom(), box(product).y) << product;
      EXPECT_LE(box(left).right(), box(product).x) << product;
    }
  }
}

TEST(FlowView, EachColourBarSaysWhatItIsFor) {
  const std::shared_ptr<const Trace> trace = trace_with({{"positions", "rotary"}});
  for (const double width : {320.0, 672.0}) {
    const Figure figure = figure_of(*trace, "flow", {}, width);
    ASSERT_EQ(figure.color_bars.size(), 3U);
    std::set<std::string> titles;
    for (const ColorBarMark& bar : figure.color_bars) titles.insert(bar.title);
    EXPECT_EQ(titles.size(), 3U) << "width " << width;
  }
}

TEST(QkvView, ShowsEveryHeadOnOneScale) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const Figure figure = figure_of(*trace, "qkv");
  EXPECT_EQ(tensors_in(*trace, figure), (Names{"q", "k", "v", "cross_q"}));
  EXPECT_EQ(figure.heatmaps.size(), 16U);
  for (const HeatmapMark& mark : figure.heatmaps) {
    const Tensor& tensor = *trace->steps()[static_cast<std::size_t>(mark.step)].tensor;
    EXPECT_EQ(mark.scale.high, static_cast<double>(*std::max_element(tensor.values().begin(), tensor.values().end())))
        << mark.id;
  }
  EXPECT_EQ(tensors_in(*trace, figure_of(*trace, "qkv", {{"stage", std::string("single")}})),
            (Names{"single.q", "single.k", "single.v", "single.cross_q"}));
  const std::shared_ptr<const Trace> without = trace_with({{"cross_queries", "0"}});
  EXPECT_EQ(figure_of(*without, "qkv").heatmaps.size(), 12U);
}

TEST(HeadsView, ShowsTheWeightsOfEveryHead) {
  const std::shared_ptr<const Trace> trace = trace_with({{"heads", "5"}});
  EXPECT_EQ(figure_of(*trace, "heads").heatmaps.size(), 10U);
  EXPECT_EQ(tensors_in(*trace, figure_of(*trace, "heads")), (Names{"weights", "cross_weights"}));
  const Figure self = figure_of(*trace, "heads", {{"attention", std::string("self")}});
  EXPECT_EQ(tensors_in(*trace, self), (Names{"weights"}));
  ASSERT_EQ(self.heatmaps.size(), 5U);
  for (std::size_t head = 0; head < 5; ++head) {
    EXPECT_EQ(self.heatmaps[head].leading, (std::vector<Index>{static_cast<Index>(head)}));
    EXPECT_EQ(self.heatmaps[head].scale, (ColorScale{ColorMap::viridis, 0, 1}));
  }
  EXPECT_EQ(tensors_in(*trace, figure_of(*trace, "heads", {{"attention", std::string("cross")}})),
            (Names{"cross_weights"}));
  const std::shared_ptr<const Trace> without = trace_with({{"cross_queries", "0"}});
  for (const char* attention : {"self", "cross", "both"})
    EXPECT_EQ(tensors_in(*without, figure_of(*without, "heads", {{"attention", std::string(attention)}})),
              (Names{"weights"}));
}

TEST(Views, OptionsAreChecked) {
  EXPECT_TRUE(view_options({"flow", {{"head", Index{2}}}}));
  EXPECT_NE(view_options({"flw", {}}).error().message.find("did you mean flow"), std::string::npos);
  EXPECT_NE(view_options({"flow", {{"hed", Index{1}}}}).error().message.find("\"hed\""), std::string::npos);
  EXPECT_NE(view_options({"flow", {{"head", Index{0}}}}).error().message.find("head: 0"), std::string::npos);
  EXPECT_NE(view_options({"flow", {{"stage", Index{1}}}}).error().message.find("stage: 1"), std::string::npos);
  for (const View& view : views()) {
    EXPECT_EQ(view_options({view.name, {}})->values.size(), view.options.size());
    EXPECT_EQ(find_view(view.name)->title, view.title);
  }
}

TEST(Views, AWholeNumberIsANumber) {
  // As in a file with "mass": 0.
  EXPECT_EQ(view_options({"lines", {{"mass", Index{0}}}})->real("mass"), 0);
  EXPECT_NE(view_options({"lines", {{"mass", Index{2}}}}).error().message.find("mass: 2"), std::string::npos);
}

TEST(Views, AnOptionThatAppliesChangesTheFigure) {
  for (const Settings& settings : {Settings{}, Settings{{"heads", "1"}}, Settings{{"cross_queries", "0"}}}) {
    const std::shared_ptr<const Trace> trace = trace_with(settings);
    for (const View& view : views()) {
      const std::string default_value = describe(figure_of(*trace, view.name));
      for (const Parameter& option : view.options) {
        std::vector<ParameterValue> values(option.choices.begin(), option.choices.end());
        if (option.kind == Parameter::Kind::integer) {
          const bool usual = option.default_value == ParameterValue{Index{2}};
          values = {usual ? Index{3} : std::max(Index{2}, static_cast<Index>(option.minimum))};
        }
        if (option.kind == Parameter::Kind::real) values = {0.5};
        if (option.kind == Parameter::Kind::order) values = {std::string("3 1")};
        bool changed = false;
        for (const ParameterValue& value : values)
          changed = changed || describe(figure_of(*trace, view.name, {{option.name, value}})) != default_value;
        EXPECT_EQ(changed, option_applies(view, *trace, view_options({view.name, {}})->values, option.name))
            << view.name << " " << option.name;
      }
    }
  }
}

TEST(Labels, NumbersAreThinnedOutToRoundOnesAndNotTurned) {
  for (const auto& [count, step] : {std::pair<Index, Index>{10, 1}, {20, 2}, {60, 5}, {150, 20}}) {
    HeatmapMark mark = heatmap_of("m", {50, 50, 240, 240}, {{"row", count}, {"column", count}},
                                  std::vector<float>(static_cast<std::size_t>(count * count), 1));
    mark.column_labels = position_numbers(count);
    Figure figure;
    figure.heatmaps.push_back(mark);
    RecordingCanvas painted;
    paint(figure, palette(Theme::paper), {}, {0, 0, 400, 400}, painted);
    ASSERT_EQ(static_cast<Index>(painted.texts.size()), count / step) << count;
    for (std::size_t i = 0; i < painted.texts.size(); ++i) {
      EXPECT_EQ(painted.texts[i].text, std::to_string((static_cast<Index>(i) + 1) * step));
      EXPECT_NEAR(painted.texts[i].box.height, TypeSize::kSmall * kFontCapHeight, 1e-9);
    }
  }
}

TEST(Numbers, AreThoseOfTheTrace) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  for (const char* const of : {"weights", "scores"}) {
    const Figure figure = figure_of(*trace, "head", {{"of", std::string(of)}, {"head", Index{2}}}, 1000, 680);
    RecordingCanvas painted;
    paint(figure, palette(Theme::dark), {}, {0, 0, figure.width, figure.height}, painted);
    std::vector<std::string> numbers;
    for (Index query = 0; query < 6; ++query) {
      for (Index key = 0; key < 6; ++key) {
        const auto number = static_cast<double>(trace->tensor(of).at(std::vector<Index>{1, query, key}));
        numbers.push_back(std::string(of) == "weights" ? fixed_text(number, 3) : number_text(number, 3));
      }
    }
    ASSERT_EQ(painted.numbers.size(), numbers.size()) << of;
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(painted.numbers[i].text, numbers[i]) << of << " " << i;
  }
}

TEST(Numbers, LoseDigitsWhereTheirCellsAreNarrow) {
  const std::vector<float> of_any_size = {-2.54e-11F, -0.0609F, 9999999, -1.7e-40F, 3.4e38F, -123456, -6e-4F};
  const std::vector<float> of_one_size = {-0.0609F, 0.0609F, 0.5F, -1, -0.9876F, 6e-4F, -0.99F};
  const auto written = [&](double cell, double largest = 1e-36, const std::vector<float>* given = nullptr) {
    const std::vector<float>& values = given != nullptr ? *given : of_any_size;
    Figure figure;
    figure.width = figure.height = 1000;
    figure.heatmaps.push_back(heatmap_of("m", {50, 50, 7 * cell, 30}, {{"row", 1}, {"column", 7}}, values));
    figure.heatmaps[0].scale = {ColorMap::red_blue, -largest, largest};
    EXPECT_EQ(layout_faults(figure), std::vector<std::string>()) << cell;
    RecordingCanvas painted;
    paint(figure, palette(Theme::paper), {}, {0, 0, 1000, 1000}, painted);
    Names numbers;
    for (const auto& number : painted.numbers) numbers.insert(number.text);
    return numbers;
  };
  EXPECT_EQ(written(100), (Names{"−2.54e-11", "−0.0609", "1.00e+07", "−1.70e-40", "3.40e+38", "−123456", "−0.000600"}));
  EXPECT_EQ(written(55), (Names{"−2.5e-11", "−0.0609", "1e+07", "−1.7e-40", "3.4e+38", "−123456", "−0.0006"}));
  EXPECT_EQ(written(47), (Names{"−3e-11", "−0.061", "1e+07", "−2e-40", "3e+38", "−1e+05", "−0.0006"}));
  EXPECT_EQ(written(42), Names());
  // What has the colour of 0 on its scale.
  EXPECT_EQ(written(100, 1), (Names{"0.000", "−0.0609", "1.00e+07", "3.40e+38", "−123456", "−0.0006"}));
  // Two decimals tell numbers apart whose scale ends at 1.
  EXPECT_EQ(written(42, 1, &of_one_size), (Names{"−0.06", "0.06", "0.50", "−1.00", "−0.99", "0.00"}));
  EXPECT_EQ(written(42, 0.05, &of_one_size), Names());
  EXPECT_EQ(written(30, 1, &of_one_size), Names()) << "no room for a minus";
}

TEST(Heads, OfAFewLayersFitOnAPage) {
  const auto tensors = made({{"layers.0.attn", {4, 9, 9}}, {"layers.1.attn", {4, 9, 9}}, {"layers.2.attn", {4, 9, 9}}});
  ViewOptions options = *view_options({"heads", {}});
  options.width = 672;
  const Figure figure = build_view("heads", **run(*experiment_on(tensors)), options);
  ASSERT_EQ(figure.heatmaps.size(), 12U);
  EXPECT_EQ(figure.heatmaps[3].box.y, figure.heatmaps[0].box.y) << "all heads of a layer are in one row";
  EXPECT_LT(figure.height, 1.5 * figure.width);
}

TEST(Views, AreMadeForTheNarrowestWindow) {
  const auto trace = *run(*default_experiment("worked-example"));
  for (const View& view : views()) {
    for (const double width : {1.0, 8.0, 40.0}) {
      ViewOptions options = *view_options({std::string(view.name), {}});
      options.width = width;
      const Figure figure = build_view(view.name, *trace, options);
      EXPECT_GE(figure.width, width) << view.name;
      EXPECT_TRUE(std::isfinite(figure.height) && figure.height > 0) << view.name << " at " << width;
    }
  }
}

TEST(Heads, ManyTokensFitIntoTheWindow) {
  for (const char* tokens : {"300", "1500", "40000"}) {
    Experiment e = *default_experiment("worked-example");
    for (const auto& [name, value] :
         {std::pair("tokens", tokens), std::pair("heads", "12"), std::pair("cross_queries", "0")})
      ASSERT_TRUE(set_parameter_text(e, name, value));
    ViewOptions options = *view_options({"heads", {}});
    options.width = 750;
    options.height = 650;
    const Figure figure = build_view("heads", **run(e), options);
    ASSERT_EQ(figure.heatmaps.size(), 12U);
    EXPECT_LE(figure.height, 650.5) << tokens;
    for (const HeatmapMark& mark : figure.heatmaps) EXPECT_GT(mark.box.width, 90) << tokens;
  }
}

}  // namespace
}  // namespace attnscope::test
