// Letters of other scripts in the window: fonts have them in the frame in which they are first drawn.
#include "ui/imgui/wanted_characters.h"

#include "core/base/utf8.h"
#include "interface_test.h"
#include "io/canvas/font_files.h"
#include "io/models/model_texts.h"
#include "ui/imgui/text_field.h"

namespace attnscope::test {
namespace {

// Cyrillic is in Inter, Hebrew only in DejaVu Sans. Tibetan is in neither.
constexpr ImWchar kCyrillic = 0x0436;
constexpr ImWchar kHebrew = 0x05d0;
constexpr ImWchar kTibetan = 0x0f40;

// Since 1.92 ImGui itself loads letters of the main font when they are drawn.
constexpr bool kLoadsWhatIsDrawn = IMGUI_VERSION_NUM >= 19200;

std::vector<char32_t> wanted_of(std::string_view text) {
  ui::WantedCharacters wanted;
  wanted.add(text);
  return wanted.take();
}

bool all_fonts_have(ImWchar letter) {
  for (ImFont* const font : ImGui::GetIO().Fonts->Fonts) {
    if (!ui::has_glyph(font, letter)) return false;
  }
  return true;
}

TEST(WantedCharacters, AreThoseThatFontsDoNotAlwaysHave) {
  EXPECT_EQ(wanted_of("жaא→ä√δж"), (std::vector<char32_t>{0x436, 0x5d0}));
  EXPECT_EQ(wanted_of("the cat\n\t\x7f\xc2\x85"), std::vector<char32_t>{});
}

TEST(WantedCharacters, LeaveOutWhatImGuiCannotHold) {
  EXPECT_EQ(wanted_of("😀"), std::vector<char32_t>{});
  EXPECT_EQ(wanted_of("\xff\xd0"), std::vector<char32_t>{});
  EXPECT_EQ(wanted_of("㐀䶿"), std::vector<char32_t>{}) << "stand-ins for other characters";
  EXPECT_EQ(wanted_of("一"), std::vector<char32_t>{0x4e00});
}

TEST(WantedCharacters, AreNewOnce) {
  ui::WantedCharacters wanted;
  EXPECT_FALSE(wanted.has_new());
  wanted.add("ж");
  EXPECT_TRUE(wanted.has_new());
  EXPECT_EQ(wanted.take().size(), 1U);
  wanted.add("ж");
  EXPECT_FALSE(wanted.has_new());
  wanted.add("жш");
  EXPECT_TRUE(wanted.has_new());
  EXPECT_EQ(wanted.take().size(), 2U);
}

TEST(WantedCharacters, AreLimited) {
  std::string text;
  for (char32_t letter = 0x4e00; letter < 0x9fff; ++letter) append_utf8(text, letter);
  EXPECT_EQ(wanted_of(text).size(), ui::WantedCharacters::kMost);
}

TEST(FontsWith, HaveTheCharacters) {
  const std::vector<char32_t> cyrillic = {kCyrillic};
  const std::vector<FontFile> files = fonts_with(cyrillic);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_TRUE(std::filesystem::is_regular_file(files[0].path)) << files[0].path;
  const std::vector<char32_t> none = {0x0378};
  EXPECT_TRUE(fonts_with(none).empty()) << "not assigned";
}

class OtherScripts : public Interface {
 protected:
  void label(const std::vector<std::string>& labels) {
    Experiment experiment = screen().experiment();
    experiment.labels = labels;
    InterfaceOptions options;
    options.experiment = std::move(experiment);
    start(options);
  }
};

TEST_F(OtherScripts, AreInTheFontsOfTheFirstFrame) {
  if (!kLoadsWhatIsDrawn) {
    EXPECT_FALSE(all_fonts_have(kCyrillic));
  }
  label({"жук", "אב", "c", "d", "e", "f"});
  screen().settle();
  EXPECT_TRUE(all_fonts_have(kCyrillic));
  EXPECT_TRUE(all_fonts_have(kHebrew));
  EXPECT_TRUE(all_fonts_have('a'));
  EXPECT_FALSE(screen().workbench().busy());
}

TEST_F(OtherScripts, ThatNoFontHasAreLookedForOnce) {
  if (!fonts_with(std::vector<char32_t>{kTibetan}).empty()) GTEST_SKIP() << "this machine has a font for Tibetan";
  label({"ཀ", "b", "c", "d", "e", "f"});
  screen().settle();
  EXPECT_FALSE(all_fonts_have(kTibetan));
  EXPECT_FALSE(screen().workbench().busy());
  ImFont* const font = ImGui::GetIO().Fonts->Fonts[0];
  screen().frame(5);
  EXPECT_EQ(ImGui::GetIO().Fonts->Fonts[0], font) << "the fonts were loaded again";
}

TEST_F(OtherScripts, TypedIntoAFieldAreInItsFontInThatFrame) {
  Result<Experiment> experiment =
      experiment_of_model(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models/stories");
  ASSERT_TRUE(experiment) << experiment.error().message;
  InterfaceOptions options;
  options.experiment = std::move(*experiment);
  start(options);
  screen().settle();
  screen().key_with_control('T');
  screen().frame(2);
  if (!kLoadsWhatIsDrawn) {
    ASSERT_FALSE(all_fonts_have(kCyrillic));
  }
  ImGui::GetIO().AddInputCharacter(ui::typed_in_field(kCyrillic));
  screen().frame();
  EXPECT_TRUE(all_fonts_have(kCyrillic));
  screen().settle();
  EXPECT_NE(screen().experiment().text.text.find("ж"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::test
