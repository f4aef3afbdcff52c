#include "io/models/bundled_models.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

TEST(BundledModels, HaveTheFirstSentenceOfTheirCards) {
  const TemporaryFolder folder;
  for (const char* name : {"b", "a", "none", "bad"}) std::filesystem::create_directory(folder / name);
  for (const char* name : {"b", "a", "bad"}) folder.file(std::string(name) + "/config.json", "{}");
  folder.file("a/README.md", "# a\n\nReads `dates`\nof any kind. And more.\n\nOther text.\n");
  folder.file("bad/README.md", "\xFF");
  const std::vector<BundledModel> models = models_in(folder.path());
  ASSERT_EQ(models.size(), 3U);
  EXPECT_EQ(models[0].name, "a");
  EXPECT_EQ(models[0].summary, "Reads dates of any kind.");
  EXPECT_EQ(models[1].summary, "");
  EXPECT_EQ(models[2].folder, folder / "bad");
  EXPECT_EQ(models[2].summary, "");
}

TEST(BundledModels, EachOfTheProgramSaysWhatItIs) {
  const std::vector<BundledModel> models = bundled_models();
  ASSERT_EQ(models.size(), 4U);
  for (const BundledModel& each : models) EXPECT_FALSE(each.summary.empty()) << each.name;
}

}  // namespace
}  // namespace attnscope::test
