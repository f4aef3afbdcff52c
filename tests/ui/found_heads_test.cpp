// The standard test of a model's heads in the window: Metrics of random tokens, repeated.
#include <algorithm>

#include "interface_test.h"
#include "io/models/model_texts.h"

namespace attnscope::test {
namespace {

class FoundHeadsWindow : public Interface {
 protected:
  void SetUp() override {
    InterfaceOptions options;
    options.experiment =
        experiment_of_model(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models/induction").value();
    start(options);
    screen().settle();
    open_view("metrics");
  }

  const Figure& figure() { return screen().workbench().shown_figure().figure(); }

  std::string words(const std::string& id) {
    const auto found = std::ranges::find(figure().texts, id, &TextMark::id);
    return found == figure().texts.end() ? "no " + id : found->markup;
  }

  void click(const std::string& id) {
    const auto found = std::ranges::find(figure().targets, id, &TargetMark::id);
    ASSERT_NE(found, figure().targets.end()) << id;
    screen().click(screen().on_screen(found->box.center()));
    screen().settle();
  }
};

TEST_F(FoundHeadsWindow, IsInTheMenu) {
  open_view("heads");
  screen().click_item("##MainMenuBar", {std::string("##menubar"), std::string("View")});
  screen().click_item("##Menu_00", {std::string("Find heads")});
  screen().settle();
  EXPECT_EQ(words("found.2.0.name"), "induction");
  undo();
  EXPECT_EQ(screen().experiment().view.name, "heads") << "one step";
}

TEST_F(FoundHeadsWindow, ReplacesTheTextSortsAndOpensAHead) {
  EXPECT_EQ(words("found.2.0.name"), "no found.2.0.name");
  screen().click_item("Figure", {std::string("Of"), 1, std::string("random tokens, repeated")});
  screen().settle();
  EXPECT_EQ(words("found.2.0.name"), "induction");
  EXPECT_EQ(words("found.1.1.name"), "previous token");
  click("sort.previous_token");
  EXPECT_TRUE(words("map.title").starts_with("Previous token by layer")) << words("map.title");
  screen().click_item("Figure", {std::string("Show"), 1, std::string("named heads")});
  screen().settle();
  EXPECT_EQ(words("found.1.0.name"), "no found.1.0.name");
  click("map.found.1.2");
  EXPECT_EQ(screen().experiment().view.name, "head");
  EXPECT_EQ(screen().experiment().view.options.at("head"), ParameterValue(Index{3}));
  undo();
  EXPECT_EQ(words("found.1.1.name"), "previous token");
}

}  // namespace
}  // namespace attnscope::test
