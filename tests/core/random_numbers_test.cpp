// Choices about random numbers: weights that stay, their range, and one vector for equal labels.
#include "core/experiment/random_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/base/text.h"
#include "core/explain/explain.h"
#include "core/plan/plan.h"
#include "core/plan/validate.h"
#include "core/random/generator.h"
#include "core/trace/run.h"
#include "system_variations.h"

namespace attnscope::test {
namespace {

bool is_weight(const Step& step) {
  const std::size_t dot = step.name.rfind('.');
  const std::string name = dot == std::string::npos ? step.name : step.name.substr(dot + 1);
  return name.starts_with("w_") || name.starts_with("b_");
}

std::shared_ptr<const Trace> traced(const Experiment& experiment) { return *Executor().run(experiment); }

std::span<const float> numbers(const Trace& trace, std::string_view name) { return trace.find(name)->tensor->values(); }

void expect_equal(const Trace& one, const Trace& other) {
  ASSERT_EQ(one.steps().size(), other.steps().size());
  for (std::size_t i = 0; i < one.steps().size(); ++i) {
    ASSERT_EQ(one.steps()[i].name, other.steps()[i].name);
    EXPECT_TRUE(std::ranges::equal(one.steps()[i].tensor->values(), other.steps()[i].tensor->values()))
        << one.steps()[i].name;
  }
}

/// The first parameter that says how many inputs there are.
const char* size_of_inputs(const System& system) {
  for (const char* const name : {"tokens", "queries", "height"}) {
    if (find_parameter(system.parameters, name) != nullptr) return name;
  }
  return nullptr;
}

TEST(RandomNumbers, WeightsStayWithMoreTokens) {
  int systems_with_weights = 0;
  for (const System& system : systems()) {
    if (find_parameter(system.parameters, "weights_stay") == nullptr) continue;
    ++systems_with_weights;
    for (const bool stay : {false, true}) {
      SCOPED_TRACE(system.name + (stay ? " stay" : " follow"));
      const Experiment few = set(small_experiment(system), "weights_stay", stay ? "yes" : "no");
      Experiment many = few;
      many.parameters[size_of_inputs(system)] = few.integer(size_of_inputs(system)) + 1;
      const auto before = traced(few);
      const auto after = traced(many);
      int weights = 0;
      for (const Step& step : before->steps()) {
        const bool is_zero = std::ranges::all_of(step.tensor->values(), [](float value) { return value == 0; });
        if (!is_weight(step) || is_zero) continue;
        ++weights;
        EXPECT_EQ(std::ranges::equal(step.tensor->values(), numbers(*after, step.name)), stay) << step.name;
      }
      EXPECT_GE(weights, 2);
    }
  }
  EXPECT_EQ(systems_with_weights, 7);
}

TEST(RandomNumbers, WeightsThatStayHaveASeedOfTheirOwn) {
  Experiment experiment = set(*default_experiment("worked-example"), "weights_stay", "yes");
  for (const std::uint64_t discarded : {0U, 7U}) {
    experiment.discard = discarded;
    const auto trace = traced(experiment);
    Generator generator(weights_seed(experiment.seed));
    generator.discard(discarded);
    std::vector<float> expected(numbers(*trace, "single.w_k").size());
    generator.fill_uniform(expected);
    EXPECT_TRUE(std::ranges::equal(expected, numbers(*trace, "single.w_k")));
  }
}

TEST(RandomNumbers, WeightsThatStayAreNotDrawnAgain) {
  Executor runner;
  Experiment experiment = first_experiment();
  const auto first = *runner.run(experiment);
  experiment.parameters["tokens"] = Index{9};
  const auto longer = *runner.run(experiment);
  for (const char* const name : {"single.w_q", "w_k", "w_out"})
    EXPECT_EQ(first->find(name)->tensor, longer->find(name)->tensor) << name;
  expect_equal(*longer, *traced(experiment));
  // Not across another seed, nor when they follow again.
  experiment.seed = 7;
  expect_equal(**runner.run(experiment), *traced(experiment));
  experiment = set(experiment, "weights_stay", "no");
  expect_equal(**runner.run(experiment), *traced(experiment));
  experiment = set(experiment, "weights_stay", "yes");
  experiment.discard = 3;
  expect_equal(**runner.run(experiment), *traced(experiment));
}

TEST(RandomNumbers, SignedNumbersAreBetweenMinusOneAndOne) {
  const Experiment positive = *default_experiment("worked-example");
  const auto before = traced(positive);
  const auto after = traced(set(positive, "random_numbers", "signed"));
  for (const char* const name : {"x", "x2", "single.w_v", "w_q", "w_out"}) {
    const auto [least, largest] = std::ranges::minmax(numbers(*after, name));
    EXPECT_LT(least, -0.5F) << name;
    EXPECT_GE(least, -1.0F) << name;
    EXPECT_GT(largest, 0.5F) << name;
    EXPECT_LE(largest, 1.0F) << name;
    for (std::size_t i = 0; i < numbers(*after, name).size(); ++i)
      EXPECT_NEAR(numbers(*after, name)[i], 2 * numbers(*before, name)[i] - 1, 1e-6) << name;
  }
}

TEST(RandomNumbers, EqualLabelsHaveOneVector) {
  Executor runner;
  Experiment experiment = set(*default_experiment("worked-example"), "same_label", "same_vector");
  const auto row = [](const Trace& trace, std::size_t token) { return numbers(trace, "x").subspan(token * 9, 9); };
  const auto trace = *runner.run(experiment);
  EXPECT_TRUE(std::ranges::equal(row(*trace, 0), row(*trace, 4))) << "the";
  EXPECT_FALSE(std::ranges::equal(row(*trace, 0), row(*trace, 1)));
  const auto without = traced(*default_experiment("worked-example"));
  EXPECT_TRUE(std::ranges::equal(row(*trace, 5), row(*without, 5)));
  EXPECT_TRUE(std::ranges::equal(numbers(*trace, "w_q"), numbers(*without, "w_q"))) << "all is drawn as before";

  // Labels are read again when they change, and tokens without a label have their own vector.
  experiment.labels = {"a", "b", "b", "a"};
  const auto other = *runner.run(experiment);
  EXPECT_TRUE(std::ranges::equal(row(*other, 0), row(*other, 3)));
  EXPECT_TRUE(std::ranges::equal(row(*other, 1), row(*other, 2)));
  EXPECT_FALSE(std::ranges::equal(row(*other, 4), row(*other, 5)));
  expect_equal(*other, *traced(experiment));

  // An edit is of one token.
  experiment.edits = {{"x", {0, 2}, 5}};
  const auto edited = *runner.run(experiment);
  EXPECT_EQ(row(*edited, 0)[2], 5);
  EXPECT_EQ(row(*edited, 3)[2], row(*other, 3)[2]);
}

TEST(RandomNumbers, ExplanationsNameTheSeedAndTheToken) {
  const auto trace = traced(first_experiment());
  const auto note = [&](const char* cell) {
    const CellReference at = *parse_cell(*trace, cell);
    return explain(*trace, at.step, at.index).note;
  };
  EXPECT_EQ(note("x[1,0]"), "random value 10 of seed 42");
  EXPECT_EQ(note("x[4,2]"), "random value 3 of seed 42: the same token as token 1");
  EXPECT_EQ(note("single.w_k[0,1]"), "random value 2 of seed 1042, the weights' own");
  EXPECT_EQ(note("single.w_q[0,0]"), "random value 64 of seed 1042, the weights' own");
}

TEST(RandomNumbers, TheFirstWindowIsValidAndDiffersFromItsSource) {
  const Experiment first = first_experiment();
  EXPECT_TRUE(validate(first));
  EXPECT_EQ(first.system, kFirstSystem);
  EXPECT_EQ(std::ranges::count_if(first.parameters,
                                  [&](const auto& each) {
                                    return default_experiment(kFirstSystem)->parameters.at(each.first) != each.second;
                                  }),
            std::ssize(kFirstSettings));
}

}  // namespace
}  // namespace attnscope::test
