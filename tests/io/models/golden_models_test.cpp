// Models of every family against the float64 computation that tests/golden/models made with PyTorch.
#include "golden_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/explain/explain.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "io/tensors/tensor_file.h"

namespace attnscope {
namespace {

using test::golden_experiment;
using test::golden_families;
using test::golden_folders;
using test::kGoldenModels;
using test::test_name;

constexpr double kTolerance = 1e-4;  // of a tensor's largest magnitude

class GoldenModel : public testing::TestWithParam<std::string> {
 protected:
  const std::filesystem::path folder_ = kGoldenModels / GetParam();
};

double largest(std::span<const float> values) {
  double most = 0;
  for (const float value : values) {
    if (std::isfinite(value)) most = std::max(most, std::abs(static_cast<double>(value)));
  }
  return most;
}

/// The numbers of a tensor of a file.
std::vector<float> numbers_of(const TensorFile& file, std::size_t entry) {
  const std::vector<Index>& shape = file.entries()[entry].shape;
  Index count = 1;
  for (const Index size : shape) count *= size;
  std::vector<float> numbers(static_cast<std::size_t>(count));
  const std::vector<Index> begin(shape.size(), 0);
  const Result<void> read = file.read(entry, begin, shape, numbers, {});
  EXPECT_TRUE(read) << read.error().message;
  return numbers;
}

TEST_P(GoldenModel, EveryTensorIsThatOfTheReference) {
  const Experiment experiment = golden_experiment(folder_);
  const Result<void> valid = validate(experiment, kDefaultMemoryBudget);
  ASSERT_TRUE(valid) << valid.error().message;
  const auto trace = run(experiment);
  ASSERT_TRUE(trace) << trace.error().message;
  const auto reference = TensorFile::open(folder_ / "reference.safetensors");
  ASSERT_TRUE(reference);
  ASSERT_GT((*reference)->entries().size(), 10U);
  for (std::size_t i = 0; i < (*reference)->entries().size(); ++i) {
    const TensorEntry& entry = (*reference)->entries()[i];
    const Step* const step = (*trace)->find(entry.name);
    ASSERT_NE(step, nullptr) << entry.name;
    std::vector<Index> shape;
    for (const Axis& axis : step->axes) shape.push_back(axis.size);
    ASSERT_EQ(shape, entry.shape) << entry.name;
    const std::vector<float> expected = numbers_of(**reference, i);
    const double allowed = kTolerance * largest(expected);
    for (std::size_t at = 0; at < expected.size(); ++at) {
      const float value = step->tensor->values()[at];
      if (std::isinf(expected[at])) {
        ASSERT_EQ(value, expected[at]) << entry.name << " at " << at;
      } else {
        ASSERT_NEAR(value, expected[at], allowed) << entry.name << " at " << at;
      }
    }
  }
}

// Weights are then read layer by layer, and what was given up is computed when it is asked for.
TEST_P(GoldenModel, HasTheSameBitsInLittleMemory) {
  const Experiment experiment = golden_experiment(folder_);
  const auto whole = run(experiment);
  Executor frugal(1);
  const auto little = frugal.run(experiment);
  ASSERT_TRUE(whole && little);
  Index given_up = 0;
  for (int number = 0; number < static_cast<int>((*whole)->steps().size()); ++number) {
    const Step& expected = (*whole)->steps()[static_cast<std::size_t>(number)];
    const Step& step = (*little)->steps()[static_cast<std::size_t>(number)];
    given_up += step.tensor == nullptr ? 1 : 0;
    const auto numbers = (*little)->numbers(whole_region(number, step.axes));
    EXPECT_TRUE(std::equal(numbers->values().begin(), numbers->values().end(), expected.tensor->values().begin(),
                           expected.tensor->values().end()))
        << step.name;
  }
  EXPECT_GT(given_up, 10);
}

INSTANTIATE_TEST_SUITE_P(Folders, GoldenModel, testing::ValuesIn(golden_folders()), test_name);

/// Explains cells of every kind of tensor of a family: "layer1.q" and "layer2.q" are of one kind. The numbers of a weight
/// are always the same, so that each is explained once.
class ExplainedFamily : public testing::TestWithParam<std::string> {
 protected:
  static constexpr int kCells = 1000;    ///< of a kind
  static constexpr Index kAtOnce = 125;  ///< of one tensor of one run

  static std::string kind_of(const std::string& name) {
    const std::size_t at = name.find("layer");
    const bool is_layer = at != std::string::npos && (at == 0 || name[at - 1] == '.');
    return is_layer ? name.substr(0, at) + "layerN" + name.substr(name.find('.', at)) : name;
  }

  /// Other tokens, or another picture, of the same sizes.
  void change_input(Experiment& experiment) {
    const auto vocabulary = experiment.model->config().find("vocab_size");
    for (ModelText* const text : {&experiment.text, &experiment.text2}) {
      for (Index& id : text->ids)
        id = static_cast<Index>(random_() % static_cast<std::uint32_t>(std::get<double>(vocabulary->second)));
    }
    if (experiment.picture.empty()) return;
    ColorPicture picture = *experiment.picture;
    for (std::uint8_t& byte : picture.rgb) byte = static_cast<std::uint8_t>(random_() % 256);
    experiment.picture = std::move(picture);
  }

  void explain_cells(const Trace& trace, bool with_weights) {
    for (int number = 0; number < static_cast<int>(trace.steps().size()); ++number) {
      const Step& step = trace.steps()[static_cast<std::size_t>(number)];
      if (step.operation->traits().is_weight && !with_weights) continue;
      int& explained = step.operation->traits().is_weight ? weights_[step.name] : explained_[kind_of(step.name)];
      const Index count = step.tensor->count();
      const double allowed = 1e-5 * std::max(largest(step.tensor->values()), 1e-3);
      for (Index i = 0; i < std::min(count, kAtOnce) && explained < kCells; ++i, ++explained)
        expect_explained(trace, number, count <= kAtOnce ? i : static_cast<Index>(random_()) % count, allowed);
    }
  }

  std::map<std::string, int> explained_;
  std::map<std::string, int> weights_;

 private:
  static void expect_explained(const Trace& trace, int number, Index at, double allowed) {
    const Step& step = trace.steps()[static_cast<std::size_t>(number)];
    const Explanation e = explain(trace, number, step.tensor->index_at(at));
    EXPECT_FALSE(e.formula.empty()) << step.name;
    if (std::isfinite(e.value)) {
      EXPECT_NEAR(e.computed, e.value, allowed) << step.name << index_text(e.index);
    } else {
      EXPECT_EQ(e.computed, e.value) << step.name << index_text(e.index);
    }
  }

  std::mt19937 random_{1};
};

TEST_P(ExplainedFamily, AThousandCellsOfEveryKindComeToTheValue) {
  constexpr int most_runs = 24;
  std::vector<Experiment> both;
  for (const char* const which : {"-1", "-2"}) both.push_back(golden_experiment(kGoldenModels / (GetParam() + which)));
  for (int i = 0; i < most_runs; ++i) {
    for (Experiment& experiment : both) {
      const auto trace = run(experiment);
      ASSERT_TRUE(trace) << trace.error().message;
      explain_cells(**trace, i == 0);
      change_input(experiment);
    }
  }
  EXPECT_GE(explained_.size(), 12U);
  EXPECT_GE(weights_.size(), 8U);
  for (const auto& [kind, cells] : explained_) {
    if (kind.find("layerN") == std::string::npos) continue;
    EXPECT_EQ(cells, kCells) << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, ExplainedFamily, testing::ValuesIn(golden_families()), test_name);

}  // namespace
}  // namespace attnscope
