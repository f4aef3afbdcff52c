// The folders in which attnscope looks for its files.

#include "io/base/data_files.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class DataFiles : public testing::Test {
 protected:
  void SetUp() override { ::setenv("ATTNSCOPE_DATA", folder_.path().c_str(), 1); }
  void TearDown() override { ::unsetenv("ATTNSCOPE_DATA"); }

  TemporaryFolder folder_;
};

TEST_F(DataFiles, TheVariableComesFirst) {
  std::filesystem::create_directory(folder_ / "things");
  folder_.file("things/one", "");
  EXPECT_EQ(*data_file("things/one"), folder_ / "things/one");
  EXPECT_EQ(data_folders().front(), folder_.path());
  EXPECT_EQ(data_folders().size(), 3U);
}

TEST_F(DataFiles, TheErrorNamesWhereItLooked) {
  const Result<std::filesystem::path> none = data_file("things/none");
  ASSERT_FALSE(none);
  EXPECT_TRUE(is_one_line(none.error().message));
  for (const std::filesystem::path& folder : data_folders())
    EXPECT_NE(none.error().message.find(folder.string()), std::string::npos);
  EXPECT_NE(none.error().message.find("things/none"), std::string::npos);
}

TEST_F(DataFiles, WithoutTheVariableTheProgramsFolderCounts) {
  ::setenv("ATTNSCOPE_DATA", "", 1);
  ASSERT_EQ(data_folders().size(), 2U);
  EXPECT_TRUE(data_folders()[1].string().ends_with("/share/attnscope"));
}

}  // namespace
}  // namespace attnscope::test
