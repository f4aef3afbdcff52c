// Progress of a command that takes long.
#pragma once

#include <unistd.h>

#include <string>

#include "io/base/printable.h"

namespace attnscope {

/// Shows progress on one line of the terminal and clears it at the end; does nothing without a terminal.
class ProgressLine {
 public:
  ProgressLine() : seen_(::isatty(STDERR_FILENO) == 1) {}
  ~ProgressLine() { show({}); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text) const {
    if (!seen_) return;
    const std::string line = "\r" + printable(text) + "\x1b[K";
    // A failure to show progress is ignored.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  }

 private:
  bool seen_;
};

}  // namespace attnscope
