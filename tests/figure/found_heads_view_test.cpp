// The view Metrics on the standard test: random tokens, repeated, in place of the text.
#include <gtest/gtest.h>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/heads/finder.h"
#include "figure/blocks/found_table.h"
#include "layout_faults.h"
#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

const ParameterValues kRandom = {{"of", std::string("random")}};

ParameterValues random_with(ParameterValues others) {
  others.insert(kRandom.begin(), kRandom.end());
  return others;
}

std::string row_id(const FoundHead& head) {
  return "found." + std::to_string(head.layer) + "." + std::to_string(head.head);
}

TEST(FoundHeadsView, ShowsEveryHeadOfEveryLayer) {
  const std::shared_ptr<const Model> model = made_model("gpt2");
  const std::shared_ptr<const Trace> trace = made_trace(model, {1, 2, 3});
  const FoundHeads found = *find_heads(model);
  const Figure figure = figure_of(*trace, "metrics", kRandom);
  for (const FoundHead& head : found.heads) {
    EXPECT_EQ(words(figure, row_id(head) + ".head"),
              "layer " + std::to_string(head.layer) + " · head " + std::to_string(head.head + 1));
    EXPECT_EQ(words(figure, row_id(head) + ".name"),
              head.name ? std::string(finder_measures()[*head.name].title) : "–");
    for (std::size_t i = 0; i < finder_measures().size(); ++i) {
      EXPECT_EQ(words(figure, row_id(head) + "." + std::string(finder_measures()[i].name)),
                fixed_text(head.values[i].mean, 3));
    }
  }
  EXPECT_TRUE(words(figure, "note").starts_with("20 tokens, twice; means over 4 texts")) << words(figure, "note");
}

TEST(FoundHeadsView, ItsMapShowsTheMeasureThatItIsSortedBy) {
  const std::shared_ptr<const Model> model = made_model("gpt2");
  const std::shared_ptr<const Trace> trace = made_trace(model, {1, 2, 3});
  const FoundHeads found = *find_heads(model);
  for (const auto& [sort, measure] : {std::pair("head", 4U), std::pair("entropy", 4U), std::pair("first_token", 2U)}) {
    const Figure figure = figure_of(*trace, "metrics", random_with({{"sort", std::string(sort)}}));
    const HeatmapMark& map = *mark(figure.heatmaps, "map");
    ASSERT_EQ(map.rows(), 2);
    ASSERT_EQ(map.columns(), 2);
    for (const FoundHead& head : found.heads)
      EXPECT_EQ(map.source->held()->at(head.layer - 1, head.head), static_cast<float>(head.values[measure].mean));
  }
}

TEST(FoundHeadsView, AClickOpensTheHead) {
  const std::shared_ptr<const Trace> trace = made_trace("gpt2", {1, 2, 3});
  const Figure figure = figure_of(*trace, "metrics", kRandom);
  for (const char* const id : {"found.2.1", "found.2.1.induction", "map.found.2.1"}) {
    const TargetMark* const target = mark(figure.targets, id);
    ASSERT_NE(target, nullptr) << id;
    const auto* const open = std::get_if<OpenView>(&target->click);
    ASSERT_NE(open, nullptr) << id;
    EXPECT_EQ(*open, (OpenView{"head", {{"head", Index{2}}, {"layer", Index{2}}}}));
  }
}

/// The tops of the rows, in the order of `found`; nothing for heads that are not shown.
std::vector<std::optional<double>> tops_of(const Figure& figure, const FoundHeads& found) {
  std::vector<std::optional<double>> tops;
  for (const FoundHead& head : found.heads) {
    const TextMark* const text = mark(figure.texts, row_id(head) + ".head");
    tops.push_back(text != nullptr ? std::optional(text->at.y) : std::nullopt);
  }
  return tops;
}

TEST(FoundHeadsView, SortsAndKeepsTheNamedHeads) {
  const std::shared_ptr<const Trace> trace = made_trace("gpt2", {1, 2, 3});
  FoundHeads found = *find_heads(trace->experiment().model);
  const std::vector<double> means = {0.2, 0.9, 0.1, 0.6};
  for (std::size_t i = 0; i < 4; ++i) found.heads[i].values[4].mean = means[i];
  found.heads[1].name = found.heads[3].name = 4;
  ViewOptions options = *view_options({"metrics", random_with({{"sort", std::string("induction")}})});
  const auto order = [&] {
    const std::vector<std::optional<double>> tops = tops_of(found_figure(*trace, found, options), found);
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < tops.size(); ++i) {
      if (tops[i]) shown.push_back(i);
    }
    std::ranges::sort(shown, [&](std::size_t a, std::size_t b) { return *tops[a] < *tops[b]; });
    return shown;
  };
  EXPECT_EQ(order(), (std::vector<std::size_t>{1, 3, 0, 2}));
  options.values["order"] = std::string("up");
  EXPECT_EQ(order(), (std::vector<std::size_t>{2, 0, 3, 1}));
  options.values["show"] = std::string("named");
  EXPECT_EQ(order(), (std::vector<std::size_t>{3, 1}));
  options.values["sort"] = std::string("head");
  EXPECT_EQ(order(), (std::vector<std::size_t>{1, 3}));
  for (FoundHead& head : found.heads) head.name.reset();
  EXPECT_EQ(words(found_figure(*trace, found, options), "none"), "No head has a name.");
}

TEST(FoundHeadsView, TestsAModelOnceForAllTexts) {
  const std::shared_ptr<const Model> model = made_model("gpt2");
  ViewCache cache;
  ViewOptions options = *view_options({"metrics", kRandom});
  options.cache = &cache;
  const Figure first = build_view("metrics", *made_trace(model, {1, 2, 3}), options);
  // Stopped before it began: only cached results are available.
  StopSource source;
  source.request_stop();
  options.stop = source.token();
  EXPECT_EQ(build_view("metrics", *made_trace(model, {4, 5}), options).texts.size(), first.texts.size());
  EXPECT_TRUE(build_view("metrics", *made_trace("gpt2", {1, 2, 3}), options).texts.empty()) << "is another model";
}

TEST(FoundHeadsView, SaysWhyThereIsNoTest) {
  const std::shared_ptr<const Trace> trace = made_trace("gpt2", {1, 2}, {.positions = 7});
  EXPECT_EQ(words(figure_of(*trace, "metrics", kRandom), "missing"),
            "made-gpt2: finding heads needs a text of 8 tokens; allowed: at most 7 (n_positions)");
}

TEST(FoundHeadsView, OffersTheTestForModelsThatReadText) {
  const View& view = *find_view("metrics");
  const ParameterValues text = view_options({"metrics", {}})->values;
  const ParameterValues random = view_options({"metrics", kRandom})->values;
  const std::shared_ptr<const Trace> model = made_trace("gpt2", {1, 2, 3});
  for (const char* const option : {"of", "sort", "order"}) {
    EXPECT_TRUE(view.applies(*model, text, option)) << option;
    EXPECT_TRUE(view.applies(*model, random, option)) << option;
  }
  EXPECT_TRUE(view.applies(*model, random, "show"));
  for (const char* const option : {"layer", "head", "page"}) EXPECT_FALSE(view.applies(*model, random, option));
  EXPECT_FALSE(view.applies(*model, text, "show"));
  EXPECT_TRUE(view.applies(*model, text, "layer"));
  const std::shared_ptr<const Trace> system = trace_with({});
  EXPECT_FALSE(view.applies(*system, random, "of"));
  EXPECT_TRUE(view.applies(*system, random, "head"));
  EXPECT_EQ(figure_of(*system, "metrics", kRandom).texts.size(), figure_of(*system, "metrics").texts.size());
}

TEST(FoundHeadsView, IsInOrder) {
  for (const auto& trace :
       {made_trace("gpt2", {1, 2, 3}), made_trace("attention-only", {1}, {1, 1, 2}), made_trace("bert", {1, 2}),
        made_trace("gpt2", {1, 2}, {30, 12, 24}), made_trace("attention-only", {1, 2}, {3, 80, 80})}) {
    ViewCache cache;
    for (const ParameterValues& options :
         {kRandom, random_with({{"sort", std::string("induction")}}), random_with({{"show", std::string("named")}})}) {
      for (const auto& [width, height] :
           std::vector<std::pair<double, double>>{{672, 0}, {200, 0}, {1600, 0}, {900, 700}, {600, 520}, {500, 1200}}) {
        const Figure figure = figure_of(*trace, "metrics", options, width, height, &cache);
        for (const auto& faults : {layout_faults(figure), shared_ids(figure), slice_faults(figure, *trace)}) {
          ASSERT_TRUE(faults.empty()) << trace->experiment().model->name() << " " << width << " × " << height << ":\n"
                                      << join(faults, "\n");
        }
      }
    }
  }
}

TEST(FoundHeadsView, ShowsManyHeadsAPageAtATime) {
  const std::shared_ptr<const Trace> trace = made_trace("gpt2", {1, 2, 3}, {.layers = 30, .heads = 8, .features = 8});
  const View& view = *find_view("metrics");
  const ParameterValues random = view_options({"metrics", kRandom})->values;
  EXPECT_EQ(view.pages(*trace, random), 15);
  EXPECT_TRUE(view.applies(*trace, random, "page"));
  ViewCache cache;
  const Figure first = figure_of(*trace, "metrics", kRandom, 672, 0, &cache);
  const Figure last = figure_of(*trace, "metrics", random_with({{"page", Index{15}}}), 672, 0, &cache);
  EXPECT_NE(mark(first.texts, "found.1.0.head"), nullptr);
  EXPECT_EQ(mark(last.texts, "found.1.0.head"), nullptr);
  EXPECT_NE(mark(last.texts, "found.30.7.head"), nullptr);
  EXPECT_LT(first.texts.size() + first.bars.size() + first.targets.size(), 4000U);
}

}  // namespace
}  // namespace attnscope::test
