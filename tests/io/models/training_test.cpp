// The checkpoints of a model's training: which folders they are, and what heads do at them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/heads/finder.h"
#include "core/heads/head_measures.h"
#include "core/heads/repeated_tokens.h"
#include "core/studies/training_study.h"
#include "core/trace/run.h"
#include "io/models/model_checkpoints.h"
#include "io/models/model_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;

const fs::path kInduction = fs::path(ATTNSCOPE_SOURCE_DIR) / "assets/models/induction";

std::size_t number_of(std::string_view name, std::span<const Measure> known) {
  return static_cast<std::size_t>(std::ranges::find(known, name, &Measure::name) - known.begin());
}

double cross_entropy(const Tensor& logits, const std::vector<Index>& ids, std::size_t first) {
  double sum = 0;
  for (std::size_t at = first; at < ids.size(); ++at) {
    double all = 0;
    for (Index token = 0; token < logits.size(1); ++token)
      all += std::exp(static_cast<double>(logits.at(std::vector<Index>{static_cast<Index>(at) - 1, token})));
    sum += std::log(all) - static_cast<double>(logits.at(std::vector<Index>{static_cast<Index>(at) - 1, ids[at]}));
  }
  return sum / static_cast<double>(ids.size() - first);
}

TEST(TrainingStudy, ReadsEveryCheckpointOfInduction) {
  const auto model = open_model(kInduction).value();
  ASSERT_EQ(model->checkpoints().size(), 14U);
  Experiment experiment = experiment_reading(model, {5, 9, 31, 2, 40, 5, 9, 31, 2, 40, 5});
  double done = 0;
  const TrainingStudy study = study_training(experiment, {.progress =
                                                              [&](double share) {
                                                                EXPECT_GE(share, done);
                                                                done = share;
                                                              }})
                                  .value();
  EXPECT_EQ(done, 1);
  ASSERT_EQ(study.states.size(), 14U);
  EXPECT_EQ(study.heads.size(), 8U);
  EXPECT_EQ(study.states.front().step, 50);
  EXPECT_EQ(study.states.back().step, 2700);
  // One of them by hand.
  experiment.model = open_model(kInduction / "checkpoints/step-000700").value();
  const auto trace = run(experiment).value();
  const auto& state = *std::ranges::find(study.states, "step-000700", &TrainingState::name);
  EXPECT_NEAR(*state.loss, cross_entropy(trace->tensor("logits"), experiment.text.ids, 1), 1e-9);
  const auto weights = static_cast<int>(trace->find("layer2.weights") - trace->steps().data());
  const HeadMeasures second = measure_heads(*trace, weights, Index{0}).value();
  for (const char* const name : {"induction", "previous_token", "entropy"}) {
    const std::size_t measure = number_of(name, measures());
    for (std::size_t head = 0; head < 4; ++head)
      EXPECT_EQ(state.heads[4 + head][measure], second.heads[head][measure]) << name << " " << head;
  }
}

TEST(TrainingStudy, ShowsTheJumpOnRandomTokens) {
  const auto model = open_model(kInduction).value();
  const Experiment experiment = experiment_reading(model, {1, 2, 3});
  const TrainingStudy study = study_training(experiment, {.text = TrainingText::random}).value();
  const std::size_t induction = number_of("induction", finder_measures());
  const auto largest = [&](const TrainingState& state) {
    double most = 0;
    for (const MeasureRow& head : state.heads) most = std::max(most, *head[induction]);
    return most;
  };
  const auto at = [&](Index step) { return *std::ranges::find(study.states, step, &TrainingState::step); };
  EXPECT_LT(largest(at(400)), 0.3);
  EXPECT_GT(largest(at(1000)), 0.6);
  EXPECT_GT(*at(400).loss, 2.5);
  EXPECT_LT(*at(2700).loss, 1);
  const FoundHeads found = find_heads(open_model(kInduction / "checkpoints/step-000700").value()).value();
  for (std::size_t head = 0; head < found.heads.size(); ++head)
    EXPECT_EQ(*at(700).heads[head][induction], found.heads[head].values[induction].mean);
}

class CheckpointFolders : public testing::Test {
 protected:
  void add(const fs::path& folder, const std::string& file = "model.safetensors") const {
    fs::create_directories(folder_.path() / folder);
    std::ofstream(folder_.path() / folder / file) << "x";
  }

  [[nodiscard]] std::vector<Index> steps_of(const fs::path& weights) const {
    ModelFolder model;
    model.weights = folder_.path() / weights;
    std::vector<Index> steps;
    for (const CheckpointFolder& each : find_checkpoints(model)) steps.push_back(each.step);
    return steps;
  }

  TemporaryFolder folder_;
};

TEST_F(CheckpointFolders, AreNamedByTheirStep) {
  add("model/step1000");
  add("model/checkpoint-20");
  add("model/checkpoints/global_step3");
  add("model/checkpoints/7", "model.safetensors.index.json");
  add("model/checkpoints/epoch_0");
  EXPECT_EQ(steps_of("model"), (std::vector<Index>{0, 3, 7, 20, 1000}));
  EXPECT_EQ(steps_of("model/checkpoints/7"), (std::vector<Index>{0, 3, 7}));
}

TEST_F(CheckpointFolders, AreNothingElse) {
  add("model/layer-3");
  add("model/step-3b");
  add("model/step-99999999999999999999");
  add("model/step-4", "notes.txt");
  add("model/step--5");
  std::ofstream(folder_.path() / "model/step-6") << "x";
  add("model/checkpoints/deeper/step-7");
  EXPECT_EQ(steps_of("model"), std::vector<Index>());
  EXPECT_EQ(steps_of("nowhere"), std::vector<Index>());
}

TEST_F(CheckpointFolders, ThatCannotBeReadAreNamed) {
  const fs::path copy = folder_.path() / "induction";
  fs::copy(kInduction, copy, fs::copy_options::recursive);
  fs::resize_file(copy / "checkpoints/step-000600/model.safetensors", 100);
  const auto model = open_model(copy).value();
  const Result<TrainingStudy> study = study_training(experiment_reading(model, {1, 2, 3}), {});
  ASSERT_FALSE(study);
  EXPECT_TRUE(study.error().message.starts_with("step-000600: ")) << study.error().message;
  EXPECT_NE(study.error().message.find("model.safetensors"), std::string::npos) << study.error().message;
}

TEST_F(CheckpointFolders, MustHaveTheHeadsOfTheFirst) {
  const fs::path copy = folder_.path() / "induction";
  fs::copy(kInduction, copy, fs::copy_options::recursive);
  std::ifstream from(copy / "config.json");
  std::string config(std::istreambuf_iterator<char>(from), {});
  const std::string heads = "\"n_head\": 4";
  ASSERT_NE(config.find(heads), std::string::npos) << config;
  config.replace(config.find(heads), heads.size(), "\"n_head\": 2");
  std::ofstream(copy / "checkpoints/step-000600/config.json") << config;
  const auto model = open_model(copy).value();
  const Result<TrainingStudy> study = study_training(experiment_reading(model, {1, 2, 3}), {});
  ASSERT_FALSE(study);
  EXPECT_EQ(study.error().message, "step-000600: its heads are not those of step-000050");
}

}  // namespace
}  // namespace attnscope::test
