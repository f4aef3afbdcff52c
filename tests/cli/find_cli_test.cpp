// `attnscope metrics --find`: the heads of a trained model by name.
#include <nlohmann/json.hpp>
#include <sstream>

#include "refusal.h"
#include "support/tiny_model.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

const std::string kModels = ATTNSCOPE_SOURCE_DIR "/assets/models/";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(CliFind, TestsWithTheInterventionsThatMeanTheSameForAnyText) {
  const std::string model = kModels + "induction";
  const Outcome outcome =
      run_program({"metrics", model, "--find", "--json", "--off", "layer1.head2", "--mean", "layer1.head4"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const nlohmann::json found = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(found.at("interventions"), nlohmann::json({"layer1.head2 off", "layer1.head4 mean"}));
  for (const nlohmann::json& head : found.at("heads")) {
    if (head.at("layer") != 2) continue;
    EXPECT_LT(head.at("measures").at("induction").at("value").get<double>(), 0.3) << head;
  }
  const std::string table = run_program({"metrics", model, "--find", "--off", "layer1.head2"}).out;
  EXPECT_NE(table.find(" (off)  "), std::string::npos) << "in the row of the head\n" << table;
  EXPECT_EQ(table.find(" (off)  "), table.rfind(" (off)  ")) << "and in no other\n" << table;
  EXPECT_NE(table.find("; with layer 1, head 2 off;"), std::string::npos);
  const Outcome partly = run_program({"metrics", model, "--find", "--off", "layer1.head2@3"});
  EXPECT_EQ(partly.out, run_program({"metrics", model, "--find"}).out);
  EXPECT_NE(partly.err.find("the test leaves them out"), std::string::npos) << partly.err;
  expect_refused({"metrics", model, "--find", "--off", "layer9.head2"}, 1, {"this model has no layer9.head2"});
}

TEST(CliFind, NamesTheHeadsOfAModel) {
  const Outcome outcome = run_program({"metrics", kModels + "induction", "--find"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << "progress is for terminals";
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_GE(lines.size(), 12U);
  EXPECT_EQ(lines[0], "25 random tokens, repeated; means over 4 texts");
  EXPECT_TRUE(lines[5].starts_with("  1      head 2  previous token  previous token  0.99")) << lines[5];
  EXPECT_TRUE(lines[6].starts_with("  1      head 3  –               previous token  0.16")) << lines[6];
  EXPECT_TRUE(lines[8].starts_with("  2      head 1  induction       induction       0.94")) << lines[8];
  EXPECT_NE(outcome.out.find("prefix matching score"), std::string::npos);
  EXPECT_EQ(outcome.out.find("without first"), std::string::npos);
}

TEST(CliFind, HasEveryMeasureInJson) {
  const Outcome outcome = run_program({"metrics", kModels + "stories", "--find", "--json", "--layer", "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json found = json::parse(outcome.out);
  EXPECT_EQ(found.at("random_tokens"), 25);
  EXPECT_EQ(found.at("texts"), 4);
  EXPECT_EQ(found.at("first_token"), json({{"id", 0}, {"text", "<|endoftext|>"}}));
  ASSERT_EQ(found.at("heads").size(), 4U);
  const json& head = found.at("heads").at(2);
  EXPECT_EQ(head.at("tensor"), "layer1.weights");
  EXPECT_EQ(head.at("layer"), 1);
  EXPECT_EQ(head.at("head"), 3);
  EXPECT_EQ(head.at("name"), "previous_token");
  EXPECT_TRUE(found.at("heads").at(0).at("name").is_null());
  for (const char* const texts : {"measures", "without_first_token"}) {
    const json& previous = head.at(texts).at("previous_token");
    EXPECT_GT(previous.at("value").get<double>(), 0.5);
    EXPECT_LT(previous.at("uniform").get<double>(), 0.05);
    EXPECT_NEAR(previous.at("shuffled").get<double>(), previous.at("value").get<double>(), 0.1);
    EXPECT_GE(previous.at("spread").get<double>(), 0);
    EXPECT_EQ(head.at(texts).size(), 5U);
  }
}

TEST(CliFind, SortsAndFilters) {
  const Outcome sorted =
      run_program({"metrics", kModels + "induction", "--find", "--sort", "induction", "--top", "3", "--csv"});
  ASSERT_EQ(sorted.code, 0) << sorted.err;
  const std::vector<std::string> lines = lines_of(sorted.out);
  ASSERT_EQ(lines.size(), 4U) << sorted.out;
  EXPECT_TRUE(lines[0].starts_with("tensor,layer,head,name,previous_token,previous_token_spread,")) << lines[0];
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_TRUE(lines[i].starts_with("\"layer2.weights\",2,")) << lines[i];
    EXPECT_NE(lines[i].find(",induction,"), std::string::npos) << lines[i];
    EXPECT_TRUE(lines[i].ends_with(",,")) << "no first token\n" << lines[i];
    EXPECT_EQ(std::ranges::count(lines[i], ','), std::ranges::count(lines[0], ','));
  }
  const std::string by_first =
      run_program({"metrics", kModels + "induction", "--find", "--sort", "first_token", "--top", "1"}).out;
  EXPECT_TRUE(lines_of(by_first)[4].starts_with("  2      head 2  induction  first token  0.0")) << by_first;
}

TEST(CliFind, TakesAnExperimentOnAModel) {
  const TemporaryFolder folder;
  const std::string experiment =
      folder
          .file("own.json", R"({"format": "attnscope-experiment/1", "system": "transformer", "model": ")" + kModels +
                                R"(induction"})")
          .string();
  EXPECT_EQ(run_program({"metrics", experiment, "--find"}).out,
            run_program({"metrics", kModels + "induction", "--find"}).out);
}

TEST(CliFind, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  const std::string model = folder.path().string();
  expect_refused({"metrics", model, "--find"}, 1,
                 {model + ": finding heads needs a text of 8 tokens; allowed: at most 5 (n_positions)"});
  expect_refused({"metrics", kModels + "digits", "--find"}, 1,
                 {"digits: vit sees a picture: there are no tokens to repeat"});
  expect_refused({"metrics", "worked-example", "--find"}, 1, {"--find: the test needs a trained model"});
  const std::string name = kModels + "induction";
  expect_refused({"metrics", name, "--find", "--sort", "entropy"}, 2,
                 {"--sort: \"entropy\" is not allowed with --find; allowed: previous_token, next_token, "});
  expect_refused({"metrics", name, "--find", "--layer", "3"}, 2, {"--layer: 3 is not allowed", "from 1 to 2"});
  expect_refused({"metrics", name, "--find", "--top", "0"}, 2, {"--top: 0 is not allowed"});
  expect_refused({"metrics", name, "--find", "--tokens", "1,2"}, 2, {"--find", "--tokens"});
}

TEST(CliFind, MetricsMarkNoLargestHeadWhereAllAreEqual) {
  const Arguments model = {"metrics", kModels + "induction", "--tokens", "1,2,3", "--sort", "induction"};
  const Outcome equal = run_program(model);
  ASSERT_EQ(equal.code, 0) << equal.err;
  EXPECT_EQ(equal.out.find("← largest"), std::string::npos) << equal.out;
  EXPECT_EQ(equal.err, "") << "the measure applies";
  const Outcome different = run_program({"metrics", kModels + "induction", "--tokens", "1,2,1", "--sort", "induction"});
  EXPECT_NE(different.out.find("← largest induction"), std::string::npos) << different.out;
}

}  // namespace
}  // namespace attnscope::test
