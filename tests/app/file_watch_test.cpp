// Files that others write while they are open.
#include "app/jobs/file_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

using namespace std::chrono_literals;

/// What has changed as soon as that is noticed, within a time that is far too long.
std::vector<std::string> changed_soon(FileWatch& watch) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  for (;;) {
    std::vector<std::string> changed = watch.take_changed();
    if (!changed.empty() || std::chrono::steady_clock::now() > end) return changed;
    std::this_thread::sleep_for(10ms);
  }
}

TEST(FileWatch, NoticesWhatOthersWrite) {
  const TemporaryFolder folder;
  const std::string a = folder.file("a.json", "one").string();
  const std::string b = folder.file("b.npz", "two").string();
  std::atomic<int> told = 0;
  FileWatch watch([&] { ++told; });
  watch.watch({a, b});
  EXPECT_TRUE(watch.take_changed().empty());
  std::ofstream(b) << "longer";
  EXPECT_EQ(changed_soon(watch), std::vector<std::string>{b});
  // It tells once the list is ready, so perhaps a moment later.
  for (int i = 0; i < 2000 && told == 0; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_GE(told, 1);
  EXPECT_TRUE(watch.take_changed().empty()) << "it is told once";
  // As programs save that are careful: another file takes its place.
  std::filesystem::rename(folder.file("new", "one"), a);
  EXPECT_EQ(changed_soon(watch), std::vector<std::string>{a});
  // One that is gone counts once it is back.
  std::filesystem::remove(a);
  std::this_thread::sleep_for(1200ms);
  EXPECT_TRUE(watch.take_changed().empty());
  std::ofstream(a) << "three";
  EXPECT_EQ(changed_soon(watch), std::vector<std::string>{a});
}

TEST(FileWatch, WhatWasWrittenFromHereIsKnown) {
  const TemporaryFolder folder;
  const std::string a = folder.file("a.json", "one").string();
  const std::string b = folder.file("b.json", "one").string();
  FileWatch watch([] {});
  watch.watch({a, b});
  std::ofstream(a) << "written from here";
  watch.know(a);
  std::ofstream(b) << "written from elsewhere";
  EXPECT_EQ(changed_soon(watch), std::vector<std::string>{b}) << "by then the other one would have been noticed too";
}

TEST(FileWatch, OneThatIsNoLongerOpenIsNotWatched) {
  const TemporaryFolder folder;
  const std::string a = folder.file("a.json", "one").string();
  const std::string b = folder.file("b.json", "one").string();
  FileWatch watch([] {});
  watch.watch({a});
  watch.watch({b});
  std::ofstream(a) << "longer";
  std::ofstream(b) << "longer";
  EXPECT_EQ(changed_soon(watch), std::vector<std::string>{b});
}

}  // namespace
}  // namespace attnscope::test
