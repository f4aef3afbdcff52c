// Lines of text as images, in scripts that are not set letter by letter from left to right.
#include "io/canvas/text_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace attnscope::test {
namespace {

constexpr double kSize = 40;
constexpr Rgb kInk = {10, 200, 30};

TextImage image_of(std::string_view text) { return draw_line_of_text(text, kSize, FontWeight::regular, kInk); }
int advance_of(std::string_view text) { return line_advance(text, kSize, FontWeight::regular); }

/// The alpha of all pixels of each column, from where the text begins to where it ends.
std::vector<int> ink_by_column(std::string_view text) {
  const TextImage image = image_of(text);
  const int advance = advance_of(text);
  std::vector<int> ink(static_cast<std::size_t>(advance), 0);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const int column = std::clamp(image.left + x, 0, advance - 1);
      ink[static_cast<std::size_t>(column)] += image.rgba[static_cast<std::size_t>(4 * (y * image.width + x) + 3)];
    }
  }
  return ink;
}

/// How far the ink of `part` is from that of `whole` from `column` on, as a share of the ink of `part`.
double unlikeness(const std::vector<int>& whole, std::size_t column, const std::vector<int>& part) {
  double apart = 0;
  double all = 0;
  for (std::size_t x = 0; x < part.size(); ++x) {
    apart += std::abs((column + x < whole.size() ? whole[column + x] : 0) - part[x]);
    all += part[x];
  }
  return apart / all;
}

TEST(TextImage, HasTheColourAndTheLettersOnly) {
  const TextImage image = image_of("l");
  ASSERT_GT(image.width, 0);
  ASSERT_EQ(image.rgba.size(), static_cast<std::size_t>(4 * image.width * image.height));
  EXPECT_LT(image.width, kSize / 2);
  EXPECT_EQ(image.top, -image.height) << "stands on the baseline";
  EXPECT_NEAR(image.height, kSize * 0.75, kSize * 0.1);
  int opaque = 0;
  for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
    if (image.rgba[i + 3] < 128) continue;
    ++opaque;
    EXPECT_NEAR(image.rgba[i], kInk.red, 2);
    EXPECT_NEAR(image.rgba[i + 1], kInk.green, 2);
    EXPECT_NEAR(image.rgba[i + 2], kInk.blue, 2);
  }
  EXPECT_GT(opaque, 0);
}

TEST(TextImage, RunsFromRightToLeftInHebrew) {
  const std::vector<int> both = ink_by_column("אב");
  const std::vector<int> first = ink_by_column("א");
  const std::vector<int> second = ink_by_column("ב");
  const std::size_t right = both.size() - first.size();
  EXPECT_LT(unlikeness(both, right, first), 0.3);
  EXPECT_LT(unlikeness(both, 0, second), 0.3);
  EXPECT_GT(unlikeness(both, 0, first), 0.5) << "the test sees a difference";
}

TEST(TextImage, JoinsArabicLetters) {
  // Two of the same letter: joined, the line between them has no gap.
  const std::vector<int> joined = ink_by_column("بب");
  const auto begin = std::find_if(joined.begin(), joined.end(), [](int ink) { return ink > 0; });
  const auto end = std::find_if(joined.rbegin(), joined.rend(), [](int ink) { return ink > 0; }).base();
  EXPECT_TRUE(std::all_of(begin, end, [](int ink) { return ink > 0; }));
  EXPECT_LT(joined.size(), 2 * ink_by_column("ب").size());
}

TEST(TextImage, PutsMarksOnLetters) {
  const TextImage plain = image_of("x");
  const TextImage marked = image_of("x\u0302");
  EXPECT_EQ(advance_of("x\u0302"), advance_of("x"));
  EXPECT_GT(marked.height, plain.height);
}

TEST(TextImage, OfNothingIsNothing) {
  for (const char* const text : {"", " ", "\u200d"}) {
    const TextImage image = image_of(text);
    EXPECT_EQ(image.width, 0) << text;
    EXPECT_TRUE(image.rgba.empty()) << text;
  }
  EXPECT_GT(advance_of(" "), 0);
}

TEST(TextImage, TakesBytesThatAreNoText) {
  EXPECT_GT(image_of("\xff\xfe").width, 0) << "replacement characters";
  EXPECT_GT(image_of("a\nb").width, 0);
}

}  // namespace
}  // namespace attnscope::test
