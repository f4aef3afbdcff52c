#include "app/jobs/figure_job.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "core/imported/imported_layers.h"
#include "core/trace/run.h"
#include "support/imported_tensors.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

FigureTask task_of(const std::shared_ptr<const Trace>& trace, const std::string& view,
                   std::vector<std::filesystem::path> outputs) {
  FigureTask task;
  task.request = {trace, 1, {view, {}}, 0, 0, nullptr, FigureFileOptions{}};
  task.source = source_of_figure(trace->experiment(), nullptr);
  task.outputs = std::move(outputs);
  return task;
}

TEST(FigureJob, WritesEveryFile) {
  const TemporaryFolder folder;
  const std::shared_ptr<const Trace> trace = *run(*default_experiment("worked-example"));
  std::atomic<int> woken = 0;
  const FigureTask task = task_of(trace, "heads", {folder / "a.svg", folder / "a.pdf"});
  FigureJob job(task, [&] { ++woken; });
  ASSERT_TRUE(job.wait(std::chrono::seconds(120)));
  const auto result = job.result();
  ASSERT_TRUE(result && *result) << (*result ? "" : result->error().message);
  EXPECT_EQ((*result)->files, task.outputs);
  EXPECT_EQ(bytes_of(folder / "a.svg"), figure_bytes(build(task.request), FigureFormat::svg, {}, &task.source).value());
  EXPECT_TRUE(bytes_of(folder / "a.pdf").starts_with("%PDF-"));
  EXPECT_FALSE(job.cancelled());
}

TEST(FigureJob, SaysWhatCannotBeWritten) {
  const TemporaryFolder folder;
  const std::shared_ptr<const Trace> trace = *run(*default_experiment("worked-example"));
  FigureJob job(task_of(trace, "heads", {folder / "no such folder" / "a.svg"}), [] {});
  ASSERT_TRUE(job.wait(std::chrono::seconds(120)));
  ASSERT_FALSE(*job.result());
  EXPECT_NE(job.result()->error().message.find("no such folder"), std::string::npos) << job.result()->error().message;
}

TEST(FigureJob, WritesNothingOnceItIsStopped) {
  const TemporaryFolder folder;
  // Measures that take seconds.
  const std::shared_ptr<const Trace> trace = *run(*experiment_on(made({{"attentions", {400, 48, 48}}})));
  FigureJob job(task_of(trace, "metrics", {folder / "a.svg"}), [] {});
  job.cancel();
  ASSERT_TRUE(job.wait(std::chrono::seconds(120)));
  ASSERT_FALSE(*job.result());
  EXPECT_EQ(job.result()->error().message, "stopped: nothing was written");
  EXPECT_TRUE(job.cancelled());
  EXPECT_EQ(folder.size(), 0);
}

TEST(FigureJob, RemovesItsFolderWhenACopyIsStoppedOrFails) {
  const TemporaryFolder folder;
  const std::shared_ptr<const Trace> trace = *run(*experiment_on(made({{"attentions", {400, 48, 48}}})));
  std::filesystem::create_directory(folder / "stopped");
  FigureTask task = task_of(trace, "metrics", {folder / "stopped" / "a.png"});
  task.to_clipboard = true;
  FigureJob stopped(task, [] {});
  stopped.cancel();
  ASSERT_TRUE(stopped.wait(std::chrono::seconds(120)));
  EXPECT_FALSE(*stopped.result());
  std::filesystem::create_directory(folder / "failed");
  // Too long for a name.
  task = task_of(*run(*default_experiment("worked-example")), "heads", {folder / "failed" / std::string(300, 'a')});
  task.to_clipboard = true;
  FigureJob failed(task, [] {});
  ASSERT_TRUE(failed.wait(std::chrono::seconds(120)));
  EXPECT_FALSE(*failed.result());
  EXPECT_EQ(folder.size(), 0);
}

TEST(FigureJob, AClipboardThatHangsIsStopped) {
  const TemporaryFolder folder;
  const std::filesystem::path program =
      folder.file("xclip", "#!/bin/sh\ntouch " + (folder / "began").string() + "\nexec sleep 100\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
  ::setenv("DISPLAY", ":99", 0);
  ::unsetenv("WAYLAND_DISPLAY");
  std::filesystem::create_directory(folder / "copy");
  FigureTask task = task_of(*run(*default_experiment("worked-example")), "heads", {folder / "copy" / "a.png"});
  task.to_clipboard = true;
  FigureJob job(task, [] {});
  for (int i = 0; i < 600 && !std::filesystem::exists(folder / "began"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  job.cancel();
  EXPECT_TRUE(job.wait(std::chrono::seconds(30)));
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(job.result() && !*job.result());
  EXPECT_EQ(job.result()->error().message, "stopped: nothing was copied");
  EXPECT_FALSE(std::filesystem::exists(folder / "copy"));
}

TEST(FigureJob, EndsWhileItWorks) {
  const TemporaryFolder folder;
  const std::shared_ptr<const Trace> trace = *run(*experiment_on(made({{"attentions", {400, 48, 48}}})));
  const FigureJob job(task_of(trace, "metrics", {folder / "a.svg"}), [] {});
}

}  // namespace
}  // namespace attnscope::test
