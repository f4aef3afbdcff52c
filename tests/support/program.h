// The program, run as a user would.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace attnscope::test {

struct Outcome {
  int code = -1;  ///< exit code; −1 when it crashed
  std::string out;
  std::string err;
  double peak_megabytes = 0;  ///< of memory that it had at once
};

struct Surroundings {
  std::map<std::string, std::string> environment;  ///< all there is
  std::string standard_output;                     ///< a file to write to; "-" is closed; empty: see Outcome
  std::string standard_input = "/dev/null";        ///< a file to read from
};

/// Runs attnscope with these arguments. There is no display, no HOME and no locale unless `surroundings` has them.
inline Outcome run_program(const std::vector<std::string>& arguments, const Surroundings& surroundings = {}) {
  const TemporaryFolder folder;
  const std::string out =
      surroundings.standard_output.empty() ? (folder / "out").string() : surroundings.standard_output;
  const std::string err = (folder / "err").string();
  std::vector<std::string> variables;
  for (const auto& [name, value] : surroundings.environment) variables.push_back(name + "=" + value);
  // What the sanitizers are told is no part of that: they check the program, whatever it is run in.
  for (const char* name : {"ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) variables.push_back(std::string(name) + "=" + value);
  }
  std::vector<char*> argv = {const_cast<char*>(ATTNSCOPE_PROGRAM)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);

  const ::pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(surroundings.standard_input.c_str(), O_RDONLY), 0);
    ::close(1);
    if (out != "-") ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    if (out == "-") ::close(1);
    ::execve(ATTNSCOPE_PROGRAM, argv.data(), environment.data());
    ::_exit(127);
  }
  int status = 0;
  struct rusage used = {};
  ::wait4(child, &status, 0, &used);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, surroundings.standard_output.empty() ? bytes_of(out) : "",
          bytes_of(err), static_cast<double>(used.ru_maxrss) / 1000};
}

}  // namespace attnscope::test
