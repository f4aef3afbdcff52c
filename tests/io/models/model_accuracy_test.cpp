// The models that come along, on cases that they were not trained on, by our own engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/trace/run.h"
#include "io/base/file.h"
#include "io/base/json_value.h"
#include "io/models/model_file.h"

namespace attnscope {
namespace {

const std::filesystem::path kProject = ATTNSCOPE_SOURCE_DIR;

nlohmann::json kept_out_cases(const std::string& model) {
  const auto text = read_file(kProject / "tests/golden/kept_out" / (model + ".json"), 10'000'000);
  return parse_json(*text)->at("cases");
}

Experiment kept_out_experiment(const std::filesystem::path& folder) {
  const auto model = open_model(kProject / folder);
  if (!model) throw std::runtime_error(model.error().message);
  return experiment_on_model(*model);
}

/// The most probable token after each token.
std::vector<Index> next_tokens(Executor& executor, const Experiment& experiment) {
  const auto trace = executor.run(experiment);
  if (!trace) throw std::runtime_error(trace.error().message);
  const Tensor& logits = (*trace)->tensor("logits");
  std::vector<Index> next;
  for (Index row = 0; row < logits.size(0); ++row) {
    const float* const begin = logits.values().data() + row * logits.size(1);
    next.push_back(std::max_element(begin, begin + logits.size(1)) - begin);
  }
  return next;
}

std::vector<Index> ids_of(const Experiment& experiment, const std::string& text) {
  const auto tokens = experiment.model->tokens(text, std::nullopt, false);
  if (!tokens) throw std::runtime_error(tokens.error().message);
  return tokens->ids;
}

/// The share of second copies that are continued right.
double induction_accuracy(const std::filesystem::path& folder) {
  Experiment experiment = kept_out_experiment(folder);
  Executor executor;
  double right = 0;
  double all = 0;
  // The twin reads the same symbols and comes without a tokenizer.
  const Experiment reader = kept_out_experiment("assets/models/induction");
  for (const nlohmann::json& each : kept_out_cases("induction")) {
    experiment.text.ids = ids_of(reader, each.at("text"));
    const std::vector<Index> next = next_tokens(executor, experiment);
    for (auto at = each.at("from").get<std::size_t>(); at <= each.at("to").get<std::size_t>(); ++at, ++all)
      right += next[at] == experiment.text.ids[at + 1] ? 1 : 0;
  }
  return right / all;
}

TEST(ModelAccuracy, InductionContinuesWhatItHasSeen) { EXPECT_GE(induction_accuracy("assets/models/induction"), 0.95); }

// With one layer, no head can know what followed an earlier token.
TEST(ModelAccuracy, OneLayerCannot) { EXPECT_LT(induction_accuracy("tests/golden/kept_out/induction-one-layer"), 0.2); }

TEST(ModelAccuracy, StoriesKnowWhoAndWhat) {
  Experiment experiment = kept_out_experiment("assets/models/stories");
  Executor executor;
  std::map<std::string, std::pair<double, double>> tasks;  // right and all
  for (const nlohmann::json& each : kept_out_cases("stories")) {
    experiment.text.ids = ids_of(experiment, each.at("text"));
    const std::vector<Index> next = next_tokens(executor, experiment);
    const std::string said = experiment.model->token_text(next.at(each.at("position").get<std::size_t>()));
    const std::string word = said.substr(std::min(said.find_first_not_of(' '), said.size()));
    const auto allowed = each.at("tokens").get<std::vector<std::string>>();
    auto& [right, all] = tasks[each.at("task")];
    right += std::find(allowed.begin(), allowed.end(), word) != allowed.end() ? 1 : 0;
    all += 1;
  }
  for (const auto& [task, count] : tasks) EXPECT_GE(count.first / count.second, task == "name" ? 0.9 : 0.95) << task;
  EXPECT_GE(tasks.size(), 4U);
}

/// Writes the answer token by token, as a user would have it written.
bool writes_the_date(Executor& executor, Experiment& experiment, const nlohmann::json& each) {
  experiment.text.ids = ids_of(experiment, each.at("text"));
  const auto wanted = experiment.model->tokens(each.at("text2").get<std::string>(), std::nullopt, true);
  const auto& config = experiment.model->config();
  const auto end = static_cast<Index>(std::get<double>(config.at("eos_token_id")));
  const auto start = static_cast<Index>(std::get<double>(config.at("decoder_start_token_id")));
  std::vector<Index> expected;
  for (std::size_t i = 0; i < wanted->ids.size(); ++i) {
    if (!wanted->special[i]) expected.push_back(wanted->ids[i]);
  }
  expected.push_back(end);
  experiment.text2.ids = {start};
  for (const Index id : expected) {
    if (next_tokens(executor, experiment).back() != id) return false;
    experiment.text2.ids.push_back(id);
  }
  return true;
}

TEST(ModelAccuracy, DatesAreWrittenAsTheyShould) {
  Experiment experiment = kept_out_experiment("assets/models/dates");
  Executor executor;
  double right = 0;
  double all = 0;
  for (const nlohmann::json& each : kept_out_cases("dates")) {
    right += writes_the_date(executor, experiment, each) ? 1 : 0;
    all += 1;
  }
  EXPECT_GE(right / all, 0.98);
}

TEST(ModelAccuracy, DigitsAreRead) {
  Experiment experiment = kept_out_experiment("assets/models/digits");
  Executor executor;
  double right = 0;
  double all = 0;
  for (const nlohmann::json& each : kept_out_cases("digits")) {
    ColorPicture picture = {8, 8, {}};
    for (const nlohmann::json& grey : each.at("pixels"))
      picture.rgb.insert(picture.rgb.end(), 3, grey.get<std::uint8_t>());
    experiment.picture = std::move(picture);
    right += std::to_string(next_tokens(executor, experiment).front()) == each.at("label").get<std::string>() ? 1 : 0;
    all += 1;
  }
  EXPECT_GE(right / all, 0.95);
}

}  // namespace
}  // namespace attnscope
