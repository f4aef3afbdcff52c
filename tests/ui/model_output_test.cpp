// The views of a model's output in the window: what clicks choose, pin and open.
#include <algorithm>

#include "figure/views/view.h"
#include "interface_test.h"
#include "io/models/model_texts.h"
#include "offscreen/window_texts.h"

namespace attnscope::test {
namespace {

class ModelOutput : public Interface {
 protected:
  void SetUp() override {
    InterfaceOptions options;
    options.experiment =
        experiment_of_model(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models/stories").value();
    start(options);
    screen().settle();
    open_view("next");
  }

  const Figure& figure() { return screen().workbench().shown_figure().figure(); }

  std::string words(const std::string& id) {
    const auto found = std::ranges::find(figure().texts, id, &TextMark::id);
    return found == figure().texts.end() ? "no " + id : found->markup;
  }

  Point place_of(const std::string& id) {
    const auto found = std::ranges::find(figure().targets, id, &TargetMark::id);
    EXPECT_NE(found, figure().targets.end()) << id;
    return screen().on_screen(found->box.center());
  }

  void click(const std::string& id) {
    screen().click(place_of(id));
    screen().settle();
  }
};

TEST_F(ModelOutput, ABarIsALogitOfTheTrace) {
  screen().move(place_of("answer.2.cell"));
  screen().frame(2);
  ASSERT_TRUE(screen().state().hovered);
  EXPECT_EQ(screen().state().hovered->tensor, "logits");
  const std::vector<Index> index = screen().state().hovered->index;
  EXPECT_EQ(words("answer.2.id"), std::to_string(index[1]));
  click("answer.2.cell");
  ASSERT_TRUE(screen().state().pinned);
  EXPECT_EQ(screen().state().pinned->index, index);
}

TEST_F(ModelOutput, WordsThatItDoesNotKnowAreCounted) {
  if (IMGUI_VERSION_NUM >= 19200) GTEST_SKIP() << "letters are read from ImGui up to 1.91";
  const auto type = [&](const std::string& text) {
    screen().key_with_control('T');
    screen().frame(2);
    screen().retype(text);
    screen().settle();
  };
  // Without blanks, which are not drawn.
  const auto shows = [](std::string_view text) {
    std::string all;
    for (const SeenLetter& letter : seen_letters()) {
      if (letter.window == "Text") all += static_cast<char>(letter.letter < 0x80 ? letter.letter : '?');
    }
    return all.find(text) != std::string::npos;
  };
  type("Emma lends the money");
  EXPECT_TRUE(shows("4tokens,2unknown"));
  type("Emma gave the ball");
  EXPECT_TRUE(shows("4tokens"));
  EXPECT_FALSE(shows("unknown"));
}

TEST_F(ModelOutput, ACellOfTheLensIsOneStepForUndo) {
  const std::string before = words("title");
  const auto last = static_cast<Index>(screen().experiment().text.ids.size()) - 1;
  click("lens.2." + std::to_string(last - 1));
  const ViewOptions options = view_options(screen().experiment().view).value();
  EXPECT_EQ(options.integer("after"), 2);
  EXPECT_EQ(options.integer("position"), last);
  EXPECT_TRUE(words("title").ends_with("read after layer 2")) << words("title");
  undo();
  EXPECT_EQ(words("title"), before);
}

TEST_F(ModelOutput, ATokenOpensItsPartsAndAHeadOpensFromThere) {
  const std::string second = words("answer.2");
  click("answer.2.open");
  EXPECT_EQ(screen().experiment().view.name, "contributions");
  EXPECT_TRUE(words("title").starts_with("What adds to the logit of “" + second + "”")) << words("title");
  EXPECT_TRUE(words("sum").starts_with("The parts sum to ")) << words("sum");
  const auto other = std::ranges::find_if(figure().targets, [](const TargetMark& target) {
    return target.id.starts_with("other_token.") && target.id != "other_token.-1";
  });
  ASSERT_NE(other, figure().targets.end());
  click(other->id);
  EXPECT_NE(words("title").find(" minus that of "), std::string::npos);
  undo();
  EXPECT_EQ(words("title").find(" minus that of "), std::string::npos);
  click("open.3.1");
  EXPECT_EQ(screen().experiment().view.name, "head");
  EXPECT_EQ(view_options(screen().experiment().view)->integer("layer"), 4);
  EXPECT_EQ(view_options(screen().experiment().view)->integer("head"), 2);
}

TEST_F(ModelOutput, TheViewsFollowTheText) {
  screen().key_with_control('T');
  screen().frame(2);
  screen().retype("Anna gave the ball to");
  screen().settle();
  EXPECT_EQ(words("title"), "Next token after “to”");
  EXPECT_EQ(words("position"), "position 5 of 5");
  // A position that a shorter text lacks becomes its last.
  click("lens.4.4");
  screen().key_with_control('T');
  screen().frame(2);
  screen().retype("Anna gave");
  screen().settle();
  EXPECT_EQ(words("title"), "Next token after “gave”");
}

TEST_F(ModelOutput, OptionsNameWhatTheyChooseByThemselves) {
  EXPECT_NO_THROW(screen().item("Figure", {std::string("##position")}));
  open_view("contributions");
  for (const char* const option : {"##position", "##token", "##other_token"})
    EXPECT_NO_THROW(screen().item("Figure", {std::string(option)})) << option;
}

TEST_F(ModelOutput, ATokenIsLookedForByItsName) {
  open_view("contributions");
  const std::string before = words("title");
  screen().click_item("Figure", {std::string("##token")});
  screen().frame(2);
  screen().type("Dog");
  screen().frame(2);
  EXPECT_EQ(words("title"), before) << "nothing is chosen yet";
  screen().key(kEnter);
  screen().settle();
  EXPECT_TRUE(words("title").starts_with("What adds to the logit of “dog” ")) << words("title");
  screen().click_item("Figure", {std::string("##other_token")});
  screen().frame(2);
  screen().type("nothing is called so");
  screen().key(kEnter);
  screen().settle();
  EXPECT_EQ(words("title").find(" minus that of "), std::string::npos) << words("title");
  screen().retype("cat");
  screen().key(kEnter);
  screen().settle();
  EXPECT_TRUE(words("title").starts_with("What adds to the logit of “dog” minus that of “cat”")) << words("title");
  undo();
  undo();
  EXPECT_EQ(words("title"), before);
}

TEST_F(ModelOutput, AWordOfTheTextIsAWeightAndIsChosenByAClick) {
  open_view("text");
  screen().move(place_of("token.3"));
  screen().frame(2);
  const auto last = static_cast<Index>(screen().experiment().text.ids.size()) - 1;
  const ui::NamedCell cell = {"layer1.weights", {0, last, 3}};
  ASSERT_EQ(screen().state().hovered, cell);
  const auto word = std::ranges::find(figure().words, "token.3", &WordMark::id);
  EXPECT_EQ(word->value, screen().trace().tensor(cell.tensor).at(cell.index));
  EXPECT_EQ(ui::inspected_scale(screen().trace(), figure(), cell), word->scale) << "as in the inspector";
  const Point corner = screen().on_screen({word->box.right() - 2.5, word->box.y + 2.5});
  const auto found = screen().picture().pixel(static_cast<int>(corner.x), static_cast<int>(corner.y));
  const Rgb wanted = cell_color(*word->value, word->scale);
  EXPECT_LE(std::abs(int{found[0]} - int{wanted.red}), 6);
  EXPECT_LE(std::abs(int{found[1]} - int{wanted.green}), 6);
  EXPECT_LE(std::abs(int{found[2]} - int{wanted.blue}), 6);
  const std::string before = words("title");
  click("token.3");
  EXPECT_EQ(view_options(screen().experiment().view)->integer("position"), 4);
  EXPECT_EQ(words("position"), "token 4 of " + std::to_string(last + 1));
  EXPECT_EQ(screen().state().pinned, cell);
  undo();
  EXPECT_EQ(words("title"), before);
}

TEST_F(ModelOutput, ADigitChoosesTheHeadThatShadesTheText) {
  open_view("text");
  screen().key('3');
  screen().settle();
  EXPECT_TRUE(words("title").ends_with("head 3")) << words("title");
}

}  // namespace
}  // namespace attnscope::test
