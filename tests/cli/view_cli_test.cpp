// Measures, figures and the user's pictures on the command line.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "refusal.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

TEST(Cli, MetricsMeasureEveryHead) {
  const Outcome outcome = run_program({"metrics", "worked-example", "--set", "mask=causal", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json measured = json::parse(outcome.out);
  std::vector<std::string> tensors;
  for (const json& attention : measured) {
    tensors.push_back(attention["tensor"]);
    EXPECT_EQ(attention["distances"].size(), attention["heads"].size());
    for (const json& head : attention["heads"]) {
      EXPECT_GE(head["max_weight"].get<double>(), attention["uniform"]["max_weight"].get<double>() - 1e-6);
      EXPECT_LE(head["entropy"].get<double>(), attention["uniform"]["entropy"].get<double>() + 1e-6);
      EXPECT_EQ(head["previous_token"].is_null(), attention["keys"] != attention["queries"]) << head;
    }
  }
  EXPECT_EQ(tensors, (std::vector<std::string>{"single.weights", "single.cross_weights", "weights", "cross_weights"}));
  const Outcome table = run_program({"metrics", "packed-multihead", "--set", "batch=2", "--item", "2"});
  EXPECT_EQ(table.code, 0) << table.err;
  for (const char* word : {"weights: ", "head 1", "uniform", "previous token", "–"})
    EXPECT_NE(table.out.find(word), std::string::npos) << word << "\n" << table.out;
  expect_refused({"metrics", "packed-multihead", "--set", "batch=2", "--item", "3"}, 2, {"--item: 3", "1 to 2"});
  expect_refused({"metrics", "worked-example", "--item", "0"}, 2, {"--item: 0", "1 to 1"});
  expect_refused({"metrics", "worked-example", "--item", "2"}, 2, {"--item: 2", "1 to 1"});
}

TEST(Cli, MetricsOfALaterLayerHaveWhatItReadsOfTheEarlierOne) {
  const Outcome outcome = run_program({"metrics", "hand-made-heads", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json measured = json::parse(outcome.out);
  ASSERT_EQ(measured.size(), 2U);
  EXPECT_FALSE(measured[0].contains("composition"));
  EXPECT_FALSE(measured[0].contains("rollout"));
  EXPECT_EQ(measured[1].at("heads").at(0).at("copying"), 1.0);
  const json& composed = measured[1].at("composition").at(0);
  EXPECT_EQ(composed.at("earlier"), "weights");
  EXPECT_GT(composed.at("heads").at(0).at(0).at("key").get<double>(), 0.1);
  EXPECT_TRUE(composed.at("heads").at(0).at(1).at("key").is_null());
  ASSERT_EQ(measured[1].at("rollout").size(), 12U);
  double sum = 0;
  for (const json& share : measured[1].at("rollout").at(5)) sum += share.get<double>();
  EXPECT_NEAR(sum, 1, 1e-5);
  const std::string table = run_program({"metrics", "hand-made-heads"}).out;
  for (const char* words : {"Composition of the head with the heads of weights", "Rollout: information flow"})
    EXPECT_NE(table.find(words), std::string::npos) << table;
  EXPECT_NE(table.find("\n  to 12 "), std::string::npos) << "tokens count from 1\n" << table;
  EXPECT_EQ(table.find("\n  to 0 "), std::string::npos) << table;
}

TEST(Cli, FiguresComparedWithAPinnedExperiment) {
  const TemporaryFolder folder;
  const std::string file = (folder / "compared.svg").string();
  const auto compare = [&](const std::string& pinned) {
    return Arguments{"figure", "worked-example", "--view", "compare", "--pinned", pinned, "-o", file};
  };
  const std::string pinned =
      folder.file("pinned.json", R"({"format": "attnscope-experiment/1", "system": "worked-example", "seed": 7})");
  const Outcome outcome = run_program(compare(pinned));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  const std::string with_pinned = bytes_of(file);
  EXPECT_NE(with_pinned.find("pinned"), std::string::npos);
  // The same seed: nothing differs.
  ASSERT_EQ(run_program(compare("worked-example")).code, 0);
  const std::string with_itself = bytes_of(file);
  EXPECT_NE(with_itself, with_pinned);
  ASSERT_EQ(run_program({"figure", "worked-example", "--view", "compare", "-o", file}).code, 0);
  EXPECT_EQ(bytes_of(file).find("pinned"), std::string::npos);

  expect_refused(compare((folder / "none.json").string()), 1, {"none.json: No such file or directory"});
  expect_refused(compare("worked-exampel"), 2, {"did you mean worked-example?"});
  expect_refused({"figure", "worked-example", "--view", "heads", "--pinned", pinned, "-o", file}, 2,
                 {"--pinned: the view heads does not compare"});
}

}  // namespace
}  // namespace attnscope::test
