// What a newcomer does, in the real window: with the mouse alone, then with the keyboard alone. What has become of the
// experiment is read from the file that they save.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "screen.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

class Tour : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string missing = Screen::missing_program();
    if (!missing.empty()) GTEST_SKIP() << missing << " is not installed";
    file_ = folder_.file("tour.json", R"({"format": "attnscope-experiment/1", "system": "worked-example",)"
                                      R"( "view": {"name": "head"}})");
    screen_.emplace();
    program_.emplace(*screen_, std::vector<std::string>{file_.string()});
    last_ = screen_->picture_at_rest();
  }

  void TearDown() override {
    if (!program_) return;
    screen_->xdotool("key ctrl+q");
    EXPECT_EQ(program_->wait(), 0) << program_->errors();
    EXPECT_EQ(program_->errors(), "");
  }

  /// Does it, and waits for what comes of it, as a person would: until nothing has moved for a moment, and nobody is at
  /// work.
  void act(const std::string& arguments) const {
    std::vector<std::uint8_t> last = screen_->picture();
    screen_->xdotool(arguments);
    for (int same = 0, polls = 0; same < 3 && polls < 600; ++polls) {
      std::this_thread::sleep_for(60ms);
      std::vector<std::uint8_t> now = screen_->picture();
      same = now == last && Screen::all_wait() ? same + 1 : 0;
      last = std::move(now);
    }
  }
  /// Waits until nothing moves any more.
  void look() { now_ = screen_->picture_at_rest(); }
  /// A few frames are enough for that.
  void move(int x, int y) const {
    screen_->xdotool("mousemove " + std::to_string(x) + " " + std::to_string(y));
    for (int waiting = 0, polls = 0; waiting < 2 && polls < 200; ++polls) {
      std::this_thread::sleep_for(50ms);
      waiting = Screen::all_wait() ? waiting + 1 : 0;
    }
  }
  void click(int x, int y) const {
    move(x, y);
    act("click 1");
  }
  void drag(int from_x, int from_y, int to_x, int to_y) const {
    move(from_x, from_y);
    act("mousedown 1");
    move(to_x, to_y);
    act("mouseup 1");
  }

  /// Pixels of the inspector that have changed since this was last asked.
  int changed_in_inspector() { return changed(1015, 60, 1270, 700); }
  /// And of the view.
  int changed_in_view() { return changed(270, 120, 1005, 760); }

  /// What a file holds that was just saved.
  [[nodiscard]] json saved() {
    look();
    return json::parse(bytes_of(file_));
  }

 private:
  int changed(int left, int top, int right, int bottom) {
    look();
    const int pixels = Screen::different_pixels(last_, now_, left, top, right, bottom);
    last_ = now_;
    return pixels;
  }

  TemporaryFolder folder_;
  std::filesystem::path file_;
  std::optional<Screen> screen_;
  std::optional<RunningProgram> program_;
  std::vector<std::uint8_t> last_;
  std::vector<std::uint8_t> now_;
};

/// Where things are in a window of 1280 × 800.
struct Place {
  int x, y;
};
constexpr Place kHeadsTab = {380, 50};
constexpr Place kHeadTab = {429, 50};
constexpr Place kDotTab = {540, 50};
constexpr Place kMoreTabs = {881, 50};
constexpr Place kPermutation = {912, 253};
constexpr Place kSecondHead = {520, 90};
constexpr Place kCell = {457, 337};  // the second query and the second key in Head
constexpr Place kPaint = {74, 500};
constexpr Place kSecondHeadsName = {506, 286};  // in Heads
constexpr Place kFirstToken = {333, 444};       // of the permuted X, in Permutation
constexpr Place kThirdToken = {333, 481};
constexpr Place kFileMenu = {30, 16};
constexpr Place kSave = {41, 216};
constexpr Place kEditMenu = {67, 16};
constexpr Place kUndo = {78, 55};

TEST_F(Tour, WithTheMouseAlone) {
  const auto at = [&](Place place) { click(place.x, place.y); };
  const auto save = [&] {
    at(kFileMenu);
    at(kSave);
    return saved();
  };
  const json before = save();

  at(kSecondHead);
  EXPECT_GT(changed_in_view(), 5000) << "another head looks otherwise";
  at(kCell);
  EXPECT_GT(changed_in_inspector(), 2000) << "the query's row";
  at(kDotTab);
  EXPECT_GT(changed_in_view(), 20000) << "products and their sum";
  EXPECT_EQ(save().at("view").at("name"), "dot");
  at(kHeadTab);
  at(kPaint);
  at(kCell);
  at(kPaint);
  at(kHeadsTab);
  at(kSecondHeadsName);
  at(kMoreTabs);
  at(kPermutation);
  drag(kFirstToken.x, kFirstToken.y, kThirdToken.x, kThirdToken.y);

  const json done = save();
  EXPECT_EQ(done.at("view").at("name"), "permutation");
  EXPECT_EQ(done.at("view").at("options").at("head"), 2);
  EXPECT_EQ(done.at("view").at("options").at("order"), "3") << "then 1 2 4 5 6";
  EXPECT_EQ(done.at("heads_off"), json::array({1}));
  for (std::size_t query = 0; query < 6; ++query) {
    for (std::size_t key = 0; key < 6; ++key)
      EXPECT_EQ(done.at("params").at("mask").at(query).at(key), query != 1 || key != 1) << query << " " << key;
  }

  // One for each: head, view, view, mask, view, head off, view, order.
  for (int i = 0; i < 8; ++i) {
    at(kEditMenu);
    at(kUndo);
  }
  EXPECT_EQ(save(), before);
}

TEST_F(Tour, WithTheKeyboardAlone) {
  const auto save = [&] {
    act("key ctrl+s");
    return saved();
  };
  const json before = save();

  act("key 2");
  EXPECT_GT(changed_in_view(), 5000) << "another head looks otherwise";
  for (const char* key : {"Down", "Down", "Right"}) act(std::string("key ") + key);
  EXPECT_GT(changed_in_inspector(), 2000) << "the query's row";
  act("key ctrl+Next");
  act("key ctrl+Next");
  EXPECT_GT(changed_in_view(), 20000) << "products and their sum";
  EXPECT_EQ(save().at("view").at("name"), "dot");
  act("key ctrl+Prior");
  act("key ctrl+Prior");
  act("key m");
  act("key x");
  act("key ctrl+Down");

  const json done = save();
  EXPECT_EQ(done.at("view").at("name"), "permutation");
  EXPECT_EQ(done.at("view").at("options").at("head"), 2);
  EXPECT_EQ(done.at("view").at("options").at("order"), "1 3");
  EXPECT_EQ(done.at("heads_off"), json::array({1}));
  EXPECT_EQ(done.at("params").at("mask").at(1).at(1), false);
  EXPECT_EQ(done.at("params").at("mask").at(1).at(0), true);

  // Head, four views, mask, head off, and the order with its view.
  for (int i = 0; i < 8; ++i) act("key ctrl+z");
  EXPECT_EQ(save(), before);
}

TEST_F(Tour, ControlsAndMenusWithTheKeyboardAlone) {
  const auto save = [&] {
    act("key ctrl+s");
    return saved();
  };
  act("key Tab");
  act("key Down");
  act("key Return");
  act("type 3");
  act("key Return");
  EXPECT_EQ(save().at("params").at("tokens"), 3);
  act("key space");
  act("key Right");
  act("key Right");
  EXPECT_EQ(save().at("params").at("tokens"), 5) << "Space holds the slider";
  act("key space");
  act("key F6");
  act("key Right");
  act("key Return");
  EXPECT_EQ(save().at("view").at("name"), "qkv");
  act("key alt+e");
  act("key Return");
  EXPECT_EQ(save().at("view").at("name"), "head") << "Undo";
  act("key F10");
  act("key Left");
  act("key Escape");
  act("key Escape");
  act("key Down");
  EXPECT_GT(changed_in_inspector(), 2000) << "the figure has the arrows again";
  act("key F11");
  act("key F11");
}

}  // namespace
}  // namespace attnscope::test
