// `attnscope metrics --texts`: averages over the texts of a file.
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "refusal.h"
#include "support/sanitized.h"
#include "support/tiny_model.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

const std::string kBundled = ATTNSCOPE_SOURCE_DIR "/assets/models/";

class CliTexts : public testing::Test {
 protected:
  /// The arguments that measure a bundled model on the texts of a file.
  [[nodiscard]] Arguments measuring(const std::string& model, const std::string& texts,
                                    const Arguments& options = {}) const {
    Arguments arguments = {"metrics", kBundled + model, "--texts", folder_.file("texts.txt", texts).string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return arguments;
  }

  [[nodiscard]] json measured(const std::string& model, const std::string& texts, Arguments options = {}) const {
    options.emplace_back("--json");
    const Outcome outcome = run_program(measuring(model, texts, options));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return json::parse(outcome.out);
  }

  [[nodiscard]] std::vector<std::string> lines(const std::string& model, const std::string& texts,
                                               const Arguments& options = {}) const {
    const Outcome outcome = run_program(measuring(model, texts, options));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::vector<std::string> lines;
    std::istringstream stream(outcome.out);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  TemporaryFolder folder_;
};

const std::vector<std::string> kSentences = {"Anna gave the ball to Ben .", "the dogs near the tree run",
                                             "Anna met Tom . he gave the ball"};
const std::string kThreeLines = kSentences[0] + "\n\n" + kSentences[1] + "\r\n" + kSentences[2] + "\n";

/// Whether a measure over the texts is that of the texts alone.
void expect_average(const json& average, const std::vector<json>& alone) {
  std::vector<double> numbers;
  for (const json& each : alone) {
    if (each.is_number()) numbers.push_back(each.get<double>());
  }
  ASSERT_EQ(average.at("texts").get<std::size_t>(), numbers.size());
  if (numbers.empty()) {
    for (const char* const number : {"mean", "spread", "smallest", "largest"})
      EXPECT_TRUE(average.at(number).is_null()) << number;
    return;
  }
  double mean = 0;
  for (const double number : numbers) mean += number / static_cast<double>(numbers.size());
  double squares = 0;
  for (const double number : numbers) squares += (number - mean) * (number - mean);
  EXPECT_NEAR(average.at("mean").get<double>(), mean, 1e-12);
  EXPECT_NEAR(average.at("spread").get<double>(), std::sqrt(squares / static_cast<double>(numbers.size() - 1)), 1e-12);
  EXPECT_EQ(average.at("smallest").get<double>(), *std::ranges::min_element(numbers));
  EXPECT_EQ(average.at("largest").get<double>(), *std::ranges::max_element(numbers));
}

/// Compares the averages of kSentences with what `metrics --text` says of each of them.
void expect_averages(const json& averages, const std::string& model, const Arguments& options) {
  std::vector<json> alone;
  for (const std::string& text : kSentences) {
    Arguments arguments = {"metrics", kBundled + model, "--text", text, "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    alone.push_back(json::parse(run_program(arguments).out));
  }
  std::size_t at = 0;
  for (std::size_t layer = 0; layer < alone.front().size(); ++layer) {
    const json& attention = alone.front().at(layer);
    const auto compare = [&](const json& row, const auto& row_of) {
      for (const auto& [name, average] : row.at("measures").items()) {
        SCOPED_TRACE(attention.at("tensor").get<std::string>() + " " + name);
        std::vector<json> values;
        for (const json& each : alone) values.push_back(row_of(each.at(layer)).at(name));
        expect_average(average, values);
      }
    };
    for (std::size_t head = 0; head < attention.at("heads").size(); ++head) {
      const json& row = averages.at("heads").at(at++);
      EXPECT_EQ(row.at("tensor"), attention.at("tensor"));
      EXPECT_EQ(row.at("layer"), attention.at("layer"));
      EXPECT_EQ(row.at("head"), head + 1);
      compare(row, [&](const json& each) { return each.at("heads").at(head); });
    }
    compare(averages.at("uniform").at(layer), [](const json& each) { return each.at("uniform"); });
  }
  EXPECT_EQ(at, averages.at("heads").size());
}

TEST_F(CliTexts, AveragesAreThoseOfTheTextsAlone) {
  const json averages = measured("stories", kThreeLines);
  EXPECT_EQ(averages.at("texts"), 3);
  EXPECT_EQ(averages.at("fewest_tokens"), 6);
  EXPECT_EQ(averages.at("heads").size(), 16U);
  EXPECT_EQ(averages.at("heads").at(0).at("measures").size(), 12U);
  expect_averages(averages, "stories", {});
}

TEST_F(CliTexts, InterventionsAreInEveryText) {
  const Arguments off = {"--off", "layer1.head1", "--off", "layer1.mlp@6"};
  expect_averages(measured("stories", kThreeLines, off), "stories", off);
}

TEST_F(CliTexts, AListIsTheSameAsLines) {
  const std::string list = json(kSentences).dump();
  EXPECT_EQ(measured("stories", list), measured("stories", kThreeLines));
}

TEST_F(CliTexts, TheTableHasMeanAndSpread) {
  const std::vector<std::string> table = lines("stories", kThreeLines, {"--sort", "previous_token", "--top", "2"});
  ASSERT_GE(table.size(), 10U);
  EXPECT_TRUE(table[0].starts_with("3 texts of 6 to ")) << table[0];
  EXPECT_TRUE(table[0].ends_with("tokens; mean over the texts and spread (standard deviation)")) << table[0];
  EXPECT_TRUE(table[4].starts_with("  1      head 3   mean    ")) << table[4];
  EXPECT_TRUE(table[4].ends_with("← largest previous token")) << table[4];
  EXPECT_TRUE(table[5].starts_with("                  spread  0.")) << table[5];
  EXPECT_TRUE(table[6].find("head ") != std::string::npos && table[6].find("mean") != std::string::npos) << table[6];
  EXPECT_TRUE(table[8].starts_with("         uniform  mean    ")) << table[8];
  EXPECT_TRUE(table[9].starts_with("                  spread  ")) << table[9];
}

TEST_F(CliTexts, TheTableSaysHowManyTextsCount) {
  // A single token has no previous one.
  const std::vector<std::string> table = lines("induction", "kQ7kQ7\nk\n", {"--layer", "2"});
  ASSERT_GE(table.size(), 16U);
  EXPECT_EQ(table[0],
            "2 texts of 1 to 6 tokens; mean over the texts and spread (standard deviation), and the texts that have a "
            "number");
  EXPECT_TRUE(table[6].starts_with("                  texts   2        1 ")) << table[6];
}

TEST_F(CliTexts, SortsAndFilters) {
  const std::vector<std::string> csv =
      lines("stories", kThreeLines, {"--csv", "--layer", "1", "--sort", "previous_token", "--top", "2"});
  ASSERT_EQ(csv.size(), 4U);
  EXPECT_TRUE(
      csv[0].starts_with("tensor,layer,head,entropy,entropy_spread,entropy_smallest,entropy_largest,"
                         "entropy_texts,entropy_share,"))
      << csv[0];
  EXPECT_TRUE(csv[1].starts_with("\"layer1.weights\",1,3,")) << csv[1];
  EXPECT_TRUE(csv[2].starts_with("\"layer1.weights\",1,")) << csv[2];
  EXPECT_TRUE(csv[3].starts_with("\"layer1.weights\",1,uniform,")) << csv[3];
  EXPECT_TRUE(csv[3].ends_with(",,,,,0")) << "uniform attention has no weight matrices\n" << csv[3];
  for (const std::string& line : csv) EXPECT_EQ(std::ranges::count(line, ','), std::ranges::count(csv[0], ','));
  const json heads = measured("stories", kThreeLines, {"--sort", "entropy", "--top", "5"}).at("heads");
  ASSERT_EQ(heads.size(), 5U);
  for (std::size_t i = 1; i < heads.size(); ++i) {
    EXPECT_GE(heads[i - 1].at("measures").at("entropy").at("mean").get<double>(),
              heads[i].at("measures").at("entropy").at("mean").get<double>());
  }
}

TEST_F(CliTexts, TheSecondTextIsTheSameEachTime) {
  const Arguments second = {"--text2", "2016-07-22"};
  const json averages = measured("dates", "22 jul 16\njul 22nd, 2016\n", second);
  ASSERT_EQ(averages.at("uniform").size(), 6U) << "two layers of encoder, decoder and cross-attention";
  EXPECT_EQ(averages, measured("dates", "22 jul 16\njul 22nd, 2016\n")) << "it is also the model's example";
  EXPECT_NE(averages, measured("dates", "22 jul 16\njul 22nd, 2016\n", {"--text2", "2016"}));
  const std::vector<std::string> table = lines("dates", "22 jul 16\njul 22nd, 2016\n");
  EXPECT_NE(std::ranges::find_if(
                table, [](const std::string& line) { return line.starts_with("  decoder.layer1.cross_weights"); }),
            table.end());
}

TEST_F(CliTexts, TakesAnExperimentOnAModel) {
  const std::string experiment =
      folder_
          .file("own.json", R"({"format": "attnscope-experiment/1", "system": "transformer", "model": ")" + kBundled +
                                R"(stories", "text": "Anna met Ben ."})")
          .string();
  const std::string texts = folder_.file("texts.txt", kThreeLines).string();
  EXPECT_EQ(run_program({"metrics", experiment, "--texts", texts, "--csv"}).out,
            run_program({"metrics", kBundled + "stories", "--texts", texts, "--csv"}).out);
}

TEST_F(CliTexts, ShellsCompleteTheFile) {
  EXPECT_EQ(run_program({"complete", "metrics", "worked-example", "--texts", ""}).out, ":files\n");
}

TEST_F(CliTexts, MoreTextsTakeNoMoreMemory) {
  if (kSanitized) GTEST_SKIP() << "sanitizers keep memory that was given back";
  std::string many;
  for (int i = 0; i < 20; ++i) many += kThreeLines;
  const Outcome few = run_program(measuring("stories", kThreeLines, {"--csv"}));
  const Outcome all = run_program(measuring("stories", many, {"--csv"}));
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_LT(all.peak_megabytes, few.peak_megabytes + 10);
}

TEST_F(CliTexts, BadFilesAreRefused) {
  const std::string model = kBundled + "stories";
  const auto refused = [&](const std::string& name, const std::string& bytes, const std::string& says) {
    const std::string file = folder_.file(name, bytes).string();
    expect_refused({"metrics", model, "--texts", file}, 1, {"attnscope: " + file + ": " + says});
  };
  refused("empty.txt", "", "there are no texts; allowed: a JSON list of strings, or one text per line");
  refused("blank.txt", "\n  \n", "all lines are empty");
  refused("latin.txt", "Anna\nBen\xe9\n", "line 2: is not UTF-8");
  refused("numbers.json", "[1, 2]", "texts[0]: 1 is not allowed; allowed: a string");
  refused("cut.json", "[\"Anna\"", "line 1, column ");
  refused("huge.txt", std::string(33'000'000, 'x'), "");
  refused("long.txt", "Anna\n" + std::string(1'000'001, 'x'), "line 2: 1000001 bytes are not allowed");
  std::string many = "Anna";
  for (int i = 0; i < 1000; ++i) many += " Anna";
  refused("many.txt", "Anna\n\n" + many, "line 3 (\"Anna Anna ");
  expect_refused({"metrics", model, "--texts", (folder_ / "many.txt").string()}, 1,
                 {"…\"): 1,001 tokens are not allowed; allowed: at most "});
  refused("none.json", "[\"Anna\", \"\"]", "texts[1] (\"\"): there are no tokens; allowed: at least one");
  expect_refused({"metrics", model, "--texts", (folder_ / "missing.txt").string()}, 1, {"missing.txt: No such file"});
  expect_refused({"metrics", model, "--texts", ""}, 1, {"No such file"});
  expect_refused({"metrics", model, "--texts", folder_.path().string()}, 1, {folder_.path().string() + ": "});
  // A position that the second text does not have.
  const std::string file = folder_.file("short.txt", "Anna met Ben .\nAnna\n").string();
  expect_refused({"metrics", model, "--texts", file, "--off", "layer1.mlp@3"}, 1, {"line 2 (\"Anna\"): interventions"});
}

TEST_F(CliTexts, ATextOverTheMemoryBudgetIsNamed) {
  std::string text = "Anna";
  for (int i = 1; i < 90; ++i) text += " Anna";
  const std::string file = folder_.file("texts.txt", "Ben\n" + text).string();
  expect_refused({"metrics", kBundled + "stories", "--texts", file}, 1,
                 {file + ": line 2 (\"Anna Anna", " MB; allowed: 1 MB; ATTNSCOPE_MEMORY_MB sets the limit"},
                 {{{"ATTNSCOPE_MEMORY_MB", "1"}}, ""});
}

TEST_F(CliTexts, WhatDoesNotGoTogetherIsRefused) {
  const Arguments stories = measuring("stories", kThreeLines);
  const auto refused = [](Arguments arguments, const Arguments& options, const std::vector<std::string>& says) {
    arguments.insert(arguments.end(), options.begin(), options.end());
    expect_refused(arguments, 2, says);
  };
  for (const Arguments& other : std::vector<Arguments>{{"--find"},
                                                       {"--text", "a"},
                                                       {"--tokens", "1"},
                                                       {"--item", "1"},
                                                       {"--labels", "a"},
                                                       {"--picture", "a.png"},
                                                       {"--rollout"}})
    refused(stories, other, {"--texts", other.front()});
  refused(stories, {"--sort", "size"}, {"--sort: \"size\" is not allowed; allowed: entropy, "});
  refused(stories, {"--layer", "5"}, {"--layer: 5 is not allowed", "from 1 to 4"});
  refused(stories, {"--top", "0"}, {"--top: 0 is not allowed"});
  refused(stories, {"--json", "--csv"}, {"--csv"});
  const std::string texts = stories.back();
  refused({"metrics", "worked-example", "--texts", texts}, {}, {"--texts: allowed only with a model"});
  refused({"metrics", kBundled + "digits", "--texts", texts}, {},
          {"--texts: vit sees a picture; allowed: models that read text"});
  const TemporaryFolder tiny;
  write_tiny_model(tiny);
  expect_refused({"metrics", tiny.path().string(), "--texts", texts}, 1,
                 {"--texts: " + tiny.path().string() + ": no tokenizer"});
  expect_refused({"metrics", kBundled + "stories", "--texts", texts, "--text2", "a"}, 1,
                 {"text2: this model reads one text"});
}

}  // namespace
}  // namespace attnscope::test
