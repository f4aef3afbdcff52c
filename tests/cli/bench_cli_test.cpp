// attnscope bench: what it measures, and what it refuses.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "refusal.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

TEST(Cli, BenchMeasuresThisMachine) {
  const Arguments quick = {"bench", "--seconds", "0.01", "--size", "64,32,4"};
  Arguments arguments = quick;
  arguments.insert(arguments.end(), {"--json", "--threads", "1"});
  const Outcome outcome = run_program(arguments);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const json measured = json::parse(outcome.out);
  EXPECT_EQ(measured["threads"], 1);
  for (const json& limit : measured["limits"]) EXPECT_GT(limit, 0) << measured["limits"];
  ASSERT_EQ(measured["rows"].size(), 6U) << "a forward pass without a mask and with one, four updates";
  for (const json& row : measured["rows"]) {
    EXPECT_GT(row["best_ms"], 0) << row;
    EXPECT_LE(row["best_ms"], row["median_ms"]) << row;
    EXPECT_GE(row["runs"], 3) << row;
    EXPECT_GT(row["share"], 0) << row;
    // The limit is a measurement too: a share slightly above 1 is possible.
    EXPECT_LT(row["share"], 1.2) << row;
    EXPECT_NEAR(row["share"].get<double>(), row["limit_ms"].get<double>() / row["best_ms"].get<double>(), 1e-9);
  }
  EXPECT_EQ(measured["rows"][0]["mask"], "none");
  EXPECT_EQ(measured["rows"][1]["mask"], "causal");
  // 2 · 64 · (4 · 32²) for the projections, 4 · 64² · 32 for the attention.
  const double flops = measured["rows"][0]["gflops"].get<double>() * 1e6 * measured["rows"][0]["best_ms"].get<double>();
  EXPECT_NEAR(flops, 2.0 * 64 * 4 * 32 * 32 + 4.0 * 64 * 64 * 32, 1);

  arguments = quick;
  arguments.insert(arguments.end(), {"--mask", "causal", "--size", "1000000,32,1"});
  const Outcome text = run_program(arguments);
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* word : {"GFLOP/s", "GB/s", "of limit", "causal", "new seed", " %"})
    EXPECT_NE(text.out.find(word), std::string::npos) << word << " is not in\n" << text.out;
  EXPECT_EQ(text.out.find("1000000"), std::string::npos) << text.out;
  EXPECT_NE(text.err.find("is skipped: it needs 12.0 TB"), std::string::npos) << text.err;
}

TEST(Cli, BenchMeasuresThePartsOfAPass) {
  const Outcome outcome = run_program({"bench", "--breakdown", "--json", "--seconds", "0.01", "--size", "64,32,4"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json measured = json::parse(outcome.out);
  std::map<std::string, std::map<std::string, double>> flops;  // by mask and part
  std::map<std::string, std::string> limited;
  for (const json& row : measured["rows"]) {
    EXPECT_GT(row["best_ms"], 0) << row;
    const std::string work = row["work"];
    flops[row["mask"]][work] = row["gflops"].get<double>() * 1e6 * row["best_ms"].get<double>();
    limited[work] = row["limited_by"];
  }
  ASSERT_EQ(flops.size(), 2U);
  for (auto& [mask, parts] : flops) {
    // A causal mask keeps 65 of 128 scores.
    const double kept = mask == "causal" ? 65.0 / 128 : 1;
    EXPECT_NEAR(parts["projection"], 2.0 * 64 * 3 * 32 * 32, 1);
    EXPECT_NEAR(parts["output"], 2.0 * 64 * 32 * 32, 1);
    for (const char* const half : {"scores", "values"}) EXPECT_NEAR(parts[half], kept * 2 * 64 * 64 * 32, 1) << half;
    EXPECT_NEAR(parts["scores to values at once"], kept * 4 * 64 * 64 * 32, 1);
    EXPECT_NEAR(parts["all, as in a pass"], kept * 4 * 64 * 64 * 32 + 2.0 * 64 * 4 * 32 * 32, 1);
    EXPECT_EQ(parts.contains("mask"), mask == "causal");
    EXPECT_TRUE(parts.contains("copies"));
  }
  EXPECT_EQ(limited["scores"], "multiply-adds");
  EXPECT_EQ(limited["softmax"], "exponentials");
}

TEST(Cli, WrongBenchOptions) {
  expect_refused({"bench", "--breakdown", "--large"}, 2, {"--breakdown is of a forward pass"});
  expect_refused({"bench", "--size", "64,32"}, 2, {"--size \"64,32\": write TOKENS,WIDTH,HEADS"});
  expect_refused({"bench", "--size", "64,32,5"}, 2, {"--size \"64,32,5\": ", "heads"});
  for (const char* size : {"0,32,4", "64,-1,4", "64,32,x", "64,32,99999999999999999999", ""})
    expect_refused({"bench", "--size", size}, 2, {"--size"});
  for (const char* seconds : {"0", "-1", "nan", "inf", "much"})
    expect_refused({"bench", "--seconds", seconds}, 2, {"--seconds"});
  for (const char* threads : {"0", "-1", "1025", "2.5", "99999999999999999999"})
    expect_refused({"bench", "--threads", threads}, 2, {"--threads"});
  expect_refused({"bench", "--mask", "padding:3"}, 2, {"--mask"});
  expect_refused({"bench", "--jsn"}, 2, {"option \"--jsn\" is unknown to bench; did you mean --json?"});
  expect_refused({"bench", "more"}, 2, {"\"more\": unexpected argument"});
  expect_refused({"bench", "--length", "0"}, 2, {"--length"});
}

TEST(Cli, BenchMeasuresAModel) {
  const std::string models = std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/";
  Arguments arguments = {"bench", "--seconds", "0.01", "--model", models + "stories", "--length", "8"};
  arguments.insert(arguments.end(), {"--length", "97", "--length", "1"});
  const Outcome text = run_program(arguments);
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* word : {"model ", "one more token", "of limit", "reading from memory"})
    EXPECT_NE(text.out.find(word), std::string::npos) << word << " is not in\n" << text.out;
  EXPECT_NE(text.err.find("97 tokens are not allowed"), std::string::npos) << text.err;
  arguments.emplace_back("--json");
  const json rows = json::parse(run_program(arguments).out)["rows"];
  ASSERT_EQ(rows.size(), 3U) << "8 tokens, one more, and 1 token";
  for (const json& row : rows) {
    EXPECT_GT(row["best_ms"], 0) << row;
    EXPECT_GT(row["limit_ms"], 0) << row;
  }
  EXPECT_EQ(rows[1]["work"], "one more token");
  expect_refused({"bench", "--model", models + "digits"}, 1, {"digits", "allowed: models that continue a text"});
  expect_refused({"bench", "--model", models + "none"}, 1, {"none"});
}

}  // namespace
}  // namespace attnscope::test
