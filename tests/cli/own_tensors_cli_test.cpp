// Tensors of the user's own on the command line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "refusal.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

/// A trace of ours without what says so: weights and queries of somebody else.
std::filesystem::path given_file(const TemporaryFolder& folder) {
  const std::string trace = (folder / "trace.safetensors").string();
  EXPECT_EQ(run_program({"trace", "stacked-multihead", "-o", trace}).code, 0);
  std::string bytes = bytes_of(trace);
  const std::string format = "attnscope-trace/1";
  bytes.replace(bytes.find(format), format.size(), "somebody-elses/01");
  return folder.file("own.safetensors", bytes);
}

TEST(CliOwnTensors, EveryCommandTakesAFileOfThem) {
  const TemporaryFolder folder;
  const std::string file = given_file(folder).string();
  const Outcome measured = run_program({"metrics", file, "--json"});
  ASSERT_EQ(measured.code, 0) << measured.err;
  const json own = json::parse(measured.out);
  const json computed = json::parse(run_program({"metrics", "stacked-multihead", "--json"}).out);
  ASSERT_EQ(own.size(), 1U);
  for (std::size_t head = 0; head < 4; ++head) {
    EXPECT_EQ(own[0].at("heads").at(head).at("entropy"), computed[0].at("heads").at(head).at("entropy"));
    EXPECT_EQ(own[0].at("heads").at(head).at("previous_token"), computed[0].at("heads").at(head).at("previous_token"));
  }
  const Outcome explained = run_program({"explain", file, "weights[0,1,2,3]"});
  EXPECT_NE(explained.out.find("given: weights[0, 1, 2, 3] of " + file), std::string::npos)
      << explained.out << explained.err;
  // The same weights from its queries and keys.
  const std::string again = (folder / "again.json").string();
  const Outcome traced = run_program({"trace", file, "--set", "use=queries", "-o", again});
  ASSERT_EQ(traced.code, 0) << traced.err;
  EXPECT_EQ(run_program({"figure", file, "--view", "head", "-o", (folder / "x.svg").string()}).code, 0);
}

TEST(CliOwnTensors, ComeFromStandardInputToo) {
  const TemporaryFolder folder;
  Surroundings piped;
  piped.standard_input = given_file(folder).string();
  const Outcome outcome = run_program({"metrics", "-"}, piped);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("head 4"), std::string::npos);
  expect_refused({"metrics", "-"}, 1, {"stdin: "});
}

TEST(CliOwnTensors, LabelsComeFromAFile) {
  const TemporaryFolder folder;
  const std::string file = given_file(folder).string();
  const std::string labels = folder.file("tokens.txt", "a\nb\na\nc\nb\na\n").string();
  const json measured = json::parse(run_program({"metrics", file, "--labels", labels, "--json"}).out);
  EXPECT_TRUE(measured[0].at("heads").at(0).at("induction").is_number());
  expect_refused({"metrics", file, "--labels", labels + "x"}, 1, {"tokens.txtx: No such file"});
}

TEST(CliOwnTensors, WhatIsWrongIsSaidInOneLine) {
  const TemporaryFolder folder;
  const std::string file = given_file(folder).string();
  expect_refused({"figure", file, "--view", "flow", "-o", (folder / "x.svg").string()}, 1,
                 {"view flow: What these weights were computed from is not in the file."});
  expect_refused({"metrics", file, "--set", "axes=token dim"}, 2,
                 {"--set axes: \"token dim\" is not allowed for weights [1, 4, 6, 6]; allowed: guess, "});
  expect_refused({"metrics", "own-tensors"}, 1, {"own-tensors: no file is given; allowed: open one of tensors"});
  expect_refused({"metrics", folder.file("x.npy", "GIF89a").string()}, 1, {"x.npy: "});
}

}  // namespace
}  // namespace attnscope::test
