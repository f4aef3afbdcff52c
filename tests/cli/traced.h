// The tensors that the program computes.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.h"
#include "support/temporary_folder.h"

namespace attnscope::test {

/// The tensors of the trace of `experiment`, which is written into `folder`.
inline nlohmann::json traced(const TemporaryFolder& folder, const std::string& experiment, const Arguments& options) {
  const std::string output = (folder / "trace.json").string();
  Arguments arguments = {"trace", experiment, "-o", output};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(bytes_of(output)).at("tensors");
}

}  // namespace attnscope::test
