// Lists of folders, and the completion of typed paths.
#include "io/desktop/folder_list.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

const std::vector<std::string> kJson = {".json"};

class FolderList : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"alpha.json", "alpine.json", "notes.txt", ".hidden.json", "zürich.json", "zörich.json"})
      folder_.file(name, "");
    std::filesystem::create_directory(folder_ / "models");
  }

  /// What `typed` in the folder becomes.
  [[nodiscard]] std::string completed(const std::string& typed) const {
    return completed_path((folder_ / typed).string(), kJson).substr(folder_.path().string().size() + 1);
  }

  TemporaryFolder folder_;
};

TEST_F(FolderList, HasFoldersFirstAndFilesOfTheEndings) {
  const std::vector<FolderEntry> expected = {
      {"models", true}, {"alpha.json", false}, {"alpine.json", false}, {"zörich.json", false}, {"zürich.json", false}};
  EXPECT_EQ(list_folder(folder_.path(), kJson), expected);
  EXPECT_EQ(list_folder(folder_.path(), {}).size(), expected.size() + 1) << "notes.txt too";
}

TEST_F(FolderList, IsEmptyWhereThereIsNoFolder) { EXPECT_TRUE(list_folder(folder_ / "none", kJson).empty()); }

TEST(FoldersAbove, EndInASlash) {
  EXPECT_EQ(folder_above("/home/anna/models/"), "/home/anna/");
  EXPECT_EQ(folder_above("/home/anna"), "/home/");
  EXPECT_EQ(folder_above("/home/"), "/");
  EXPECT_EQ(folder_above("/"), "");
  EXPECT_EQ(folder_above(""), folder_above(std::filesystem::current_path()));
  EXPECT_EQ(folder_above("../"), folder_above(std::filesystem::current_path().parent_path()));
}

TEST_F(FolderList, CompletesAsFarAsNamesAgree) {
  EXPECT_EQ(completed("a"), "alp");
  EXPECT_EQ(completed("alph"), "alpha.json");
  EXPECT_EQ(completed("mo"), "models/");
  EXPECT_EQ(completed("n"), "n") << "notes.txt has another ending";
  EXPECT_EQ(completed("q"), "q");
  EXPECT_EQ(completed(".h"), ".hidden.json");
  EXPECT_EQ(completed("z"), "z") << "ö and ü begin with the same byte";
}

TEST(FolderLists, NamesNeedNotBeUtf8) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "new");
  std::filesystem::create_directory(folder / "\xABold\xBB");
  const std::string typed = folder.path().string() + "/";
  EXPECT_EQ(completed_path(typed, kJson), typed) << "nothing in common, and nothing to take away";
}

TEST(FolderLists, OfManyFilesHaveAllFolders) {
  const TemporaryFolder folder;
  constexpr std::size_t kFiles = kMaxListed + 500;
  for (std::size_t i = 0; i < kFiles; ++i) folder.file("x" + std::to_string(i) + ".json", "");
  for (const char* name : {"xa", "xb", "y"}) std::filesystem::create_directory(folder / name);
  const std::vector<FolderEntry> listed = list_folder(folder.path(), kJson);
  ASSERT_EQ(listed.size(), kMaxListed);
  EXPECT_EQ(listed[0], (FolderEntry{"xa", true}));
  EXPECT_EQ(listed[2], (FolderEntry{"y", true}));
  EXPECT_EQ(listed[3], (FolderEntry{"x0.json", false}));
  EXPECT_EQ(completed_path((folder / "x").string(), kJson), (folder / "x").string());
  EXPECT_EQ(completed_path(folder.path().string() + "/", kJson), folder.path().string() + "/");
}

}  // namespace
}  // namespace attnscope::test
