// What is done before the process ends, whatever ends it.
#include "app/jobs/ending.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>

#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

/// How a process ended that does that, with a watch that writes a file in its last moment.
int status_of(const std::filesystem::path& file, const std::function<void(EndingWatch&)>& life) {
  const ::pid_t child = ::fork();
  if (child == 0) {
    {
      EndingWatch watch;
      const LastAct act(watch, [&] { std::ofstream(file) << "kept"; });
      life(watch);
    }
    ::_exit(77);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

void wait_for_the_end() {
  for (;;) ::pause();
}

TEST(EndingWatch, HasItDoneBeforeASignalEndsTheProcess) {
  for (const int signal : {SIGTERM, SIGHUP, SIGINT}) {
    const TemporaryFolder folder;
    const int status = status_of(folder / "file", [&](EndingWatch&) {
      ::kill(::getpid(), signal);
      wait_for_the_end();
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    EXPECT_EQ(bytes_of(folder / "file"), "kept");
  }
}

TEST(EndingWatch, HasItDoneBeforeALibraryEndsTheProcess) {
  const TemporaryFolder folder;
  const int status = status_of(folder / "file", [](EndingWatch&) { std::exit(5); });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 5) << status;
  EXPECT_EQ(bytes_of(folder / "file"), "kept");
}

TEST(EndingWatch, DoesNothingWhereTheProcessGoesOn) {
  const TemporaryFolder folder;
  const int status = status_of(folder / "file", [](EndingWatch& watch) { watch.set_last_act({}); });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 77) << status;
  EXPECT_EQ(folder.size(), 0);
}

TEST(EndingWatch, LeavesIgnoredSignalsIgnored) {
  const TemporaryFolder folder;
  const ::pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGHUP, SIG_IGN);
    {
      EndingWatch watch;
      const LastAct act(watch, [&] { std::ofstream(folder / "file") << "kept"; });
      ::kill(::getpid(), SIGHUP);
      ::usleep(50'000);
    }
    ::_exit(3);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << status;
  EXPECT_EQ(folder.size(), 0);
}

}  // namespace
}  // namespace attnscope::test
