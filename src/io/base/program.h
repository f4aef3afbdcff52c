// Other programs, run without a shell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"

namespace attnscope {

/// How a program is run.
struct ProgramCall {
  std::vector<std::string> words;                  ///< its name, which PATH leads to, and its arguments
  std::filesystem::path input = "/dev/null";       ///< its standard input
  std::filesystem::path folder = {};               ///< where it runs; empty: where we are
  std::filesystem::path complaints = "/dev/null";  ///< the file that gets what it says on standard error
};

enum class ProgramEnd { missing, done, failed, stopped };

/// Runs it to its end, or until it is asked to stop, which kills it. Its standard output goes nowhere. `missing`: there
/// is no program of that name; `failed`: it ended with a code other than 0, or by a signal. An error is one of the
/// system's.
Result<ProgramEnd> run_to_end(const ProgramCall& call, const StopToken& stop = {});

/// How a program ended, and what it wrote to its standard output.
struct ProgramOutput {
  ProgramEnd end = ProgramEnd::missing;
  int code = 0;  ///< that it ended with, where it ended by itself
  std::string output = {};
};

/// Runs it like `run_to_end`, and returns its standard output instead of dropping it.
Result<ProgramOutput> run_and_read(const ProgramCall& call, const StopToken& stop = {});

/// Whether PATH leads to a program of that name, as far as that can be seen without running it.
bool has_program(const std::string& name);

}  // namespace attnscope
