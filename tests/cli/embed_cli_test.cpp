// Views as pages for browsers, on the command line.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "refusal.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class CliEmbed : public testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return (folder_ / "page.html").string(); }
  std::string page(Arguments arguments) {
    arguments.insert(arguments.begin(), "embed");
    arguments.insert(arguments.end(), {"-o", path()});
    const Outcome made = run_program(arguments);
    EXPECT_EQ(made.code, 0) << made.err;
    said_ = made.err;
    return bytes_of(path());
  }
  static int count(const std::string& text, const std::string& part) {
    int times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
    return times;
  }

  TemporaryFolder folder_;
  std::string said_;
};

TEST_F(CliEmbed, HasTheFigureInBothThemesAndTheWayBack) {
  const std::string text = page({"worked-example", "--view", "heads"});
  EXPECT_EQ(said_, "");
  EXPECT_TRUE(text.starts_with("<!DOCTYPE html>\n"));
  EXPECT_EQ(count(text, "<svg"), 2);
  EXPECT_NE(text.find("@media (prefers-color-scheme: dark)"), std::string::npos);
  EXPECT_NE(text.find("<code>attnscope &#39;attnscope.html#x=1."), std::string::npos);
  const Outcome caption = run_program({"figure", "worked-example", "--view", "heads", "--caption-only"});
  EXPECT_NE(text.find("seed 42; view heads"), std::string::npos);
  EXPECT_NE(caption.out.find("seed 42; view heads"), std::string::npos);
  // The colour bars of the two have names of their own.
  EXPECT_EQ(count(text, " id=\"light-viridis\""), 1);
  EXPECT_EQ(count(text, " id=\"dark-viridis\""), 1);
  EXPECT_GE(count(text, "url(#dark-viridis)"), 1);
  EXPECT_EQ(count(text, "url(#viridis)"), 0);
}

TEST_F(CliEmbed, AsksNoHostForAnything) {
  const std::string text = page({"worked-example", "--view", "heads"});
  for (const char* part : {"<script", "<link", "<img", "<iframe", "@import", "src=", "href=\"http", "url(http"})
    EXPECT_EQ(count(text, part), 0) << part;
  // Names of languages, which are no addresses.
  EXPECT_EQ(count(text, "http"), 1 + 2 * 2);
}

TEST_F(CliEmbed, WithAProgramLeadsToIt) {
  const std::string text = page({"worked-example", "--program", "https://attnscope.example/?a=b&c"});
  EXPECT_EQ(count(text, "href=\"https://attnscope.example/?a=b&amp;c#x=1."), 1);
  EXPECT_EQ(count(text, "<iframe src=\"https://attnscope.example/?a=b&amp;c#x=1."), 1);
  EXPECT_EQ(count(text, "loading=\"lazy\""), 1);
  EXPECT_EQ(count(text, "<code>"), 0);
}

TEST_F(CliEmbed, OneThemeWhereItIsNamed) {
  const std::string text = page({"worked-example", "--theme", "dark"});
  EXPECT_EQ(count(text, "<svg"), 1);
  EXPECT_EQ(count(text, "prefers-color-scheme"), 0);
}

TEST_F(CliEmbed, LabelsAreTextWhateverIsInThem) {
  const auto labels = folder_.file(
      "labels.json", R"(["</svg>", "<script>alert(1)</script>", "\"onload=\"x", "' onclick='x", "]]>", "&lt;"])");
  const std::string text = page({"worked-example", "--view", "heads", "--labels", labels.string()});
  EXPECT_EQ(count(text, "<script"), 0);
  EXPECT_EQ(count(text, "</svg>"), 2);
  EXPECT_EQ(count(text, "&lt;/svg&gt;") % 2, 0);
  EXPECT_GE(count(text, "&lt;/svg&gt;"), 2);
  EXPECT_EQ(count(text, "\"onload"), 0);
  EXPECT_EQ(count(text, "]]>"), 0);
  if (shell("xmllint --version 2>/dev/null") != 0) GTEST_SKIP() << "xmllint is not installed";
  EXPECT_EQ(shell("xmllint --nonet --noout " + path()), 0);
}

TEST_F(CliEmbed, SaysWhatCannotBe) {
  expect_refused({"embed", "worked-example"}, 2, {"--output"});
  expect_refused({"embed", "worked-example", "-o", (folder_ / "a.svg").string()}, 2, {"a name that ends in .html"});
  expect_refused({"embed", "worked-example", "--program", "a\"b", "-o", path()}, 2, {"--program: "});
  expect_refused({"embed", "worked-example", "--theme", "pink", "-o", path()}, 2, {"--theme: \"pink\""});
  EXPECT_EQ(folder_.size(), 0);
  // A baseline does not fit into a link.
  const Arguments compares = {"worked-example", "--view", "compare", "--pinned", "worked-example"};
  EXPECT_NE(page(compares).find("compared with"), std::string::npos);
  EXPECT_NE(said_.find("the page has no link: "), std::string::npos) << said_;
}

}  // namespace
}  // namespace attnscope::test
