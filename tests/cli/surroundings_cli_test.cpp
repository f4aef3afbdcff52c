// Machines without the usual fonts.
#include <gtest/gtest.h>

#include "refusal.h"
#include "support/program.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

TEST(CliSurroundings, WithoutInterAnotherFontTakesItsPlace) {
  const TemporaryFolder folder;
  const std::string fonts =
      folder.file("fonts.conf", "<fontconfig><dir>/usr/share/fonts/truetype/dejavu</dir></fontconfig>").string();
  for (const char* name : {"a.png", "a.svg", "a.pdf"}) {
    const std::string path = (folder / name).string();
    const Outcome outcome =
        run_program({"figure", "scaled-dot-product", "-o", path}, {{{"FONTCONFIG_FILE", fonts}}, ""});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_GT(std::filesystem::file_size(path), 500U);
  }
}

TEST(CliSurroundings, WithoutAnyFontThereIsNoPictureWithoutText) {
  const TemporaryFolder folder;
  const std::string fonts = folder.file("fonts.conf", "<fontconfig></fontconfig>").string();
  for (const char* name : {"a.png", "a.pdf"}) {
    const std::string path = (folder / name).string();
    const Outcome outcome =
        run_program({"figure", "scaled-dot-product", "-o", path}, {{{"FONTCONFIG_FILE", fonts}}, ""});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("no font found; install one"), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  const std::string svg = (folder / "a.svg").string();
  EXPECT_EQ(run_program({"figure", "scaled-dot-product", "-o", svg}, {{{"FONTCONFIG_FILE", fonts}}, ""}).code, 0);
}

}  // namespace
}  // namespace attnscope::test
