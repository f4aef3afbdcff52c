// Measures, figures and the user's pictures on the command line.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

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
  for (const char* word : {"weights: ", "head 1", "uniform", "previous token", "–", "layer"})
    EXPECT_NE(table.out.find(word), std::string::npos) << word << "\n" << table.out;
  expect_refused({"metrics", "packed-multihead", "--set", "batch=2", "--item", "3"}, 2, {"--item: 3", "1 to 2"});
  expect_refused({"metrics", "worked-example", "--item", "0"}, 2, {"--item: 0", "1 to 1"});
  expect_refused({"metrics", "worked-example", "--item", "2"}, 2, {"--item: 2", "1 to 1"});
}

TEST(Cli, MetricsOfAllItemsHaveTheirSpread) {
  const std::vector<std::string> command = {"metrics", "packed-multihead", "--set", "batch=3", "--item", "all"};
  const auto with = [&](const char* option) {
    std::vector<std::string> arguments = command;
    if (*option != '\0') arguments.emplace_back(option);
    return run_program(arguments);
  };
  const Outcome outcome = with("--json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json all = json::parse(outcome.out)[0];
  EXPECT_EQ(all["items"], 3);
  double sum = 0;
  for (const char* const item : {"1", "2", "3"}) {
    const Outcome one = run_program({"metrics", "packed-multihead", "--set", "batch=3", "--item", item, "--json"});
    sum += json::parse(one.out)[0]["heads"][1]["entropy"].get<double>();
  }
  EXPECT_NEAR(all["heads"][1]["entropy"].get<double>(), sum / 3, 1e-12);
  EXPECT_GT(all["heads"][1]["spread"]["entropy"].get<double>(), 0);
  const std::string table = with("").out;
  for (const char* const words :
       {"mean and spread (standard deviation) of 3 batch items", "  mean    ", "  spread  0.0"})
    EXPECT_NE(table.find(words), std::string::npos) << words << "\n" << table;
  EXPECT_NE(with("--csv").out.find(",copying,entropy_spread,"), std::string::npos);
  expect_refused({"metrics", "worked-example", "--item", "some"}, 2, {"--item: \"some\"", "from 1 to 1, or all"});
  expect_refused({"metrics", "hand-made-heads", "--item", "all", "--rollout"}, 2, {"--rollout", "--item N"});
  expect_refused({"metrics", "hand-made-heads", "--csv", "--rollout"}, 2, {"--csv", "--rollout"});
  const Outcome none = run_program({"metrics", "worked-example", "--rollout"});
  EXPECT_EQ(none.code, 0);
  EXPECT_NE(none.err.find("--rollout: it follows attention through several layers, and there is one"),
            std::string::npos)
      << none.err;
}

TEST(Cli, MetricsOfALaterLayerHaveWhatItReadsOfTheEarlierOne) {
  EXPECT_EQ(run_program({"metrics", "hand-made-heads", "--json"}).out.find("rollout"), std::string::npos)
      << "only where it is asked for: it is as large as the weights";
  EXPECT_EQ(run_program({"metrics", "hand-made-heads"}).out.find("Rollout"), std::string::npos);
  const Outcome outcome = run_program({"metrics", "hand-made-heads", "--json", "--rollout"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json measured = json::parse(outcome.out);
  ASSERT_EQ(measured.size(), 2U);
  EXPECT_EQ(measured[1].at("layer"), 2);
  EXPECT_EQ(measured[1].at("heads").at(0).at("layer"), 2);
  EXPECT_EQ(measured[0].at("heads").at(6).at("head"), 7);
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
  const std::string table = run_program({"metrics", "hand-made-heads", "--rollout"}).out;
  for (const char* words :
       {"Composition of the head of layer2.weights with the heads of weights", "Rollout: information flow"})
    EXPECT_NE(table.find(words), std::string::npos) << table;
  EXPECT_NE(table.find("\n  to 12 "), std::string::npos) << "tokens count from 1\n" << table;
  EXPECT_EQ(table.find("\n  to 0 "), std::string::npos) << table;
}

/// The lines of a text.
std::vector<std::string> printed_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Cli, MetricsAreSortedOverAllLayers) {
  const Outcome sorted = run_program({"metrics", "hand-made-heads", "--sort", "induction", "--top", "2", "--csv"});
  ASSERT_EQ(sorted.code, 0) << sorted.err;
  const std::vector<std::string> lines = printed_lines(sorted.out);
  ASSERT_EQ(lines.size(), 1U + 2 + 2) << sorted.out;
  EXPECT_TRUE(lines[0].starts_with("tensor,layer,head,queries,keys,entropy,")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("\"layer2.weights\",2,1,12,12,")) << lines[1];
  EXPECT_TRUE(lines[3].starts_with("\"weights\",1,uniform,12,12,")) << lines[3];
  const std::string table = run_program({"metrics", "hand-made-heads", "--sort", "previous_token"}).out;
  std::size_t marked = 0;
  for (const std::string& line : printed_lines(table)) {
    if (line.find("← largest previous token") == std::string::npos) continue;
    ++marked;
    EXPECT_TRUE(line.starts_with("  1      head 1")) << line;
  }
  EXPECT_EQ(marked, 1U) << table;
  const json of_layer = json::parse(run_program({"metrics", "hand-made-heads", "--layer", "2", "--json"}).out);
  ASSERT_EQ(of_layer.size(), 1U);
  EXPECT_EQ(of_layer[0].at("tensor"), "layer2.weights");
  expect_refused({"metrics", "hand-made-heads", "--sort", "size"}, 2,
                 {"--sort: \"size\" is not allowed; allowed: entropy, entropy_share, "});
  expect_refused({"metrics", "hand-made-heads", "--layer", "3"}, 2, {"--layer: 3 is not allowed", "from 1 to 2"});
  expect_refused({"metrics", "hand-made-heads", "--top", "0"}, 2, {"--top: 0 is not allowed"});
  EXPECT_EQ(run_program({"metrics", "hand-made-heads", "--csv", "--json"}).code, 2);
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
