// Checks of usage errors, failures and warnings.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/program.h"

namespace attnscope::test {

using Arguments = std::vector<std::string>;

/// Expects one line on standard error that says what is wrong, and no other output.
inline void expect_refused(const Arguments& arguments, int code, const std::vector<std::string>& fragments,
                           const Surroundings& surroundings = {}) {
  const Outcome outcome = run_program(arguments, surroundings);
  std::string command;
  for (const std::string& argument : arguments) command += " " + argument;
  EXPECT_EQ(outcome.code, code) << command << "\n" << outcome.err;
  EXPECT_EQ(outcome.out, "") << command;
  EXPECT_TRUE(outcome.err.starts_with("attnscope: ") && outcome.err.ends_with("\n")) << command << "\n" << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << command << "\n" << outcome.err;
  for (const std::string& fragment : fragments)
    EXPECT_NE(outcome.err.find(fragment), std::string::npos) << command << "\n" << outcome.err << "lacks " << fragment;
}

/// The page on which type is as large as was asked for, as a warning names it: "9.5 in"; without one, all that is said.
inline std::string roomy_page(const std::string& warning) {
  const std::string before = "; a page ";
  const std::size_t page = warning.find(before);
  const std::size_t end = warning.find(" wide", page);
  if (page == std::string::npos || end == std::string::npos) return warning;
  return warning.substr(page + before.size(), end - page - before.size());
}

}  // namespace attnscope::test
