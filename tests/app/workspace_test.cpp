// Files of the open document, and what may be written.
#include "app/session/workspace.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "io/experiments/experiment_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

/// An npy file of attention weights, 2 × 2.
std::string weights_npy() {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
  header.resize(117, ' ');
  header += '\n';
  const std::string numbers("\0\0\0?\0\0\0?\0\0\0?\0\0\0?", 16);
  return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' + header + numbers;
}

class WorkspaceTest : public ::testing::Test {
 protected:
  [[nodiscard]] Workspace open(const std::filesystem::path& path) const {
    Result<ExperimentSource> source = read_source(path);
    if (!source) throw std::runtime_error(source.error().message);
    const std::string file = source->is_other_file ? std::string() : path.string();
    return Workspace(Session(std::move(source->experiment), file, kDefaultMemoryBudget, source->version),
                     folder_ / "user", kDefaultMemoryBudget, [] {});
  }

  TemporaryFolder folder_;
};

TEST_F(WorkspaceTest, NeverWritesOverTheOpenTensors) {
  const auto tensors = folder_.file("weights.npy", weights_npy());
  std::filesystem::create_symlink(tensors, folder_ / "link.npy");
  std::filesystem::create_hard_link(tensors, folder_ / "hard.npy");
  const Workspace workspace = open(tensors);
  EXPECT_EQ(workspace.session().file(), "") << "an experiment cannot be saved there";
  for (const char* name : {"weights.npy", "link.npy", "hard.npy"}) {
    const std::filesystem::path path = folder_ / name;
    const Result<std::string> saving = workspace.question_before_saving(path.string());
    ASSERT_FALSE(saving) << name;
    EXPECT_EQ(saving.error().message, path.string() + " contains the tensors that are open here; choose another name");
    EXPECT_FALSE(workspace.question_before_writing(std::array{folder_ / "free.png", path})) << name;
  }
}

TEST_F(WorkspaceTest, WhatTheUserAgreedToIsNotAskedAgain) {
  const auto path = folder_.file("a.json", experiment_json(*default_experiment("worked-example")));
  const auto other = folder_.file("b.json", "");
  const Workspace workspace = open(path);
  EXPECT_EQ(workspace.question_before_saving(other.string()), "b.json already exists. Replace it?");
  EXPECT_EQ(workspace.question_before_saving(other.string(), std::array{other}), "");
  EXPECT_EQ(workspace.question_before_writing(std::array{other}, std::array{other}), "");
  folder_.file("c.pdf", "");
  EXPECT_EQ(workspace.question_before_writing(std::array{other, folder_ / "c.pdf"}, std::array{other}),
            "c.pdf already exists. Replace it?");
  folder_.file("a.json", "another program's");
  EXPECT_EQ(workspace.question_before_saving(path.string(), std::array{path}),
            "a.json was changed by another program since it was opened here. Replace it?")
      << "the user agreed to replace their own file, not that";
}

TEST_F(WorkspaceTest, ExportsAskBeforeTheyReplaceAndSpareTheExperiment) {
  const auto path = folder_.file("a.json", experiment_json(*default_experiment("worked-example")));
  folder_.file("b.pdf", "");
  folder_.file("c.pdf", "");
  const Workspace workspace = open(path);
  EXPECT_FALSE(workspace.question_before_writing(std::array{path}));
  EXPECT_EQ(workspace.question_before_writing(std::array{folder_ / "free.png"}), "");
  EXPECT_EQ(workspace.question_before_writing(std::array{folder_ / "b.pdf", folder_ / "free.png"}),
            "b.pdf already exists. Replace it?");
  EXPECT_EQ(workspace.question_before_writing(std::array{folder_ / "b.pdf", folder_ / "c.pdf"}),
            "b.pdf, c.pdf already exist. Replace them?");
}

TEST_F(WorkspaceTest, SavingAsksOnlyWhereSomethingWouldBeLost) {
  const auto path = folder_.file("a.json", experiment_json(*default_experiment("worked-example")));
  Workspace workspace = open(path);
  EXPECT_EQ(workspace.question_before_saving(path.string()), "");
  EXPECT_EQ(workspace.question_before_saving((folder_ / "new.json").string()), "");
  folder_.file("a.json", "{");
  EXPECT_NE(*workspace.question_before_saving(path.string()), "");
  ASSERT_TRUE(workspace.save(path.string()));
  EXPECT_EQ(workspace.question_before_saving(path.string()), "") << "it is known by now";
  // Replacing a file that is gone loses nothing.
  std::filesystem::remove(path);
  EXPECT_EQ(workspace.question_before_saving(path.string()), "");
}

TEST_F(WorkspaceTest, PathsAreAbsoluteHoweverTheyAreGiven) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  folder_.file("a.json", experiment_json(*default_experiment("worked-example")));
  Workspace workspace = open("a.json");
  ASSERT_TRUE(workspace.save("b.json"));
  std::filesystem::current_path(before);
  EXPECT_EQ(workspace.session().file(), std::filesystem::canonical(folder_ / "b.json").string());
}

}  // namespace
}  // namespace attnscope::test
