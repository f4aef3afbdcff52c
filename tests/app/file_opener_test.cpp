// Files that are read in the background.
#include "app/jobs/file_opener.h"

#include <gtest/gtest.h>

#include <semaphore>

#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

constexpr std::chrono::seconds kLong{60};

std::string experiment_text(std::uint64_t seed) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.seed = seed;
  return experiment_json(experiment);
}

/// The seed of the experiment that is there to be taken; 0 where there is none.
std::uint64_t seed_of(const std::optional<ReadContent>& opened) {
  if (!opened || !opened->content) return 0;
  return std::get<ExperimentSource>(*opened->content).experiment.seed;
}

TEST(FileOpener, ReadsAnExperiment) {
  const TemporaryFolder folder;
  const FileRequest request = {folder.file("seven.json", experiment_text(7)).string(), FileKind::source};
  std::binary_semaphore ready(0);
  FileOpener opener([&] { ready.release(); });
  EXPECT_FALSE(opener.take());
  EXPECT_FALSE(opener.wait(kLong)) << "there is nothing to wait for";
  opener.request(request);
  ASSERT_TRUE(opener.wait(kLong));
  ready.acquire();
  const std::optional<ReadContent> opened = opener.take();
  EXPECT_EQ(seed_of(opened), 7U);
  EXPECT_EQ(opened->request, request);
  EXPECT_FALSE(opener.take()) << "it is there once";
  EXPECT_FALSE(opener.busy());
}

TEST(FileOpener, ReadsEachKind) {
  const TemporaryFolder folder;
  const FileRequest labels = {folder.file("labels.txt", "the\ncat\n").string(), FileKind::labels};
  EXPECT_EQ(std::get<1>(read_content(labels, kDefaultMemoryBudget).value()), (std::vector<std::string>{"the", "cat"}));
  const std::string picture = ATTNSCOPE_SOURCE_DIR "/tests/io/pictures/compare_small_dark.png";
  EXPECT_FALSE(std::get<2>(read_content({picture, FileKind::picture}, kDefaultMemoryBudget).value()).empty());
  std::string npy("\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 2, 1), }", 75);
  npy.resize(127, ' ');
  const FileRequest tensors = {folder.file("a.npy", npy + "\n" + std::string(8, '\0')).string(), FileKind::tensors};
  const Result<FileContent> given = read_content(tensors, kDefaultMemoryBudget);
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(std::get<3>(*given)->file(), tensors.path);
}

TEST(FileOpener, RefusesWhatCannotBeComputedOrShown) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& bytes, FileKind kind, double budget) {
    const auto path = folder.file("a b.json", bytes).string();
    const Result<FileContent> read = read_content({path, kind}, budget);
    if (read) return std::string();
    const std::string name = "\"" + path + "\": ";
    return read.error().message.starts_with(name) ? read.error().message.substr(name.size()) : read.error().message;
  };
  EXPECT_EQ(refusal(experiment_text(1), FileKind::source, kDefaultMemoryBudget), "");
  EXPECT_NE(refusal(experiment_text(1), FileKind::source, 100), "") << "more than the budget";
  EXPECT_NE(refusal("{", FileKind::source, kDefaultMemoryBudget), "");
  EXPECT_TRUE(refusal(R"({"format": "attnscope-experiment/1", "system": "worked-example", "view": {"name": "haeds"}})",
                      FileKind::source, kDefaultMemoryBudget)
                  .starts_with("view"));
  EXPECT_TRUE(refusal(R"({"format": "attnscope-experiment/1", "system": "stacked-multihead", "params": {"heads": 3}})",
                      FileKind::source, kDefaultMemoryBudget)
                  .find("heads") != std::string::npos);
  EXPECT_NE(refusal("[1]", FileKind::labels, kDefaultMemoryBudget), "");
  EXPECT_NE(refusal("x", FileKind::picture, kDefaultMemoryBudget), "");
  EXPECT_NE(refusal("x", FileKind::tensors, kDefaultMemoryBudget), "");
}

TEST(FileOpener, TheNewestRequestWins) {
  const TemporaryFolder folder;
  std::counting_semaphore<10> ready(0);
  std::counting_semaphore<10> go_on(0);
  FileOpener opener([&] {
    ready.release();
    go_on.acquire();
  });
  const auto request = [&](std::uint64_t seed) {
    opener.request({folder.file(std::to_string(seed) + ".json", experiment_text(seed)).string(), FileKind::source});
  };
  request(1);
  ready.acquire();
  // Held in its callback: of these only the last is read.
  for (std::uint64_t seed = 2; seed <= 4; ++seed) request(seed);
  EXPECT_TRUE(opener.busy());
  go_on.release();
  ready.acquire();
  EXPECT_EQ(seed_of(opener.take()), 4U);
  go_on.release(8);
}

TEST(FileOpener, WhatIsCancelledIsNotDelivered) {
  const TemporaryFolder folder;
  const FileRequest request = {folder.file("a.json", experiment_text(3)).string(), FileKind::source};
  FileOpener opener([] {});
  opener.request(request);
  ASSERT_TRUE(opener.wait(kLong));
  opener.cancel();
  EXPECT_FALSE(opener.take());
  opener.request(request);
  opener.cancel();
  EXPECT_FALSE(opener.wait(kLong));
  EXPECT_FALSE(opener.take());
}

TEST(FileOpener, EndsWithWorkWaiting) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.json", experiment_text(3)).string();
  FileOpener opener([] {});
  for (int i = 0; i < 20; ++i) opener.request({path, FileKind::source});
}

}  // namespace
}  // namespace attnscope::test
