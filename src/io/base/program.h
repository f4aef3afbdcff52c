// Other programs, run without a shell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"

namespace attnscope {

/// How to run a program.
struct ProgramCall {
  std::vector<std::string> words;                  ///< its name, which is looked up in PATH, and its arguments
  std::filesystem::path input = "/dev/null";       ///< its standard input
  std::filesystem::path folder = {};               ///< where it runs; empty: the current folder
  std::filesystem::path complaints = "/dev/null";  ///< the file for its standard error
};

enum class ProgramEnd { missing, done, failed, stopped };

/// Runs it until it ends, or until a stop is requested, which kills it. Its standard output is discarded. `missing`: no
/// program has that name; `failed`: it ended with a code other than 0, or by a signal. Errors are the system's.
Result<ProgramEnd> run_to_end(const ProgramCall& call, const StopToken& stop = {});

/// How a program ended, and what it wrote to its standard output.
struct ProgramOutput {
  ProgramEnd end = ProgramEnd::missing;
  int code = 0;  ///< its exit code, if it ended by itself
  std::string output = {};
};

/// Runs it like `run_to_end`, and returns its standard output instead of discarding it.
Result<ProgramOutput> run_and_read(const ProgramCall& call, const StopToken& stop = {});

/// Whether PATH leads to a program of that name, as far as that is visible without running it.
bool has_program(const std::string& name);

}  // namespace attnscope
