#include "figure/style/font_metrics.h"

#include <gtest/gtest.h>

#include <ios>
#include <string>
#include <string_view>

#include "core/base/utf8.h"

namespace attnscope {
namespace {

TEST(TextWidth, OfKnownCharacters) {
  EXPECT_DOUBLE_EQ(text_width("", 14), 0.0);
  EXPECT_DOUBLE_EQ(text_width("A", 1000), 676.0);
  EXPECT_DOUBLE_EQ(text_width("A", 1000, FontWeight::semibold), 724.0);
  EXPECT_DOUBLE_EQ(text_width("6 × 9", 1000), 648 + 281 + 659 + 281 + 648);
  EXPECT_DOUBLE_EQ(text_width("weights", 26), 2 * text_width("weights", 13));
}

TEST(TextWidth, DigitsAreTabular) {
  for (const FontWeight weight : {FontWeight::regular, FontWeight::semibold}) {
    for (char32_t digit = U'0'; digit <= U'9'; ++digit) {
      EXPECT_EQ(advance_width(digit, weight), weight == FontWeight::regular ? 648 : 670);
    }
  }
}

TEST(TextWidth, KnowsWhatFiguresWrite) {
  // None of these may count as unknown: each has a glyph in Inter or in DejaVu Sans.
  for (const char32_t character : U"ÄöéßñŁő ΑΩΣαβγδμπστ×·√∑‖−±→←↑↓≤≥≠≈∞…–—“”′ᵀ⁰²³ⁿ₀₁₉ᵢⱼₖₙ⊙∘⟨⟩∈") {
    if (character == U'\0') break;
    for (const FontWeight weight : {FontWeight::regular, FontWeight::semibold}) {
      EXPECT_GT(advance_width(character, weight), 100) << std::hex << static_cast<unsigned>(character);
      EXPECT_NE(advance_width(character, weight), 600) << std::hex << static_cast<unsigned>(character);
    }
  }
}

TEST(TextWidth, EstimatesTheRest) {
  EXPECT_DOUBLE_EQ(text_width("ж", 10), 6.0);
  EXPECT_DOUBLE_EQ(text_width("注意", 10), 20.0);
  EXPECT_DOUBLE_EQ(text_width("🙂", 10), 10.0);
  EXPECT_DOUBLE_EQ(text_width("e\u0301", 10), text_width("e", 10));
  EXPECT_DOUBLE_EQ(text_width("\n\t\x7F", 10), 0.0);
  EXPECT_DOUBLE_EQ(text_width(std::string_view("a\0b", 3), 10), text_width("ab", 10));
}

TEST(TextWidth, SurvivesAnyBytes) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; b += 5) {
      const std::string text{static_cast<char>(a), static_cast<char>(b), static_cast<char>(a ^ b)};
      EXPECT_GE(text_width(text, 1), 0.0);
    }
  }
}

TEST(ShortenedText, FitsAndEndsWithAnEllipsis) {
  const std::string text = "unwahrscheinlich große Wörter";
  const double whole = text_width(text, 13);
  EXPECT_EQ(shortened_text(text, whole, 13), text);
  for (double width = text_width("…", 13); width < whole; width += 3.7) {
    const std::string cut = shortened_text(text, width, 13);
    EXPECT_LE(text_width(cut, 13), width);
    ASSERT_TRUE(cut.ends_with("…"));
    const std::string kept = cut.substr(0, cut.size() - std::string("…").size());
    EXPECT_TRUE(text.starts_with(kept));
    // One more letter would not fit, and no letter is torn.
    std::string_view rest = std::string_view(text).substr(kept.size());
    const std::string_view before = rest;
    EXPECT_NE(take_code_point(rest), char32_t{0xFFFD});
    const std::string longer = kept + std::string(before.substr(0, before.size() - rest.size()));
    EXPECT_GT(text_width(longer + "…", 13), width);
  }
  EXPECT_EQ(shortened_text(text, 0, 13), "…");
}

TEST(WrappedText, HasLinesThatFitAndBreaksBeforeNoUnit) {
  constexpr double kSize = 11;
  const auto wrapped = [](const std::string& text, const std::string& as_wide_as) {
    return wrapped_text(text, text_width(as_wide_as, kSize), kSize);
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapped("", "wide"), Lines{});
  EXPECT_EQ(wrapped("one  two", "one two"), Lines{"one two"});
  EXPECT_EQ(wrapped("one two three", "one two"), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("unbreakable a", "un"), (Lines{"unbreakable", "a"})) << "a long word has a line of its own";
  EXPECT_EQ(wrapped("keeps 99.8 % of it", "keeps 99.8"), (Lines{"keeps", "99.8 % of", "it"}));
  EXPECT_EQ(wrapped("% alone", "%"), (Lines{"%", "alone"}));
}

}  // namespace
}  // namespace attnscope
