// Every system against PyTorch's numbers (see tests/golden), and invariants of all systems.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "core/experiment/system.h"
#include "core/operations/softmax.h"
#include "core/plan/plan.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "support/background_thread.h"
#include "support/golden.h"
#include "system_variations.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

std::vector<std::string> golden_files() {
  std::vector<std::string> files;
  for (const System& system : systems()) {
    for (const auto& entry : std::filesystem::directory_iterator(golden_path(system.name))) {
      if (entry.path().extension() == ".safetensors") files.push_back(entry.path().string());
    }
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

ColorPicture picture_of(const json& file) {
  ColorPicture picture = {file.at("rows").get<Index>(), file.at("columns").get<Index>(), {}};
  const auto digits = file.at("rgb").get<std::string>();
  for (std::size_t at = 0; at < digits.size(); at += 2)
    picture.rgb.push_back(static_cast<std::uint8_t>(std::stoi(digits.substr(at, 2), nullptr, 16)));
  return picture;
}

Experiment experiment_of(const json& file) {
  Experiment experiment = *default_experiment(file.at("system").get<std::string>());
  experiment.seed = file.value("seed", std::uint64_t{42});
  experiment.discard = file.value("discard", std::uint64_t{0});
  if (file.contains("labels")) experiment.labels = file.at("labels").get<std::vector<std::string>>();
  if (file.contains("picture")) experiment.picture = picture_of(file.at("picture"));
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

class SystemsGolden : public testing::TestWithParam<std::string> {};

TEST_P(SystemsGolden, IsWhatPyTorchComputes) {
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

INSTANTIATE_TEST_SUITE_P(Files, SystemsGolden, testing::ValuesIn(golden_files()), [](const auto& file) {
  const std::filesystem::path path(file.param);
  std::string name = path.parent_path().stem().string() + "_" + path.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(SystemsGolden, EverySystemHasTwentyFiles) {
  for (const System& system : systems()) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(golden_path(system.name)))
      files += entry.path().extension() == ".safetensors" ? 1 : 0;
    EXPECT_GE(files, 20) << system.name;
  }
}

double mean_of(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

/// Like `torch.std`: divided by the number of elements minus one.
double deviation_of(std::span<const float> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const float value : values) sum += std::pow(static_cast<double>(value) - mean, 2);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// `value` with as many decimals as `printed`.
std::string reference_like(double value, const std::string& printed) {
  const auto digits = static_cast<int>(printed.size() - printed.find('.') - 1);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

/// The printed numbers, in the order of the tensor.
std::vector<std::string> flattened(const json& printed) {
  if (printed.is_string()) return {printed.get<std::string>()};
  std::vector<std::string> all;
  for (const json& part : printed) {
    const std::vector<std::string> inner = flattened(part);
    all.insert(all.end(), inner.begin(), inner.end());
  }
  return all;
}

TEST(SystemsGolden, TheNumbersThatTheSourcesPrint) {
  const json entries = json::parse(std::ifstream(golden_path("printed.json")));
  EXPECT_GE(entries.size(), 8U);
  for (const json& entry : entries) {
    SCOPED_TRACE(entry.dump());
    const std::shared_ptr<const Trace> trace = *run(experiment_of(entry.at("experiment")));
    const Tensor& tensor = trace->tensor(entry.at("tensor").get<std::string>());
    const std::vector<std::string> printed = flattened(entry.at("printed"));
    std::vector<double> numbers;
    if (entry.contains("statistic")) {
      const bool mean = entry.at("statistic") == "mean";
      numbers.push_back(mean ? mean_of(tensor.values()) : deviation_of(tensor.values()));
    } else {
      std::vector<Index> index = entry.at("index").get<std::vector<Index>>();
      index.resize(tensor.axes().size(), 0);
      const auto begin = static_cast<std::size_t>(tensor.offset(index));
      for (std::size_t i = 0; i < printed.size(); ++i)
        numbers.push_back(static_cast<double>(tensor.values()[begin + i]));
    }
    ASSERT_EQ(numbers.size(), printed.size());
    for (std::size_t i = 0; i < printed.size(); ++i) EXPECT_EQ(reference_like(numbers[i], printed[i]), printed[i]);
  }
}

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
      if (!is<SoftmaxOperation>(step.operation)) continue;
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
      EXPECT_FALSE(formula(trace->plan()->steps, static_cast<int>(i)).empty()) << step.name;
    }
    EXPECT_EQ(trace->find("no such tensor"), nullptr);
  }
}

TEST(Systems, WrongParametersAreRefusedByName) {
  int refused = 0;
  for (const System& system : systems()) {
    for (const Parameter& parameter : system.parameters) {
      std::vector<std::string> wrong = {"", "x", "1,5", "0x10", "[1]", "1e999"};
      if (parameter.kind == Parameter::Kind::integer) {
        const auto below = static_cast<Index>(parameter.minimum) - 1;
        wrong.insert(wrong.end(), {std::to_string(below), "2.5", "2147483648", "99999999999999999999"});
      }
      for (const std::string& text : wrong) {
        SCOPED_TRACE(system.name + " " + parameter.name + "=" + text);
        Experiment experiment = *default_experiment(system.name);
        const Result<void> set = set_parameter_text(experiment, parameter.name, text);
        ASSERT_FALSE(set);
        EXPECT_TRUE(set.error().message.starts_with(parameter.name + ": ")) << set.error().message;
        EXPECT_EQ(set.error().message.find('\n'), std::string::npos);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 300);
}

TEST(Systems, WhatDoesNotFitIntoMemoryIsRefusedBeforeItIsTaken) {
  for (const System& system : systems()) {
    for (const Parameter& parameter : system.parameters) {
      if (parameter.kind != Parameter::Kind::integer) continue;
      if (!parameter.divides.empty() || parameter.only_with) continue;
      if (parameter.name == "radius") continue;  // no size: it takes nothing
      SCOPED_TRACE(system.name + " " + parameter.name);
      Experiment experiment = *default_experiment(system.name);
      ASSERT_TRUE(set_parameter_text(experiment, parameter.name, "2147483640"));
      const Result<void> valid = validate(experiment);
      ASSERT_FALSE(valid);
      EXPECT_NE(valid.error().message.find("MB; allowed: 2,000 MB"), std::string::npos) << valid.error().message;
    }
  }
}

TEST(Run, AStoppedOneTakesNeitherTimeNorMemory) {
  StopSource source;
  source.request_stop();
  Experiment huge = set(*default_experiment("worked-example"), "tokens", "1000000000");
  huge.discard = std::numeric_limits<std::uint64_t>::max();
  const auto trace = run(huge, {source.token(), nullptr, 0});
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("stopped"), std::string::npos) << trace.error().message;
}

TEST(Run, AStopIsHeardWhileNumbersAreThrownAway) {
  StopSource source;
  Experiment endless = *default_experiment("worked-example");
  endless.discard = std::numeric_limits<std::uint64_t>::max();
  std::atomic<float> fraction = 0;
  const BackgroundThread stopper([&](const StopToken&) {
    while (fraction == 0) std::this_thread::yield();  // the inputs are drawn
    source.request_stop();
  });
  const auto trace = run(endless, {source.token(), &fraction, cost_of(endless).flops});
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
