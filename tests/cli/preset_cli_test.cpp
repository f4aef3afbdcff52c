// Figures in presets and fonts on the command line.
#include <gtest/gtest.h>

#include "refusal.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class CliPreset : public testing::Test {
 protected:
  [[nodiscard]] Outcome figure(Arguments more, const char* name = "a.svg") const {
    Arguments arguments = {"figure", "worked-example", "--view", "heads", "-o", path(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] bool svg_has(const std::string& part) const {
    return bytes_of(folder_ / "a.svg").find(part) != std::string::npos;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(CliPreset, SetsTheSizeOfThePage) {
  for (const auto& [name, size] :
       {std::pair("column", "width=\"3.3in\""), std::pair("page", "width=\"6.5in\""),
        std::pair("slide", "width=\"13.3in\" height=\"7.5in\""), std::pair("square", "width=\"5in\" height=\"5in\"")}) {
    const Outcome made = figure({"--preset", name});
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.err, "");
    EXPECT_TRUE(svg_has(size)) << name;
  }
}

TEST_F(CliPreset, RefusesWhatHasNoRoomInOneLine) {
  const Arguments many = {"figure",  "worked-example", "--set",  "heads=32", "--view",
                          "metrics", "--preset",       "column", "-o",       path("a.pdf")};
  expect_refused(many, 1,
                 {"the view metrics does not fit into 3.3 in at 6 pt: its smallest text would be", "has room"});
  EXPECT_FALSE(std::filesystem::exists(path("a.pdf")));
}

TEST_F(CliPreset, HasItsOwnSizes) {
  for (const char* option : {"--width", "--height", "--font-size"})
    EXPECT_EQ(figure({"--preset", "page", option, "5"}).code, 2) << option;
  expect_refused({"figure", "worked-example", "--preset", "poster", "-o", path("b.pdf")}, 2,
                 {"--preset: \"poster\"", "column, page, slide or square"});
  expect_refused({"figure", "worked-example", "--font", "comic", "-o", path("b.pdf")}, 2,
                 {"--font: \"comic\"", "inter, serif or latex"});
}

TEST_F(CliPreset, TheFontIsNamedInTheFile) {
  EXPECT_EQ(figure({"--font", "latex", "--preset", "column"}).code, 0);
  EXPECT_TRUE(svg_has("font-family=\"'LM Roman 10', "));
  EXPECT_EQ(figure({"--font", "serif"}).code, 0);
  EXPECT_TRUE(svg_has("font-family=\"'STIX', "));
}

TEST_F(CliPreset, AFontThatIsMissingIsNamedWithItsPackage) {
  // A configuration of fonts without any but DejaVu's.
  TemporaryFolder folder;
  const std::string fonts =
      folder
          .file("fonts.conf",
                "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"urn:fontconfig:fonts.dtd\"><fontconfig>"
                "<dir>/usr/share/fonts/truetype/dejavu</dir></fontconfig>")
          .string();
  for (const auto& [font, package] : {std::pair("serif", "fonts-stix"), std::pair("latex", "fonts-lmodern")}) {
    const Arguments arguments = {"figure", "worked-example", "--font", font, "-o", path("c.pdf")};
    expect_refused(arguments, 1, {std::string("font ") + font, std::string("apt install ") + package},
                   {{{"FONTCONFIG_FILE", fonts}}, {}, "/dev/null"});
    EXPECT_FALSE(std::filesystem::exists(path("c.pdf")));
  }
}

TEST_F(CliPreset, CaptionsNeedNoFile) {
  const Outcome said =
      run_program({"figure", "worked-example", "--view", "head", "--option", "head=2", "--caption-only"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(said.out.starts_with("Attention weights of head 2 of 4, self-attention, for 6 tokens: ")) << said.out;
  EXPECT_NE(said.out.find("; seed 42; view head: head = 2; attnscope "), std::string::npos) << said.out;
}

}  // namespace
}  // namespace attnscope::test
