// Lines that ImGui cannot set: other scripts and emoji in labels and tokens.
#include "ui/imgui/outside_line.h"

#include "figure/model/label_painter.h"
#include "interface_test.h"

namespace attnscope::test {
namespace {

TEST(NeedsPicture, WhereCharactersDependOnTheirNeighbours) {
  for (const char* const line : {"שלום", "the مرحبا", "नमस्ते", "😀", "a👍b", "x\u0302", "สวัสดี", "က", "a\u200db", "\ufe0f"})
    EXPECT_TRUE(ui::needs_picture(line)) << line;
}

TEST(NeedsPicture, NowhereElse) {
  for (const char* const line : {"", "the cat", "naïve", "жук", "猫が", "한국어", "αβγ", "√d → ∞", "Wₒᵀ", "\xff\xfe"})
    EXPECT_FALSE(ui::needs_picture(line)) << line;
}

TEST(NeedsPicture, NotWhereItWouldBeTooLong) {
  std::string line;
  while (line.size() < 5000) line += "ש";
  EXPECT_FALSE(ui::needs_picture(line));
}

class OtherLines : public Interface {
 protected:
  void label(std::vector<std::string> labels, const char* view = "heads") {
    InterfaceOptions options;
    options.experiment = screen().experiment();
    options.experiment->labels = std::move(labels);
    options.experiment->view = {view, {}};
    start(options);
    screen().settle();
  }
};

TEST_F(OtherLines, AreDrawnOnce) {
  label({"שלום", "مرحبا", "😀", "d", "e", "f"});
  screen().frame(3);
  const std::uint64_t drawn = ui::line_pictures().drawn();
  EXPECT_GE(drawn, 3U);
  screen().frame(10);
  EXPECT_EQ(ui::line_pictures().drawn(), drawn);
}

TEST_F(OtherLines, AreNotMadeOfPlainLabels) {
  label({"the", "жук", "猫が", "d", "e", "f"});
  screen().frame(3);
  EXPECT_EQ(ui::line_pictures().drawn(), 0U);
}

TEST_F(OtherLines, LookLikeThemselvesAndNotLikeAnother) {
  // Without the status bar, which has a time in it.
  const auto picture_with = [this](const char* first) {
    label({first, "b", "c", "d", "e", "f"});
    std::vector<std::uint8_t> pixels = screen().picture().rgba;
    pixels.resize(pixels.size() - static_cast<std::size_t>(screen().picture().width) * 40 * 4);
    return pixels;
  };
  const std::vector<std::uint8_t> face = picture_with("😀");
  const std::vector<std::uint8_t> other = picture_with("😃");
  EXPECT_TRUE(face == picture_with("😀"));
  EXPECT_FALSE(face == other);
}

TEST_F(OtherLines, MovementsDrawFewOfThemAnew) {
  label({"שלום", "مرحبا", "😀", "d", "e", "f"});
  // So small that the letters beside the cells grow with the zoom.
  const auto cell = [this] { return screen().cell_center(0, 1, 0).y - screen().cell_center(0, 0, 0).y; };
  for (int height = 700; height > 400 && cell() >= 11; height -= 10) {
    screen().resize(1000, height);
    screen().settle();
  }
  ASSERT_GE(cell(), kLeastLabelled);
  ASSERT_LT(cell(), 11);
  const std::uint64_t before = ui::line_pictures().drawn();
  const Rect area = screen().picture_place();
  const int frames = 40;
  for (int i = 0; i < frames; ++i) {
    screen().move({area.center().x + i % 2, area.center().y});
    screen().wheel(0.01F);
    screen().frame();
  }
  const std::uint64_t moving = ui::line_pictures().drawn() - before;
  EXPECT_LT(moving, static_cast<std::uint64_t>(frames)) << "three lines, upright and not, in every frame";
  screen().settle();
  EXPECT_GT(ui::line_pictures().drawn() - before, moving) << "exact once it is still";
}

/// Far into a figure, letters are larger than any texture could hold.
TEST_F(OtherLines, HaveAnySize) {
  for (const float size : {0.5F, 5.5F, 48.0F, 400.0F, 20000.0F}) {
    std::string line;
    while (line.size() < 390) line += "ש";
    ui::LinePictures& pictures = ui::line_pictures();
    screen().frame();
    const float width = pictures.width(line, {size, FontWeight::regular, 0});
    EXPECT_NEAR(width / size, 195 * 0.7, 40) << size;
  }
}

TEST_F(OtherLines, AreForgottenWhereTheyAreNotSeen) {
  ui::LinePictures& pictures = ui::line_pictures();
  for (std::size_t i = 0; i < 3 * ui::LinePictures::kMost; ++i) {
    pictures.width("ש" + std::to_string(i), {13, FontWeight::regular, 0});
    if (i % 100 == 0) screen().frame();
  }
  EXPECT_LE(pictures.held(), ui::LinePictures::kMost);
}

}  // namespace
}  // namespace attnscope::test
