// The equation above the figure: its symbols and the matrices light each other.
#include <algorithm>

#include "interface_test.h"

namespace attnscope::test {
namespace {

class Formula : public Interface {
 protected:
  void SetUp() override { start_at({1280, 800, 1}); }

  void start_at(const WindowSize& size, const std::string& view = "flow") {
    InterfaceOptions options;
    options.width = size.width;
    options.height = size.height;
    options.scale = size.scale;
    options.experiment = *default_experiment("worked-example");
    options.experiment->view.name = view;
    start(options);
    screen().settle();
  }

  [[nodiscard]] const ui::FormulaLine& line() { return screen().workbench().shown_figure().formula_line(); }
  [[nodiscard]] Rect symbol(const std::string& id) { return screen().item("Figure", {"symbol " + id}); }

  /// The symbols that are lit, by name.
  [[nodiscard]] std::vector<std::string> lit_symbols() {
    std::vector<std::string> lit;
    for (const FormulaSymbol& each : line().formula()->symbols) {
      if (line().is_lit(each, screen().state().inspected())) lit.push_back(each.id);
    }
    return lit;
  }

  [[nodiscard]] std::size_t heatmap(const std::string& id) {
    const std::vector<HeatmapMark>& all = screen().workbench().shown_figure().figure().heatmaps;
    return static_cast<std::size_t>(std::ranges::find(all, id, &HeatmapMark::id) - all.begin());
  }

  /// How many pixels of that matrix differ.
  [[nodiscard]] int changed(const platform::Image& before, const platform::Image& after, const std::string& id) {
    const HeatmapMark& mark = screen().workbench().shown_figure().figure().heatmaps.at(heatmap(id));
    return different_pixels(before, after, screen().transform().apply(mark.box));
  }
};

TEST_F(Formula, ASymbolUnderTheMouseLightsItsMatricesAndDimsTheOthers) {
  const Rect place = symbol("V");
  screen().move({-100, -100});
  EXPECT_TRUE(line().lit().empty());
  const platform::Image before = screen().picture();
  screen().move(place.center());
  ASSERT_EQ(line().lit().size(), 1U);
  EXPECT_EQ(line().lit().front(), "v");
  EXPECT_EQ(lit_symbols(), std::vector<std::string>{"V"});
  const platform::Image after = screen().picture();
  EXPECT_EQ(changed(before, after, "v"), 0);
  EXPECT_GT(changed(before, after, "weights"), 500);
  EXPECT_GT(changed(before, after, "k"), 500);
  screen().move({-100, -100});
  EXPECT_EQ(different_pixels(before, screen().picture(), screen().window_place("Figure")), 0);
}

TEST_F(Formula, ASymbolWhoseMatrixIsNotInTheFigureDimsNothing) {
  open_view("head");
  const Rect place = symbol("V");
  screen().move({-100, -100});
  const std::vector<HeatmapMark>& all = screen().workbench().shown_figure().figure().heatmaps;
  ASSERT_EQ(all.size(), 1U);
  const std::string weights = all.front().id;
  const platform::Image before = screen().picture();
  screen().move(place.center());
  EXPECT_EQ(changed(before, screen().picture(), weights), 0);
}

TEST_F(Formula, ANumberLightsTheSymbolsOfItsTensor) {
  screen().move({-100, -100});
  EXPECT_TRUE(lit_symbols().empty());
  screen().move(screen().cell_center(heatmap("weights"), 1, 2));
  EXPECT_EQ(lit_symbols(), std::vector<std::string>{"softmax"});
  screen().move(screen().cell_center(heatmap("scores"), 1, 2));
  EXPECT_EQ(lit_symbols(), (std::vector<std::string>{"Q", "K"})) << "their product";
  screen().click(screen().cell_center(heatmap("attend.q"), 0, 0));
  screen().move({-100, -100});
  EXPECT_EQ(lit_symbols(), std::vector<std::string>{"Q"}) << "the pinned cell";
  screen().move(screen().cell_center(heatmap("head_outputs"), 0, 0));
  EXPECT_EQ(lit_symbols(), (std::vector<std::string>{"Attention", "head"})) << "both stand for it";
}

TEST_F(Formula, ASymbolSaysWhatItIs) {
  const Rect place = symbol("W_{O}");
  screen().move({-100, -100});
  screen().frame(2);
  EXPECT_FALSE(screen().is_open("##Tooltip_00"));
  screen().move(place.center());
  screen().frame(60);
  EXPECT_TRUE(screen().is_open("##Tooltip_00"));
}

TEST_F(Formula, TheHeadingOfAMatrixSaysWhatItIs) {
  const Figure& figure = screen().workbench().shown_figure().figure();
  const auto heading = std::ranges::find(figure.texts, "weights.symbol", &TextMark::id);
  ASSERT_NE(heading, figure.texts.end());
  const Point at = screen().on_screen(heading->at);
  screen().move({at.x + 5, at.y - 4});
  screen().frame(2);
  EXPECT_TRUE(screen().is_open("##Tooltip_00"));
  screen().move({at.x - 25, at.y - 4});
  screen().frame(2);
  EXPECT_FALSE(screen().is_open("##Tooltip_00"));
}

TEST_F(Formula, SymbolsAreReachedWithTheKeyboard) {
  screen().move({-100, -100});
  const ImGuiID wanted = OffscreenInterface::id("Figure", {std::string("symbol K")});
  for (int i = 0; i < 3; ++i) screen().key(kF6);
  // Below the options.
  screen().key(kDown);
  for (const int key : {kLeft, kRight}) {
    for (int i = 0; i < 12 && ImGui::GetCurrentContext()->NavId != wanted; ++i) screen().key(key);
  }
  ASSERT_EQ(ImGui::GetCurrentContext()->NavId, wanted);
  screen().frame(2);
  ASSERT_FALSE(line().lit().empty());
  EXPECT_EQ(line().lit().front(), "k");
  EXPECT_TRUE(screen().is_open("##Tooltip_00"));
  screen().key(kEscape);
  screen().frame(2);
  EXPECT_TRUE(line().lit().empty());
}

TEST_F(Formula, IsMadeAnewOnlyForAnotherAttentionOrView) {
  const std::uint64_t made = line().made();
  screen().move(screen().cell_center(0, 0, 0));
  screen().frame(10);
  EXPECT_EQ(line().made(), made);
  open_view("qkv");
  EXPECT_GT(line().made(), made);
}

TEST_F(Formula, FollowsTheStageAndTheAttentionOfTheView) {
  const auto tensor = [&](const std::string& id) {
    const auto found = std::ranges::find(line().formula()->symbols, id, &FormulaSymbol::id);
    return found == line().formula()->symbols.end() ? "none" : found->tensors.front();
  };
  EXPECT_EQ(tensor("softmax"), "weights");
  screen().click_item("Figure", {std::string("Stage"), 1, std::string("single-head")});
  screen().settle();
  EXPECT_EQ(tensor("softmax"), "single.weights");
  EXPECT_EQ(tensor("W_{O}"), "none") << "no output projection there";
}

TEST_F(Formula, ArrowsPinACellOfTheStageThatIsShown) {
  screen().click_item("Figure", {std::string("Stage"), 1, std::string("single-head")});
  screen().settle();
  screen().key(kEscape);
  screen().key(kRight);
  screen().settle();
  ASSERT_TRUE(screen().state().pinned);
  EXPECT_EQ(screen().state().pinned->tensor, "single.weights");
  screen().key(kDown);
  screen().settle();
  EXPECT_EQ(screen().state().pinned->tensor, "single.weights");
  EXPECT_EQ(screen().state().pinned->index, (std::vector<Index>{1, 0}));
}

TEST_F(Formula, ViewsOfNoAttentionHaveTheirSentenceAlone) {
  start_at({1280, 800, 1}, "tensor");
  EXPECT_FALSE(line().formula());
  EXPECT_EQ(line().layout().sentence, find_view("tensor")->summary);
}

/// Nothing in the line covers anything else, in no width: the sentence gives way first.
TEST(FormulaLayout, WordsStandSideBySide) {
  const std::shared_ptr<const Trace> trace = *run(*default_experiment("stacked-multihead"));
  const auto formula = attention_formula(*trace, shown_attention(*trace, {}));
  ASSERT_TRUE(formula);
  const std::string& sentence = find_view("flow")->summary;
  std::size_t words = 1000;
  bool cut = false;
  for (double width = 1400; width > 0; width -= 7) {
    const auto measure = [](const std::string& markup) {
      return markup_width(markup, TypeSize::kBody, FontWeight::regular);
    };
    const ui::FormulaLayout layout = ui::formula_layout(&*formula, sentence, width, measure);
    double end = 0;
    for (const ui::FormulaLayout::Word& word : layout.words) {
      EXPECT_GE(word.x, end - 0.01) << width;
      end = word.x + word.width;
    }
    EXPECT_LE(end, width);
    EXPECT_LE(layout.words.size(), words) << "less in a narrower line";
    words = layout.words.size();
    if (layout.sentence.empty()) continue;
    EXPECT_GE(layout.sentence_x, end) << width;
    EXPECT_LE(layout.sentence_x + text_width(layout.sentence, TypeSize::kBody), width);
    if (!cut && layout.sentence != sentence) {
      cut = true;
      EXPECT_EQ(formula_markup(formula->attention).empty(), false);
      EXPECT_EQ(layout.words.size(), formula->attention.size() + formula->output.size() + 1) << "it is cut first";
    }
  }
  EXPECT_TRUE(cut);
}

/// Where the sentence has no room, its first clauses are one.
TEST(FormulaLayout, ASentenceEndsWhereAClauseEnds) {
  const auto measure = [](const std::string&) { return 0.0; };
  const auto shown = [&](const std::string& sentence, const std::string& as_wide_as) {
    return ui::formula_layout(nullptr, sentence, text_width(as_wide_as, TypeSize::kBody), measure).sentence;
  };
  const std::string whole = "Measures of every head, with names, and more.";
  EXPECT_EQ(shown(whole, whole), whole);
  EXPECT_EQ(shown(whole, "Measures of every head, with names, an"), "Measures of every head, with names.");
  EXPECT_EQ(shown(whole, "Measures of every head, with"), "Measures of every head.");
  EXPECT_EQ(shown(whole, "Measures of every"), "") << "two words say nothing";
  EXPECT_EQ(shown("Queries, keys and values of every head.", "Queries, keys and values"), "Queries, keys and …");
  EXPECT_EQ(shown("No clauses in this one.", "No clauses in this"), "No clauses in …");
}

struct FormulaSizes : Formula, testing::WithParamInterface<WindowSize> {};

TEST_P(FormulaSizes, TheLineTakesLittleAndCoversNothing) {
  for (const char* view : {"flow", "head", "metrics", "complexity"}) {
    start_at(GetParam(), view);
    const double unit = static_cast<double>(GetParam().scale);
    const Rect picture = screen().picture_place();
    const Rect window = screen().window_place("Figure");
    const ui::FormulaLayout& layout = line().layout();
    ASSERT_FALSE(layout.sentence.empty()) << view;
    EXPECT_EQ(layout.words.empty(), view == std::string("complexity")) << view;
    if (!layout.words.empty()) {
      const Rect first = symbol("Attention");
      EXPECT_LE(first.bottom(), picture.y) << view;
      EXPECT_LE(picture.y - first.y, 23 * unit + 1) << view;
    }
    const double right = layout.sentence_x + text_width(layout.sentence, TypeSize::kBody);
    EXPECT_LE(right * unit, window.width - 2 * 16 * unit + 1) << view;
  }
}

INSTANTIATE_TEST_SUITE_P(Windows, FormulaSizes,
                         testing::Values(WindowSize{1024, 700, 1}, WindowSize{1280, 720, 1}, WindowSize{1280, 800, 1},
                                         WindowSize{1920, 1080, 1}, WindowSize{2560, 1600, 2}));

}  // namespace
}  // namespace attnscope::test
