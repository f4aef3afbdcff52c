// Lines that ImGui cannot set: other scripts and emoji in labels and tokens.
#include "ui/imgui/outside_line.h"

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
  const std::uint64_t made = ui::line_pictures().made();
  EXPECT_GE(made, 3U);
  screen().frame(10);
  EXPECT_EQ(ui::line_pictures().made(), made);
}

TEST_F(OtherLines, AreNotMadeOfPlainLabels) {
  label({"the", "жук", "猫が", "d", "e", "f"});
  screen().frame(3);
  EXPECT_EQ(ui::line_pictures().made(), 0U);
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
