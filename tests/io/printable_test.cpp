// Text from outside for a terminal.

#include "io/base/printable.h"

#include <gtest/gtest.h>

namespace attnscope::test {
namespace {

TEST(Printable, KeepsText) {
  EXPECT_EQ(printable("Σ_dim q · kᵀ / √7 − 𝑥 \"é\""), "Σ_dim q · kᵀ / √7 − 𝑥 \"é\"");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, EscapesWhatSteersTerminals) {
  EXPECT_EQ(printable("a\nb\x1b[2J\x7f\t"), "a\\x0ab\\x1b[2J\\x7f\\x09");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // CSI in one character
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\xe2\\x80\\xaeb");  // right to left from here
  EXPECT_EQ(printable("a\xe2\x80\xa8"
                      "b"),
            "a\\xe2\\x80\\xa8b");  // a line separator
}

TEST(Printable, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("a\xc3"), "a\\xc3");                           // cut off
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
}

TEST(PathText, QuotesOnlyWhereNeeded) {
  EXPECT_EQ(path_text("/some/file-1.json"), "/some/file-1.json");
  EXPECT_EQ(path_text("größe.json"), "größe.json");
  EXPECT_EQ(path_text("a b"), "\"a b\"");
  EXPECT_EQ(path_text("a\nb"), "\"a\\x0ab\"");
  EXPECT_EQ(path_text(""), "\"\"");
}

}  // namespace
}  // namespace attnscope::test
