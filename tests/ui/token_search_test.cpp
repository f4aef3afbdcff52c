// Finding a token in the figure: the row with its field, what is outlined, where the camera goes.
#include <algorithm>

#include "core/experiment/system.h"
#include "interface_test.h"

namespace attnscope::test {
namespace {

class TokenSearchRow : public Interface {
 protected:
  void open(Index tokens, const std::string& view) {
    Experiment experiment = *default_experiment("worked-example");
    experiment.parameters["tokens"] = tokens;
    experiment.parameters["cross_queries"] = Index{0};
    experiment.labels.clear();
    for (Index i = 0; i < tokens; ++i) experiment.labels.push_back(i % 50 == 7 ? "Wolf" : "sheep");
    experiment.view.name = view;
    InterfaceOptions options;
    options.experiment = experiment;
    start(options);
    screen().settle();
  }

  void search(const std::string& text) {
    screen().key_with_control('F');
    screen().frame(3);
    screen().retype(text);
    screen().settle();
  }

  [[nodiscard]] const ui::TokenSearch& row() { return screen().workbench().shown_figure().token_search(); }
  [[nodiscard]] std::vector<Index> positions() {
    std::vector<Index> all;
    for (const FoundToken& token : row().found()) all.push_back(token.position);
    return all;
  }
  [[nodiscard]] bool is_in_view(const Rect& place) {
    const Rect area = screen().picture_place();
    const Rect box = screen().transform().apply(place);
    return box.intersection(area).width > 0 && box.intersection(area).height > 0;
  }
};

TEST_F(TokenSearchRow, FindsPartsOfTokensAndTheirNumbers) {
  open(120, "head");
  search("wol");
  EXPECT_EQ(positions(), (std::vector<Index>{7, 57, 107})) << "capital or not";
  screen().retype("57");
  screen().settle();
  EXPECT_EQ(positions(), (std::vector<Index>{56}));
  screen().retype("dog");
  screen().settle();
  EXPECT_TRUE(positions().empty());
}

TEST_F(TokenSearchRow, EnterGoesToTheNextOneAndRoundToTheFirst) {
  open(400, "head");
  search("Wolf");
  ASSERT_EQ(row().found().size(), 8U);
  EXPECT_EQ(row().current(), 0U);
  for (const std::size_t next : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 0U}) {
    screen().key(kEnter);
    screen().frame(3);
    EXPECT_EQ(row().current(), next);
    const FoundToken& token = row().found()[next];
    const Rect box = screen().transform().apply(token.places[0]);
    EXPECT_GE(box.height, 11.5) << "its name is readable";
    EXPECT_TRUE(is_in_view(token.places[0]) && is_in_view(token.places[1]));
    // Where its row and its column meet.
    EXPECT_TRUE(screen().picture_place().contains(screen().on_screen(token.center(1e9))));
  }
  screen().click_item("Figure", {std::string("‹##previous")});
  screen().frame(3);
  EXPECT_EQ(row().current(), 7U);
  screen().click_item("Figure", {std::string("›##following")});
  screen().frame(3);
  EXPECT_EQ(row().current(), 0U);
}

TEST_F(TokenSearchRow, EscapeClosesItAndLeavesThePinnedCell) {
  open(20, "head");
  screen().click(screen().cell_center(0, 3, 4));
  ASSERT_TRUE(screen().state().pinned);
  search("wolf");
  EXPECT_EQ(positions(), (std::vector<Index>{7}));
  screen().key(kEscape);
  screen().settle();
  EXPECT_FALSE(row().is_open());
  EXPECT_TRUE(row().found().empty());
  EXPECT_TRUE(screen().state().pinned);
  screen().key(kEscape);
  screen().frame(2);
  EXPECT_FALSE(screen().state().pinned);
}

TEST_F(TokenSearchRow, FollowsTheFigure) {
  open(60, "head");
  search("wolf");
  ASSERT_EQ(positions(), (std::vector<Index>{7, 57}));
  for (const char* view : {"text", "lines", "heads"}) {
    open_view(view);
    EXPECT_EQ(positions(), (std::vector<Index>{7, 57})) << view;
    for (const FoundToken& token : row().found()) {
      for (const Rect& place : token.places) EXPECT_TRUE(is_in_view(place)) << view;
    }
  }
}

TEST_F(TokenSearchRow, OutlinesWhatItFound) {
  open(20, "head");
  screen().set_drawn(true);
  search("wolf");
  screen().frame(3);
  screen().move({-100, -100});
  const Rect place = screen().transform().apply(row().found().front().places.front());
  const platform::Image after = screen().picture();
  // Not the accent: the text view rings the chosen token with that.
  const Rgb ink = screen().workbench().look().colors().text;
  // Its left edge, a pixel outside the matrix.
  const auto pixel = after.pixel(static_cast<int>(place.x) - 1, static_cast<int>(place.center().y));
  EXPECT_NEAR(pixel[0], ink.red, 40);
  EXPECT_NEAR(pixel[1], ink.green, 40);
  EXPECT_NEAR(pixel[2], ink.blue, 40);
}

}  // namespace
}  // namespace attnscope::test
