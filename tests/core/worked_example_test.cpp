// The worked example against PyTorch's numbers, see tests/golden/systems/worked_example.py, and what holds for any of
// its experiments.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "core/ops.h"
#include "support/golden.h"
#include "system_variations.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

constexpr const char* kFolder = "worked-example";

std::vector<std::string> golden_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(golden_path(kFolder))) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// A boolean array of rank 2, 3 or 4.
Mask array_mask(const json& array) {
  Mask mask;
  mask.kind = Mask::Kind::array;
  std::vector<json> level = {array};
  while (level.front().is_array()) {
    mask.shape.push_back(static_cast<Index>(level.front().size()));
    std::vector<json> next;
    for (const json& part : level) next.insert(next.end(), part.begin(), part.end());
    level = std::move(next);
  }
  for (const json& keep : level) mask.keep.push_back(keep.get<bool>());
  return mask;
}

Experiment experiment_of(const json& file) {
  Experiment experiment = *default_experiment(file.at("system").get<std::string>());
  experiment.seed = file.value("seed", std::uint64_t{42});
  experiment.discard = file.value("discard", std::uint64_t{0});
  const json parameters = file.value("params", json::object());
  for (const auto& [name, value] : parameters.items()) {
    Result<void> set;
    if (value.is_array()) {
      set = set_parameter(experiment, name, array_mask(value));
    } else if (value.is_string()) {
      set = set_parameter_text(experiment, name, value.get<std::string>());
    } else {
      set = set_parameter_text(experiment, name, value.dump());
    }
    EXPECT_TRUE(set) << name << ": " << (set ? "" : set.error().message);
  }
  return experiment;
}

class WorkedExampleGolden : public testing::TestWithParam<std::string> {};

TEST_P(WorkedExampleGolden, IsWhatPyTorchComputes) {
  const Golden golden = read_golden(GetParam());
  SCOPED_TRACE(golden.experiment.dump());
  const Experiment experiment = experiment_of(golden.experiment);
  const Result<void> valid = validate(experiment);
  ASSERT_TRUE(valid) << valid.error().message;
  const auto trace = run(experiment);
  ASSERT_TRUE(trace) << trace.error().message;

  std::set<std::string> names;
  for (const Step& step : (*trace)->steps()) {
    EXPECT_TRUE(names.insert(step.name).second) << step.name << " is there twice";
    const auto expected = golden.tensors.find(step.name);
    if (expected == golden.tensors.end()) {
      ADD_FAILURE() << step.name << " is not in the golden file";
      continue;
    }
    EXPECT_EQ(step.axes, expected->second.axes()) << step.name;
    EXPECT_EQ(step.tensor->axes(), step.axes) << step.name;
    EXPECT_LE(largest_difference(*step.tensor, expected->second), golden.tolerance(step.name)) << step.name;
  }
  for (const auto& [name, tensor] : golden.tensors) EXPECT_TRUE(names.contains(name)) << name << " is missing";
}

INSTANTIATE_TEST_SUITE_P(Files, WorkedExampleGolden, testing::ValuesIn(golden_files()),
                         [](const auto& file) { return "file_" + std::filesystem::path(file.param).stem().string(); });

TEST(WorkedExample, HasGoldenFiles) { EXPECT_GE(golden_files().size(), 24U); }

/// Calls `check(row, sum)` for every row of the last axis.
template <typename Check>
void for_each_row(const Tensor& tensor, const Check& check) {
  const auto length = static_cast<std::size_t>(tensor.size(-1));
  const auto values = tensor.values();
  for (std::size_t at = 0; at < values.size(); at += length) {
    double sum = 0;
    for (const float value : values.subspan(at, length)) sum += static_cast<double>(value);
    check(values.subspan(at, length), sum);
  }
}

TEST(Systems, RowsOfWeightsSumToOneOrNothing) {
  int weights = 0;
  for (const Experiment& experiment : variations()) {
    SCOPED_TRACE(description(experiment));
    const std::shared_ptr<const Trace> trace = *run(experiment);
    const bool zeros_allowed = std::isinf(experiment.real("masked_fill"));
    for (const Step& step : trace->steps()) {
      if (!std::holds_alternative<SoftmaxOperation>(step.operation)) continue;
      ++weights;
      for_each_row(*step.tensor, [&](std::span<const float> row, double sum) {
        const bool nothing = std::all_of(row.begin(), row.end(), [](float weight) { return weight == 0; });
        if (nothing) {
          EXPECT_TRUE(zeros_allowed) << step.name;
        }
        if (!nothing) {
          EXPECT_NEAR(sum, 1, 2e-6) << step.name;
        }
      });
    }
  }
  EXPECT_GT(weights, 20);
}

TEST(Systems, TheSameExperimentIsTheSameTrace) {
  for (const Experiment& experiment : variations()) {
    const std::shared_ptr<const Trace> a = *run(experiment);
    const std::shared_ptr<const Trace> b = *run(experiment);
    ASSERT_EQ(a->steps().size(), b->steps().size());
    for (std::size_t i = 0; i < a->steps().size(); ++i) {
      EXPECT_TRUE(std::ranges::equal(a->steps()[i].tensor->values(), b->steps()[i].tensor->values()))
          << a->steps()[i].name;
    }
    EXPECT_TRUE(std::ranges::equal(a->warnings(), b->warnings()));
  }
}

TEST(Systems, EveryInputComesBefore) {
  for (const System& system : systems()) {
    const std::shared_ptr<const Trace> trace = *run(small_experiment(system));
    for (std::size_t i = 0; i < trace->steps().size(); ++i) {
      const Step& step = trace->steps()[i];
      for (const int input : step.inputs) EXPECT_TRUE(input >= 0 && static_cast<std::size_t>(input) < i) << step.name;
      EXPECT_EQ(trace->find(step.name), &step) << step.name << " is there twice";
      EXPECT_FALSE(step.formula.empty()) << step.name;
    }
    EXPECT_EQ(trace->find("no such tensor"), nullptr);
  }
}

Experiment set(Experiment experiment, const char* name, const char* text) {
  EXPECT_TRUE(set_parameter_text(experiment, name, text));
  return experiment;
}

TEST(WorkedExample, ScalingDividesTheScores) {
  const Experiment plain = *default_experiment(kFolder);
  const Experiment scaled = set(plain, "scale", "sqrt_head_dim");
  const std::shared_ptr<const Trace> a = *run(plain);
  const std::shared_ptr<const Trace> b = *run(scaled);
  for (const char* name : {"scores", "single.scores", "cross_scores", "single.cross_scores"}) {
    const auto before = a->tensor(name).values();
    const auto after = b->tensor(name).values();
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i], before[i] / std::sqrt(7.0F)) << name;
  }
}

TEST(WorkedExample, MasksLeaveCrossAttentionAlone) {
  const Experiment plain = *default_experiment(kFolder);
  const std::shared_ptr<const Trace> a = *run(plain);
  const std::shared_ptr<const Trace> b = *run(set(plain, "mask", "causal"));
  EXPECT_EQ(largest_difference(b->tensor("cross_weights"), a->tensor("cross_weights")), 0);
  EXPECT_EQ(b->find("cross_masked_scores"), nullptr);
  EXPECT_NE(b->find("single.masked_scores"), nullptr);
}

TEST(WorkedExample, ALayerForEveryHeadGivesItsFirstToTheSingleHead) {
  Experiment e = *default_experiment(kFolder);
  Mask mask;
  mask.kind = Mask::Kind::array;
  mask.shape = {1, 4, 6, 6};
  for (Index at = 0; at < 144; ++at) mask.keep.push_back(at % 6 != at / 36);  // head h does not see key h
  ASSERT_TRUE(set_parameter(e, "mask", mask));
  ASSERT_TRUE(validate(e));
  const std::shared_ptr<const Trace> trace = *run(e);
  for (Index at = 0; at < 144; ++at) {
    const float weight = trace->tensor("weights").values()[static_cast<std::size_t>(at)];
    if (at % 6 == at / 36) {
      EXPECT_EQ(weight, 0.0F);
    }
  }
  for (Index at = 0; at < 36; ++at) {
    if (at % 6 == 0) {
      EXPECT_EQ(trace->tensor("single.weights").values()[static_cast<std::size_t>(at)], 0.0F);
    }
  }
}

TEST(WorkedExample, WeightedValuesSumToTheOutputs) {
  const std::shared_ptr<const Trace> trace = *run(*default_experiment(kFolder));
  const Tensor& parts = trace->tensor("weighted_values");  // [head, key, query, dim]
  const Tensor& outputs = trace->tensor("head_outputs");   // [head, query, dim]
  for (Index at = 0; at < outputs.count(); ++at) {
    const std::vector<Index> index = outputs.index_at(at);
    double sum = 0;
    for (Index key = 0; key < 6; ++key)
      sum += static_cast<double>(parts.at(std::vector<Index>{index[0], key, index[1], index[2]}));
    EXPECT_NEAR(sum, static_cast<double>(outputs.at(index)), 1e-5);
  }
}

TEST(WorkedExample, DropoutChangesNothingBeforeIt) {
  const Experiment plain = *default_experiment(kFolder);
  const std::shared_ptr<const Trace> a = *run(plain);
  const std::shared_ptr<const Trace> b = *run(set(plain, "dropout", "0.5"));
  for (const Step& step : a->steps()) {
    const bool behind = step.name.find("head_outputs") != std::string::npos ||
                        step.name.find("weighted_values") != std::string::npos || step.name == "merged" ||
                        step.name == "out";
    const double difference = largest_difference(b->tensor(step.name), *step.tensor);
    if (behind) {
      EXPECT_GT(difference, 0) << step.name;
    }
    if (!behind) {
      EXPECT_EQ(difference, 0) << step.name;
    }
  }
  EXPECT_TRUE(a->warnings().empty());
  EXPECT_EQ(b->warnings().size(), 4U);
}

TEST(WorkedExample, RowsWithoutKeysAreWarnedOf) {
  const Experiment e = set(*default_experiment(kFolder), "mask", "padding:0");
  const std::shared_ptr<const Trace> uniform = *run(e);
  ASSERT_EQ(uniform->warnings().size(), 2U);
  EXPECT_EQ(uniform->warnings()[1],
            "masked_scores: 24 rows have no key left; masked_fill -9e+15 makes the weights uniform");
  for (const float weight : uniform->tensor("weights").values()) EXPECT_FLOAT_EQ(weight, 1.0F / 6);
  const std::shared_ptr<const Trace> zero = *run(set(e, "masked_fill", "-inf"));
  ASSERT_EQ(zero->warnings().size(), 2U);
  for (const float weight : zero->tensor("weights").values()) EXPECT_EQ(weight, 0.0F);
  for (const float output : zero->tensor("out").values()) EXPECT_EQ(output, 0.0F);
}

TEST(Run, AStoppedOneTakesNeitherTimeNorMemory) {
  std::stop_source source;
  source.request_stop();
  Experiment huge = set(*default_experiment(kFolder), "tokens", "1000000000");
  huge.discard = std::numeric_limits<std::uint64_t>::max();
  const auto trace = run(huge, {source.get_token(), nullptr, 0});
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("stopped"), std::string::npos) << trace.error().message;
}

TEST(Run, AStopIsHeardWhileNumbersAreThrownAway) {
  std::stop_source source;
  Experiment endless = *default_experiment(kFolder);
  endless.discard = std::numeric_limits<std::uint64_t>::max();
  std::atomic<float> fraction = 0;
  std::jthread stopper([&] {
    while (fraction == 0) std::this_thread::yield();  // the inputs are drawn
    source.request_stop();
  });
  const auto trace = run(endless, {source.get_token(), &fraction, cost_of(endless).flops});
  EXPECT_FALSE(trace);
}

TEST(Run, ProgressEndsAtOne) {
  for (const System& system : systems()) {
    const Experiment e = small_experiment(system);
    std::atomic<float> fraction = 0;
    ASSERT_TRUE(run(e, {{}, &fraction, cost_of(e).flops}));
    EXPECT_EQ(fraction, 1.0F) << system.name;
  }
}

}  // namespace
}  // namespace attnscope::test
