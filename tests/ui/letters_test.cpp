// Nobody has to read letters smaller than 11 pixels, or 16 while presenting, in small windows either: every view of every
// system and every step of every lesson, letter by letter.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/utf8.h"
#include "interface_test.h"
#include "offscreen/window_texts.h"
#include "support/sanitized.h"
#include "ui/parts/presented_step.h"

namespace attnscope::test {
namespace {

constexpr double kLeastLetter = TypeSize::kSmall;
constexpr double kLeastLabel = 9;
// Rounding to whole pixels.
constexpr double kSmallerUnnoticed = 0.3;

/// Whether it is as small as it may be: a subscript or superscript of letters that are large enough, or in the figure,
/// which is not shown smaller, what stands beside cells and rows. That has at least nine pixels where otherwise only some
/// of it could be shown.
bool may_be_small(const SeenLetter& letter, double unit) {
  for (const double base : {TypeSize::kSmall, TypeSize::kBody, TypeSize::kTitle}) {
    if (std::abs(letter.size - base * kScriptSize * unit) < kSmallerUnnoticed * unit / 3) return true;
  }
  return letter.window.find("picture") != std::string::npos && letter.size >= (kLeastLabel - kSmallerUnnoticed) * unit;
}

class Letters : public Interface {
 protected:
  void SetUp() override {
    if (IMGUI_VERSION_NUM >= 19200) GTEST_SKIP() << "letters are read from ImGui up to 1.91";
  }

  void start_at(const WindowSize& size) {
    InterfaceOptions options;
    options.width = size.width;
    options.height = size.height;
    options.scale = size.scale;
    options.lessons = lessons();
    start(options);
    size_ = size;
    unit_ = static_cast<double>(size.scale);
  }

  void present() {
    screen().key_with_shift(kF11);
    screen().settle();
    unit_ = static_cast<double>(size_.scale) * ui::presenting_size(size_.width / static_cast<double>(size_.scale),
                                                                   size_.height / static_cast<double>(size_.scale));
  }

  [[nodiscard]] static const std::vector<LessonFile>& lessons() {
    static const std::vector<LessonFile> all = lessons_in(ATTNSCOPE_SOURCE_DIR "/assets/lessons");
    return all;
  }

  void apply(const Edit& edit) {
    ASSERT_TRUE(screen().workbench().workspace().session().apply({edit, 0}));
    screen().settle();
  }

  /// Notes the smallest letter of each part of the window that is smaller than it may be.
  void look(const std::string& about) {
    ++looks_;
    const double shrunk = screen().transform().type_scale / unit_;
    std::map<std::string, double> smallest;
    if (shrunk < 1 - 0.02) smallest["figure"] = shrunk * kLeastLetter;
    for (const SeenLetter& letter : seen_letters()) {
      ++letters_;
      if (letter.size >= (kLeastLetter - kSmallerUnnoticed) * unit_ || may_be_small(letter, unit_)) continue;
      const std::string part =
          letter.window.find("picture") != std::string::npos ? "figure" : std::string(letter.window);
      const auto [found, is_new] = smallest.try_emplace(part, letter.size / unit_);
      found->second = std::min(found->second, letter.size / unit_);
    }
    for (const auto& [part, size] : smallest) found_[kind_ + ", " + about + ", " + part] = size;
  }

  void look_at_views() {
    kind_ = size_text() + " views";
    for (const System& system : systems()) {
      if (kSanitized && &system != systems().data()) continue;
      apply(SetSystem{system.name});
      for (const View& view : views()) {
        if (!missing_for(view, screen().trace()).empty()) continue;
        apply(SetView{view.name});
        look(system.name + " " + view.name);
      }
    }
  }

  void look_at_lessons(const std::string& how) {
    kind_ = size_text() + " " + how;
    for (const LessonFile& file : lessons()) {
      if (kSanitized && &file != &lessons()[1]) continue;
      apply(OpenLesson{*file.lesson});
      for (std::size_t i = 0; i < (*file.lesson)->steps.size(); ++i) {
        if (i > 0) apply(GoToStep{i});
        look(file.name + " " + std::to_string(i + 1));
      }
    }
    apply(CloseLesson{});
  }

  [[nodiscard]] std::string size_text() const {
    return std::to_string(size_.width) + "x" + std::to_string(size_.height);
  }

  void expect_none_small() {
    EXPECT_GT(letters_, 100 * looks_) << "the letters are not found among what ImGui draws";
    for (const auto& [place, size] : found_) EXPECT_GE(size, kLeastLetter - kSmallerUnnoticed) << place;
  }

  WindowSize size_ = {};
  double unit_ = 1;  ///< pixels per logical pixel
  std::string kind_;
  std::map<std::string, double> found_;
  long looks_ = 0;
  long letters_ = 0;
};

/// What stands in a panel, without blanks, which are not drawn.
std::string letters_in(std::string_view panel) {
  std::string text;
  for (const SeenLetter& letter : seen_letters()) {
    if (letter.letter != 0 && letter.window.starts_with(panel)) append_utf8(text, letter.letter);
  }
  return text;
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

TEST_F(Letters, WhileAModelIsPresentedItsTextsStandBesideTheFigure) {
  start_at({1280, 720, 1});
  const auto found =
      std::ranges::find_if(lessons(), [](const LessonFile& file) { return file.name.starts_with("13-"); });
  ASSERT_NE(found, lessons().end());
  apply(OpenLesson{*found->lesson});
  apply(GoToStep{5});
  const std::string text = without_blanks(screen().experiment().text.text);
  const std::string patched_from = without_blanks(screen().experiment().patch_text.text);
  ASSERT_FALSE(text.empty());
  ASSERT_FALSE(patched_from.empty());
  present();
  EXPECT_NE(letters_in("Lesson").find("TEXT" + text), std::string::npos) << letters_in("Lesson");
  EXPECT_NE(letters_in("Lesson").find("TEXTTOPATCHFROM" + patched_from), std::string::npos) << letters_in("Lesson");
  // There they have boxes.
  screen().key_with_control('[');
  screen().settle();
  ASSERT_TRUE(screen().is_open("Text"));
  EXPECT_EQ(letters_in("Lesson").find(patched_from), std::string::npos);
  EXPECT_NE(letters_in("Text").find("TEXTTOPATCHFROM"), std::string::npos) << letters_in("Text");
}

class LettersInSmallWindows : public Letters, public testing::WithParamInterface<WindowSize> {};

TEST_P(LettersInSmallWindows, OfViewsCanBeRead) {
  start_at(GetParam());
  look_at_views();
  expect_none_small();
}

TEST_P(LettersInSmallWindows, OfLessonsCanBeRead) {
  start_at(GetParam());
  look_at_lessons("lessons");
  expect_none_small();
}

// The same logical sizes: while presenting, everything is larger.
TEST_P(LettersInSmallWindows, OfPresentedLessonsCanBeRead) {
  start_at(GetParam());
  present();
  look_at_lessons("presented");
  expect_none_small();
}

INSTANTIATE_TEST_SUITE_P(Windows, LettersInSmallWindows,
                         testing::Values(WindowSize{1024, 700, 1}, WindowSize{1280, 720, 1}, WindowSize{1280, 800, 1},
                                         WindowSize{1920, 1080, 1}),
                         [](const auto& size) {
                           return std::to_string(size.param.width) + "x" + std::to_string(size.param.height);
                         });

}  // namespace
}  // namespace attnscope::test
