// UTF-8, right and wrong.
#include "core/base/utf8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope::test {
namespace {

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> found;
  while (!text.empty()) found.push_back(take_code_point(text));
  return found;
}

TEST(TakeCodePoint, ReadsUtf8) {
  EXPECT_EQ(code_points("Aé√🙂"), (std::vector<char32_t>{U'A', U'é', U'√', U'🙂'}));
  EXPECT_EQ(code_points("\xF4\x8F\xBF\xBF"), (std::vector<char32_t>{0x10FFFF}));
  EXPECT_EQ(code_points("\xEF\xBF\xBD"), (std::vector<char32_t>{0xFFFD}));
}

TEST(TakeCodePoint, ReplacesEachMaximalBadPieceOnce) {
  constexpr char32_t bad = 0xFFFD;
  EXPECT_EQ(code_points("\x80"), (std::vector<char32_t>{bad}));
  EXPECT_EQ(code_points("\xE2\x88"), (std::vector<char32_t>{bad}));
  EXPECT_EQ(code_points("\xE2\x88z"), (std::vector<char32_t>{bad, U'z'}));
  EXPECT_EQ(code_points("\xC0\xAF"), (std::vector<char32_t>{bad, bad}));                    // over-long
  EXPECT_EQ(code_points("\xED\xA0\x80"), (std::vector<char32_t>{bad, bad, bad}));           // surrogate
  EXPECT_EQ(code_points("\xF4\x90\x80\x80"), (std::vector<char32_t>{bad, bad, bad, bad}));  // beyond U+10FFFF
  EXPECT_EQ(code_points("\xFF\xFE"), (std::vector<char32_t>{bad, bad}));
}

TEST(TakeCodePoint, GetsThroughAnyBytes) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; b += 5) {
      const std::string text{static_cast<char>(a), static_cast<char>(b), static_cast<char>(a ^ b)};
      EXPECT_LE(code_points(text).size(), 3U);
      EXPECT_EQ(is_utf8(text), text.find("\xEF\xBF\xBD") != std::string::npos ||
                                   std::ranges::count(code_points(text), kReplacementCharacter) == 0);
    }
  }
}

TEST(AppendUtf8, WritesWhatIsReadBack) {
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (point == 0xD800) point = 0xE000;
    std::string text;
    append_utf8(text, point);
    const Utf8Character read = first_character(text);
    ASSERT_TRUE(read.valid) << static_cast<unsigned>(point);
    ASSERT_EQ(read.point, point);
    ASSERT_EQ(read.bytes, text.size());
    ASSERT_EQ(character_count(text), 1U);
  }
}

TEST(AppendUtf8, ReplacesWhatIsNoCharacter) {
  for (const char32_t point : {0xD800U, 0xDFFFU, 0x110000U, 0xFFFFFFFFU}) {
    std::string text = "a";
    append_utf8(text, point);
    EXPECT_EQ(text, "a\xEF\xBF\xBD");
  }
}

TEST(FirstCharacter, TellsThePieceThatIsWrong) {
  EXPECT_FALSE(first_character("\xE2\x88z").valid);
  EXPECT_EQ(first_character("\xE2\x88z").bytes, 2U);
  EXPECT_EQ(first_character("\xC0\xAF").bytes, 1U);
  EXPECT_TRUE(first_character("\xEF\xBF\xBD").valid) << "the replacement character itself is one";
}

TEST(IsUtf8, RefusesEveryWrongForm) {
  for (const char* const text : {"", "a", "é√🙂", "\xEF\xBF\xBD"}) EXPECT_TRUE(is_utf8(text)) << text;
  EXPECT_TRUE(is_utf8(std::string_view("\0", 1)));
  for (const char* const text : {"\xff", "a\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

TEST(CharacterCount, CountsCharactersNotBytes) {
  EXPECT_EQ(character_count(""), 0U);
  EXPECT_EQ(character_count("√7"), 2U);
  EXPECT_EQ(character_count("é√🙂"), 3U);
}

TEST(Utf8Prefix, TearsNoCharacter) {
  const std::string text = "aé√🙂";  // 1, 2, 3 and 4 bytes
  const std::vector<std::size_t> expected = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (std::size_t most = 0; most < expected.size(); ++most)
    EXPECT_EQ(utf8_prefix(text, most), text.substr(0, expected[most])) << most;
  // Bytes that continue nothing are cut anywhere, and without going far back for it.
  const std::string wrong(100, '\x80');
  EXPECT_EQ(utf8_prefix(wrong, 50).size(), 50U);
}

}  // namespace
}  // namespace attnscope::test
