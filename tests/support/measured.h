// What something takes, measured in a process of its own.
#pragma once

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace attnscope::test {

struct Measured {
  bool finished = false;    ///< it ended by itself
  std::uint64_t bytes = 0;  ///< of memory at most, those that the process has anyway left out
  double seconds = 0;       ///< of a processor
  std::string text;         ///< what the function returned
};

/// Runs `work`, which returns a text, in a copy of this process.
template <typename Work>
Measured measured_alone(const Work& work) {
  Measured measured;
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return measured;
  ::malloc_trim(0);  // what is free here the copy would use, and it would not be counted
  const pid_t child = ::fork();
  if (child == 0) {
    // As in a new process: what was freed before raises both, and the heap would then keep what is free.
    ::mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    ::mallopt(M_TRIM_THRESHOLD, 128 * 1024);
    const std::string text = work();
    const bool written = ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = ::read(ends[0], piece.data(), piece.size())) > 0;)
    measured.text.append(piece.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  rusage used = {};
  if (::wait4(child, &status, 0, &used) != child) return measured;
  measured.finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  measured.bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  measured.seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  return measured;
}

/// The same, without what a copy of this process takes that does nothing.
template <typename Work>
Measured measured_alone_beyond_idle(const Work& work) {
  const Measured idle = measured_alone([] { return std::string(); });
  Measured measured = measured_alone(work);
  measured.bytes -= std::min(measured.bytes, idle.bytes);
  return measured;
}

}  // namespace attnscope::test
